"""Rows → new data files in a fresh directory of the table. Nothing refers to them until a commit does."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from deltasql.engine.reading.checked_rows import checked
from deltasql.engine.reading.footers import footer
from deltasql.engine.reading.input_size import UNKNOWN_SIZE
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.transfer import by_driver
from deltasql.engine.writing.kept_rows import Bin, KeptFile, NewRows, Successors, copy_kept, united_files
from deltasql.engine.writing.literal_files import write_held_rows, write_literals
from deltasql.engine.writing.row_writers import DriverWriter, ExecutorWriter, RowWriter, fetched
from deltasql.engine.writing.staged_files import (
    CHANGE_DATA,
    DIRECTORY_PREFIX,
    HIVE_NULL,
    ORIGIN,
    WrittenFile,
    staged_files,
)
from deltasql.errors.log import StorageError
from deltasql.errors.write import NestedVoidError, NothingToHoldError
from deltasql.log.actions.actions import AddCDCFile, AddFile
from deltasql.log.actions.record_count import deleted_counts, live_rows, record_count
from deltasql.log.configuration.iceberg_compat import compat_tags
from deltasql.log.properties.property_registry import VARIANT_SHREDDING
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.protocol.features import has_variants
from deltasql.log.storage.paths import absolute, decode_path
from deltasql.log.storage.stores import Stores
from deltasql.plan import marks
from deltasql.plan.hidden import IS_CHANGE, ROW_ID, ROW_INDEX, ROW_VERSION
from deltasql.plan.operators import Constraint, HeldRows, Literals
from deltasql.runtime import Staged, StagedFile
from deltasql.schema.checks import CHANGE_TYPE, nested_voids
from deltasql.schema.column_mapping import is_mapped, physical_name, physical_schema
from deltasql.schema.json import schema_to_json
from deltasql.schema.row_ids import RowIdColumns
from deltasql.schema.text import path_text, quote_name, quote_text
from deltasql.schema.types import BINARY, DOUBLE, FLOAT, STRING, TIMESTAMP, VOID, DataType, StructType

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


class Stage:
    """The place of one statement's new files: `<table>/<uuid>`. `discard` removes all that was written to it.

    With `stores_partitions` files hold the partition columns too.
    """

    def __init__(
        self,
        spark: SparkHandle,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
    ) -> None:
        self._spark, self._root, self._store = spark, root, spark.stores.open(root)
        self._partitions, self._configuration = partition_columns, configuration
        self.stores_partitions = stores_partitions
        self._directories: list[str] = []
        self._filled: list[str] = []
        self._files: list[str] = []
        self._needed = False
        self.input_size = UNKNOWN_SIZE
        """Bytes that the statement reads, which says who writes: see `engine.session.transfer`."""

    def write(
        self,
        rows: DataFrame,
        schema: StructType,
        *,
        origins: bool = False,
        changes: bool = False,
        row_ids: RowIdColumns | None = None,
        unindexed: Sequence[str] = (),
    ) -> Staged:
        """Writes `rows` as Parquet files.

        Its columns are `schema`'s, ORIGIN with `origins`, CHANGE_TYPE with `changes`, and with `row_ids` ROW_ID and
        ROW_VERSION, which get those names. The columns `unindexed` get no statistics.
        Raises StagedRowsMissingError, NoWayToFilesError, OtherCredentialsError, NestedVoidError, NothingToHoldError.
        """
        refuse_nested_voids(schema)
        self._refuse_voids_alone(schema)
        driver = by_driver(self._spark, self._root, self.input_size, variants=has_variants(schema))
        own = [ORIGIN] * origins + [CHANGE_TYPE] * changes
        stored = self._stored(rows, schema, row_ids, own, spread=not (origins or driver))
        stored, by = self._in_directories(stored, schema, origins=origins, changes=changes)
        directory = self._new_directory(changes=changes)
        written = self._writer(driver).write(stored, by, directory, schema)
        files, feed = self._without_feed(written, directory) if changes else (written, [])
        zone = self._zone
        return Staged(tuple(self._staged(files, schema, zone, unindexed)), self._feed(feed, schema, zone))

    def succeed(
        self,
        kept: Sequence[KeptFile],
        rows: DataFrame | None,
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """Writes the successors of some files by Arrow: the rows that stay, and `rows` in place of the others.

        The columns of `rows` are `schema`'s, ORIGIN, ROW_INDEX, and with `changes` CHANGE_TYPE; an image may differ in
        the columns `changed` from what it replaces: see `NewRows`. Raises what `write` raises, and what reading the
        files raises.
        """
        parts: list[tuple[dict[str, str | None], pa.Table]] = []
        if rows is not None:
            stored = self._stored(rows, schema, None, [ORIGIN, ROW_INDEX] + [CHANGE_TYPE] * changes, spread=False)
            stored, by = self._in_directories(stored, schema, origins=True, changes=changes)
            parts += fetched(stored, by, schema)
        return self.succeed_with(kept, parts, schema, changed, changes=changes)

    def succeed_with(
        self,
        kept: Sequence[KeptFile],
        parts: Sequence[tuple[Mapping[str, str | None], pa.Table]],
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """As `succeed`, with rows that are here: see `NewRows`."""
        names = frozenset(physical_name(field) for name in changed if (field := schema.find(name)) is not None)
        directory = self._new_directory(changes=changes)
        copied = copy_kept(self._store, kept, NewRows(parts, names), directory, schema)
        successors = self._successors(copied.successors, schema)
        if not (copied.others or copied.feed):
            return Staged(tuple(successors))
        others = self._staged(copied.others, schema, self._zone, ())
        return Staged((*successors, *others), self._feed(copied.feed, schema, self._zone))

    def unite(self, bins: Sequence[Bin], schema: StructType) -> Staged:
        """Writes one file for each bin by Arrow, which is its `origin`. Raises what reading the files raises."""
        written = united_files(self._store, bins, self._new_directory(), schema)
        return Staged(tuple(self._successors(written, schema)))

    def _successors(self, written: Successors, schema: StructType) -> list[StagedFile]:
        """Partition values are as they are spelled in the log."""
        files = self._staged([file for _, file in written], schema, "UTC", ())
        return [
            replace(file, add=replace(file.add, partition_values=own.partition_values), origin=own.origin)
            for file, (own, _) in zip(files, written, strict=True)
        ]

    @property
    def may_splice(self) -> bool:
        """Whether a new file may hold what was written into another one, under properties of the table that were others
        then: readers of Iceberg are promised that nothing is older than these.
        """
        return not compat_tags(self._configuration)

    @property
    def _zone(self) -> str:
        """The zone in which partitions' timestamps are written."""
        return self._spark.now("spark.sql.session.timeZone") or "UTC"

    def _feed(self, files: Sequence[WrittenFile], schema: StructType, zone: str) -> tuple[AddCDCFile, ...]:
        return tuple(
            AddCDCFile(item.add.path, item.add.partition_values, item.add.size)
            for item in self._staged(files, schema, zone, ())
        )

    def _writer(self, driver: bool) -> RowWriter:
        if driver:
            return DriverWriter(self._store)
        return ExecutorWriter(self._spark, self._store, TableProperties(self._configuration)[VARIANT_SHREDDING])

    def _new_directory(self, *, changes: bool = False) -> str:
        directory = uuid4().hex
        self._directories += [directory, f"{CHANGE_DATA}/{directory}"] if changes else [directory]
        return directory

    def _stored(
        self, rows: DataFrame, schema: StructType, row_ids: RowIdColumns | None, own: Sequence[str], *, spread: bool
    ) -> DataFrame:
        """`rows` as files hold them: checked, without VOID columns, under physical names. `own` are columns of ours.

        With `spread` the rows of a partition come together in one task.
        """
        rows = rows.drop(*[item.name for item in schema if item.type == VOID])
        rows = checked(_named_null(rows, schema, self._partitions), self._nameable(schema), self._spark.capabilities)
        if self._partitions and spread:
            rows = rows.repartition(*[rows[quote_name(name)] for name in self._partitions])
        stored = StructType(tuple(item for item in schema if item.type != VOID))
        if is_mapped(stored):
            ids = [ROW_ID, ROW_VERSION] if row_ids is not None else []
            rows = _physical(rows, stored, [*ids, *own])
        if row_ids is not None:
            rows = rows.withColumnsRenamed({ROW_ID: row_ids.row_id, ROW_VERSION: row_ids.version})
        return rows

    def _in_directories(
        self, rows: DataFrame, schema: StructType, *, origins: bool, changes: bool
    ) -> tuple[DataFrame, list[str]]:
        """`rows`, and the columns by whose values files are put into directories."""
        fields = [field for name in self._partitions if (field := schema.find(name))]
        by = [physical_name(field) for field in fields]
        if self.stores_partitions:
            rows, by = _with_partitions(rows, by)
        rows = _with_texts(rows, dict(zip(by, (field.type for field in fields), strict=True)))
        by = [ORIGIN, *by] if origins else by
        if changes:
            rows, by = rows.withColumn(IS_CHANGE, rows[CHANGE_TYPE].isNotNull()), [IS_CHANGE, *by]
        return rows, by

    def _nameable(self, schema: StructType) -> Iterator[Constraint]:
        """That directories can be called after texts and bytes: Spark would only say that a task has failed."""
        prefix = DIRECTORY_PREFIX if self.stores_partitions else ""
        for name in self._partitions:
            field = schema.find(name)
            if field is None or field.type not in {STRING, BINARY}:
                continue
            value = quote_name(name) if field.type == STRING else f"CAST({quote_name(name)} AS STRING)"
            room = _LONGEST_NAME - len(f"{prefix}{physical_name(field)}=".encode())
            # Spark writes some characters as three.
            escaped = f"octet_length(regexp_replace({value}, {quote_text(_ESCAPED)}, '%00'))"
            fits = f"octet_length({value}) * 3 <= {room} OR {escaped} <= {room}"
            condition = f"{value} IS NULL OR (is_valid_utf8({value}) AND instr({value}, char(0)) = 0 AND ({fits}))"
            yield Constraint(f"{marks.PARTITION_NAME}{quote_name(name)}", condition)

    def _refuse_voids_alone(self, schema: StructType) -> None:
        """Raises NothingToHoldError: a file without columns has no rows, which would be lost without a word."""
        held = [item for item in schema if self.stores_partitions or item.name not in self._partitions]
        if held and all(item.type == VOID for item in held):
            raise NothingToHoldError(", ".join(quote_name(item.name) for item in held))

    def write_literals(self, rows: Literals) -> Staged:
        """Writes rows that are known already, without Spark. Raises NothingToHoldError."""
        self._refuse_voids_alone(rows.schema)
        written = write_literals(
            self._store,
            self._new_directory(),
            rows,
            self._partitions,
            stores_partitions=self.stores_partitions,
        )
        return Staged(tuple(self._staged(written, rows.schema, "UTC", ())))

    def write_held_rows(self, rows: HeldRows) -> Staged:
        """Writes rows that the caller has in memory, without Spark. Raises NothingToHoldError."""
        self._refuse_voids_alone(rows.schema)
        written = write_held_rows(
            self._store, self._new_directory(), rows, self._partitions, stores_partitions=self.stores_partitions
        )
        return Staged(tuple(self._staged(written, rows.schema, "UTC", ())))

    def _staged(
        self,
        written: Sequence[WrittenFile],
        schema: StructType,
        zone: str,
        unindexed: Sequence[str],
    ) -> list[StagedFile]:
        found = dict.fromkeys(_own_directory(item.path) for item in written)
        self._filled += [directory for directory in found if directory not in self._filled]
        return staged_files(
            self._root,
            written,
            schema,
            self._partitions,
            self._configuration,
            timezone=zone,
            unindexed=unindexed,
        )

    def _without_feed(
        self, written: Sequence[WrittenFile], directory: str
    ) -> tuple[list[WrittenFile], list[WrittenFile]]:
        """The files of rows, and those of change rows, which Spark has written beside them and belong elsewhere."""
        own, place = f"{directory}/{IS_CHANGE}=true", f"{CHANGE_DATA}/{directory}"
        moved = [
            replace(item, path=PurePosixPath(place, item.path.relative_to(own)))
            for item in written
            if item.path.is_relative_to(own)
        ]
        if moved:
            self._store.move_below(own, place)
        feed = [item for item in written if item.path.is_relative_to(place)]
        return [item for item in written if item.path.parts[0] == directory and not item.path.is_relative_to(own)], [
            *feed,
            *moved,
        ]

    def nothing(self) -> Staged:
        """The outcome of writing no row."""
        return Staged(())

    def keep_origins(self, staged: Staged, origins: Collection[str]) -> Staged:
        """`staged` without the files whose origin is not in `origins`; rows without an origin are kept."""
        kept = tuple(item for item in staged.files if item.origin is None or item.origin in origins)
        self._store.delete_all([decode_path(item.add.path) for item in staged.files if item not in kept])
        return replace(staged, files=kept)

    def also(self, path: str) -> None:
        """Counts a file of the table, which somebody else wrote, as staged."""
        self._files.append(path)

    @property
    def directories(self) -> tuple[str, ...]:
        """The folders of the table that hold what was staged."""
        return tuple(self._filled)

    def need(self, needed: bool) -> None:
        """Says that a commit refers to the files, or may do so: they are not discarded then."""
        self._needed = needed

    def discard(self) -> None:
        """Removes every file that was staged, unless a commit may need them."""
        if self._needed:
            return
        with suppress(StorageError):
            # What is left is nobody's, and VACUUM finds it.
            for directory in self._directories:
                self._store.delete_below(directory)
            self._store.delete(self._files)
        self._directories.clear()
        self._filled.clear()
        self._files.clear()


