"""Rows → new data files in a new directory of the table, invisible until a commit refers to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from deltasql.base.errors.write import NestedVoidError
from deltasql.base.lazy import F, pa
from deltasql.base.settings.write_settings import OPTIMIZE_WRITE, OPTIMIZE_WRITE_BIN
from deltasql.engines.choice import moved_in_process, only_for_spark
from deltasql.engines.spark.reading.checked_rows import checked
from deltasql.engines.spark.reading.input_size import UNKNOWN_SIZE
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing.row_writers import DriverWriter, ExecutorWriter, RowWriter, fetched, session_shape
from deltasql.files.stage import FileStage
from deltasql.files.staged import Staged
from deltasql.files.writing.staged_files import (
    CHANGE_DATA,
    DIRECTORY_PREFIX,
    ORIGIN,
    WrittenFile,
)
from deltasql.files.writing.successors import RewrittenFile
from deltasql.log.properties.property_registry import AUTO_OPTIMIZE, TARGET_FILE_SIZE, VARIANT_SHREDDING
from deltasql.log.properties.property_registry import OPTIMIZE_WRITE as TABLE_OPTIMIZES
from deltasql.log.properties.table_properties import TableProperties
from deltasql.plan import marks
from deltasql.plan.file_shape import ANY_SHAPE, FileShape
from deltasql.plan.hidden import IS_CHANGE, ROW_ID, ROW_INDEX, ROW_VERSION
from deltasql.plan.operators import Constraint
from deltasql.schema.checks import CHANGE_TYPE, nested_voids
from deltasql.schema.column_mapping import is_mapped, physical_name, physical_schema
from deltasql.schema.json import schema_to_json
from deltasql.schema.partition_values import HIVE_NULL
from deltasql.schema.text import path_text, quote_name, quote_text
from deltasql.schema.types import (
    BINARY,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    VOID,
    DataType,
    RowIdColumns,
    StructType,
    collation_of,
    without_collations,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkStage(FileStage):
    """A stage for rows of Spark, written by its executors or by this process."""

    def __init__(
        self,
        spark: SparkHandle,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> None:
        super().__init__(
            spark, root, partition_columns, configuration, stores_partitions=stores_partitions, shape=shape
        )
        self._spark = spark
        self.input_size = UNKNOWN_SIZE
        """Bytes that the statement reads, which decide between executors and this process: see `engines.choice`."""

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
        driver = moved_in_process(self._spark, self._root, self.input_size, barred=only_for_spark(schema))
        driver = driver or self._shape.is_only_by_arrow
        marks = [ORIGIN] * origins + [CHANGE_TYPE] * changes
        stored = self._stored(rows, schema, row_ids, marks, spread=not (origins or driver))
        stored, by = self._in_directories(stored, schema, origins=origins, changes=changes)
        directory = self._new_directory(changes=changes)
        written = self._writer(driver).write(stored, by, directory, schema)
        files, feed = self._without_feed(written, directory) if changes else (written, [])
        zone = self._zone
        return Staged(tuple(self._staged(files, schema, zone, unindexed)), self._feed(feed, schema, zone))

    def succeed(
        self,
        rewritten: Sequence[RewrittenFile],
        rows: DataFrame | None,
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """Writes the successors of some files by Arrow: their unchanged rows, and `rows` in place of the others.

        The columns of `rows` are `schema`'s, ORIGIN, ROW_INDEX, and with `changes` CHANGE_TYPE; an updated row differs
        from the replaced one at most in the columns `changed`: see `NewRows`. Raises what `write` raises, and what
        reading the files raises.
        """
        parts: list[tuple[dict[str, str | None], pa.Table]] = []
        if rows is not None:
            stored = self._stored(rows, schema, None, [ORIGIN, ROW_INDEX] + [CHANGE_TYPE] * changes, spread=False)
            stored, by = self._in_directories(stored, schema, origins=True, changes=changes)
            parts += fetched(stored, by, schema)
        return self.succeed_with(rewritten, parts, schema, changed, changes=changes)

    def _writer(self, driver: bool) -> RowWriter:
        if driver:
            return DriverWriter(self._store, session_shape(self._spark, self._shape))
        shredding = TableProperties(self._configuration)[VARIANT_SHREDDING]
        return ExecutorWriter(self._spark, self._store, shredding, self._shape, self._bin)

    @cached_property
    def _bin(self) -> int | None:
        """How many bytes go into one file of an optimized write; None for any other. Raises InvalidSettingError."""
        properties = TableProperties(self._configuration)
        given = (
            self._shape.optimized,
            OPTIMIZE_WRITE.value(self._spark.session_value(OPTIMIZE_WRITE.name)),
            properties[TABLE_OPTIMIZES],
            properties[AUTO_OPTIMIZE],
        )
        if not next((value for value in given if value is not None), False):
            return None
        size = OPTIMIZE_WRITE_BIN.value(self._spark.session_value(OPTIMIZE_WRITE_BIN.name))
        return properties[TARGET_FILE_SIZE] or size

    def _spread(self, rows: DataFrame) -> DataFrame:
        """Rows of one partition together, in several tasks where an optimized write fills several files."""
        names = [quote_name(name) for name in self._partitions]
        if self._bin is not None:
            return rows.hint("rebalance", *(F.col(name) for name in names))
        return rows.repartition(*(rows[name] for name in names)) if names else rows

    def _stored(
        self, rows: DataFrame, schema: StructType, row_ids: RowIdColumns | None, hidden: Sequence[str], *, spread: bool
    ) -> DataFrame:
        """`rows` as files store them: checked, without VOID columns, under physical names. `hidden` are hidden columns.

        With `spread` the rows are repartitioned by the partition columns, or for an optimized write.
        """
        rows = rows.drop(*[item.name for item in schema if item.type == VOID])
        rows = checked(_named_null(rows, schema, self._partitions), self._nameable(schema), self._spark.capabilities)
        if spread:
            rows = self._spread(rows)
        stored = StructType(tuple(item for item in schema if item.type != VOID))
        if is_mapped(stored):
            ids = [ROW_ID, ROW_VERSION] if row_ids is not None else []
            rows = _physical(rows, stored, [*ids, *hidden])
        if row_ids is not None:
            rows = rows.withColumnsRenamed({ROW_ID: row_ids.row_id, ROW_VERSION: row_ids.version})
        return rows

    def _in_directories(
        self, rows: DataFrame, schema: StructType, *, origins: bool, changes: bool
    ) -> tuple[DataFrame, list[str]]:
        """`rows`, and the names of the columns whose values name the directories of the files."""
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
        """Constraints that STRING and BINARY partition values are valid directory names, for a clear error message."""
        prefix = DIRECTORY_PREFIX if self.stores_partitions else ""
        for name in self._partitions:
            field = schema.find(name)
            if field is None or not (_is_text(field.type) or field.type == BINARY):
                continue
            value = quote_name(name) if field.type == STRING else f"CAST({quote_name(name)} AS STRING)"
            room = _LONGEST_NAME - len(f"{prefix}{physical_name(field)}=".encode())
            # Spark writes some characters as three.
            escaped = f"octet_length(regexp_replace({value}, {quote_text(_ESCAPED)}, '%00'))"
            fits = f"octet_length({value}) * 3 <= {room} OR {escaped} <= {room}"
            condition = f"{value} IS NULL OR (is_valid_utf8({value}) AND instr({value}, char(0)) = 0 AND ({fits}))"
            yield Constraint(f"{marks.PARTITION_NAME}{quote_name(name)}", condition)

    def _without_feed(
        self, written: Sequence[WrittenFile], directory: str
    ) -> tuple[list[WrittenFile], list[WrittenFile]]:
        """Splits written files into data files and change data files, which are moved to the folder of the feed."""
        staged, target = f"{directory}/{IS_CHANGE}=true", f"{CHANGE_DATA}/{directory}"
        moved = [
            replace(item, path=PurePosixPath(target, item.path.relative_to(staged)))
            for item in written
            if item.path.is_relative_to(staged)
        ]
        if moved:
            self._store.move_below(staged, target)
        feed = [item for item in written if item.path.is_relative_to(target)]
        return [item for item in written if item.path.parts[0] == directory and not item.path.is_relative_to(staged)], [
            *feed,
            *moved,
        ]


def _with_partitions(rows: DataFrame, by: Sequence[str]) -> tuple[DataFrame, list[str]]:
    """`rows` with their partition columns last, then copies of these; and the names of the copies.

    The copies name the directories, since Spark leaves such columns out of the files.
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
"""SQL of directory names for the types whose text by Spark is not used."""