def _own_directory(path: PurePosixPath) -> str:
    """The directory of one statement that a path is in."""
    return "/".join(path.parts[: 2 if path.parts[0] == CHANGE_DATA else 1])


def _with_partitions(rows: DataFrame, by: Sequence[str]) -> tuple[DataFrame, list[str]]:
    """`rows` with their partition columns last, and copies of them to make directories of.

    Spark leaves out of the files what it makes directories of.
    """
    data = [rows[quote_name(name)] for name in rows.columns if name not in by]
    partitions = [rows[quote_name(name)] for name in by]
    copies = [f"{DIRECTORY_PREFIX}{name}" for name in by]
    copied = [column.alias(name) for column, name in zip(partitions, copies, strict=True)]
    return rows.select(*data, *partitions, *copied), copies


_AS_TEXT: Mapping[DataType, str] = {
    # An hour that the clocks of a zone show twice has one name there.
    TIMESTAMP: "CAST(unix_micros({0}) AS STRING)",
    # 0.0 and -0.0 are equal, but directories are called after their texts: Spark would open one of them twice.
    **dict.fromkeys((FLOAT, DOUBLE), "CAST({0} AS STRING)"),
}
"""SQL of the names of directories, where they are not to be left to Spark."""


def _with_texts(rows: DataFrame, by: Mapping[str, DataType]) -> DataFrame:
    """`rows` with texts in the columns `by` whose values directories are called after, where that matters."""
    from pyspark.sql import functions as F

    texts = {name: F.expr(_AS_TEXT[kind].format(quote_name(name))) for name, kind in by.items() if kind in _AS_TEXT}
    return rows.withColumns(texts) if texts else rows