def _with_texts(rows: DataFrame, by: Mapping[str, DataType]) -> DataFrame:
    """`rows` with the directory columns `by` as text where their type is in _AS_TEXT."""
    collated = {kind: "CAST({0} AS STRING)" for kind in by.values() if collation_of(kind) is not None}
    sql = {**_AS_TEXT, **collated}
    texts = {name: F.expr(sql[kind].format(quote_name(name))) for name, kind in by.items() if kind in sql}
    return rows.withColumns(texts) if texts else rows


def _named_null(rows: DataFrame, schema: StructType, partitions: Sequence[str]) -> DataFrame:
    """`rows` with NULL for the partition value HIVE_NULL, whose directory is that of NULL: both in one would fail."""
    texts = [name for name in partitions if (field := schema.find(name)) is not None and _is_text(field.type)]
    named = {name: F.expr(f"nullif(CAST({quote_name(name)} AS STRING), '{HIVE_NULL}')") for name in texts}
    # Spark Connect takes no empty list of columns.
    return rows.withColumns(named) if named else rows


def _is_text(kind: DataType) -> bool:
    return without_collations(kind) == STRING


_LONGEST_NAME = 255
"""Most bytes of a file name on all common file systems."""
_ESCAPED = r"""[\x01-\x1f"#%'*/:=?\\\x7f{\[\]^]"""


def refuse_nested_voids(schema: StructType) -> None:
    """Raises NestedVoidError for VOID inside a struct, array or map, which Parquet can neither store nor omit."""
    for path in nested_voids(schema, in_structs=True):
        raise NestedVoidError(column=path_text(path))


def _physical(rows: DataFrame, schema: StructType, extra: Sequence[str]) -> DataFrame:
    """`rows` under physical names, with the field ids for the Parquet schema, and the hidden columns `extra`.

    Top-level ids are in the metadata of the alias, nested ones in the type of a cast: Spark's optimizer drops others.
    """
    from pyspark.sql.types import StructType as SparkStruct

    physical = SparkStruct.fromJson(json.loads(schema_to_json(physical_schema(schema))))
    columns = [
        F.col(quote_name(field.name)).cast(stored.dataType).alias(stored.name, metadata=stored.metadata)
        for field, stored in zip(schema, physical.fields, strict=True)
    ]
    return rows.select(*columns, *extra)