def _named_null(rows: DataFrame, schema: StructType, partitions: Sequence[str]) -> DataFrame:
    """`rows` with NULL for the text that names NULL in a directory: both would go to one file, which fails."""
    from pyspark.sql import functions as F

    texts = [name for name in partitions if (field := schema.find(name)) is not None and field.type == STRING]
    named = {name: F.expr(f"nullif({quote_name(name)}, '{HIVE_NULL}')") for name in texts}
    # Spark Connect takes no empty list of columns.
    return rows.withColumns(named) if named else rows


_LONGEST_NAME = 255
"""Bytes of a name in a directory, on every file system that matters."""
_ESCAPED = r"""[\x01-\x1f"#%'*/:=?\\\x7f{\[\]^]"""


def refuse_nested_voids(schema: StructType) -> None:
    """Raises NestedVoidError for VOID inside a struct, array or map: Parquet cannot hold it, nor leave it out."""
    for path in nested_voids(schema, in_structs=True):
        raise NestedVoidError(column=path_text(path))


def row_count(stores: Stores, add: AddFile, root: str) -> int:
    """Rows in a data file, deleted ones too: from the log's statistics, else from the file's footer."""
    rows = record_count(add.stats)
    return footer(stores, absolute(add.path, root)).num_rows if rows is None else rows


def count_live_rows(stores: Stores, files: pa.Table) -> int:
    """Live rows in some data files of the table: from the log's statistics, else from the files' footers."""
    counts = zip(files.column("location").to_pylist(), live_rows(files), deleted_counts(files), strict=True)
    return sum(footer(stores, path).num_rows - gone if rows is None else rows for path, rows, gone in counts)


def _physical(rows: DataFrame, schema: StructType, extra: Sequence[str]) -> DataFrame:
    """`rows` under their physical names, with the field ids that go into the Parquet schema, and columns of our own.

    Top-level ids travel in the alias, nested ones in the type of the cast: Spark's optimizer loses any other.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType as SparkStruct

    physical = SparkStruct.fromJson(json.loads(schema_to_json(physical_schema(schema))))
    columns = [
        F.col(quote_name(field.name)).cast(stored.dataType).alias(stored.name, metadata=stored.metadata)
        for field, stored in zip(schema, physical.fields, strict=True)
    ]
    return rows.select(*columns, *extra)
