"""The place of a statement's new files. Nothing refers to them until a commit does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from uuid import uuid4

from deltasql.base.errors.log import StorageError
from deltasql.base.errors.write import NothingToHoldError
from deltasql.base.lazy import pa
from deltasql.base.settings.session_settings import COLLECT_STATISTICS
from deltasql.files.memory import SessionFacts, files_at_once
from deltasql.files.reading.file_reader import Piece
from deltasql.files.staged import Staged, StagedFile
from deltasql.files.writing.arrow_files import write_literals, write_memory_rows, write_pieces
from deltasql.files.writing.staged_files import CHANGE_DATA, WrittenFile, staged_files
from deltasql.files.writing.successors import (
    MOST_FILES,
    CompactionGroup,
    NewRows,
    RewrittenFile,
    Successors,
    copy_unchanged,
    united_files,
)
from deltasql.log.actions.actions import AddCDCFile
from deltasql.log.configuration.iceberg_compat import compat_tags
from deltasql.log.properties.property_registry import (
    COMPRESSION_CODEC,
    INDEXED_COLUMNS,
    PARQUET_VERSION,
    STATS_COLUMNS,
    TableProperties,
)
from deltasql.log.storage.locations import decode_path
from deltasql.plan.operators import ANY_SHAPE, FileShape, Literals, MemoryRows
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.text import quote_name
from deltasql.schema.types import VOID, StructType


class FileStage:
    """The directory of one statement's new files, `<table>/<uuid>`, which this process writes by Arrow.

    `discard` removes all that was written to it. With `stores_partitions` files hold the partition columns too. The
    table's property of the compression counts where `shape` has none, and that of Parquet's version.
    """

    def __init__(
        self,
        session: SessionFacts,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> None:
        properties = TableProperties(configuration)
        codec, version = properties[COMPRESSION_CODEC], properties[PARQUET_VERSION]
        self._shape = replace(shape, codec=shape.codec or codec, format_version=version)
        self._session, self._root, self._store = session, root, session.stores.open(root)
        self._partitions, self._configuration = partition_columns, configuration
        self.stores_partitions = stores_partitions
        self._directories: list[str] = []
        self._filled: list[str] = []
        self._files: list[str] = []
        self._needed = False

    def succeed_with(
        self,
        rewritten: Sequence[RewrittenFile],
        parts: Sequence[tuple[Mapping[str, str | None], pa.Table]],
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """As `succeed`, with rows in memory: see `NewRows`."""
        names = frozenset(physical_name(field) for name in changed if (field := schema.find(name)) is not None)
        directory = self._new_directory(changes=changes)
        largest = max((item.size for item in rewritten), default=0)
        at_once = files_at_once(self._session, largest, MOST_FILES)
        copied = copy_unchanged(self._store, rewritten, NewRows(parts, names), directory, schema, at_once, self._shape)
        successors = self._successors(copied.successors, schema)
        if not (copied.others or copied.feed):
            return Staged(tuple(successors))
        others = self._staged(copied.others, schema, self._zone, ())
        return Staged((*successors, *others), self._feed(copied.feed, schema, self._zone))

    def unite(self, bins: Sequence[CompactionGroup], schema: StructType) -> Staged:
        """Writes one file for each bin by Arrow, which is its `origin`. Raises what reading the files raises."""
        at_once = files_at_once(self._session, max((item.size for item in bins), default=0), MOST_FILES)
        written = united_files(self._store, bins, self._new_directory(), schema, at_once, self._shape)
        return Staged(tuple(self._successors(written, schema)))

    def _successors(self, written: Successors, schema: StructType) -> list[StagedFile]:
        """Partition values are as they are spelled in the log."""
        files = self._staged([file for _, file in written], schema, "UTC", ())
        return [
            replace(file, add=replace(file.add, partition_values=rows.partition_values), origin=rows.origin)
            for file, (rows, _) in zip(files, written, strict=True)
        ]

    @property
    def may_splice(self) -> bool:
        """Whether a new file may hold what was written into another one, under properties of the table that were others
        then: readers of Iceberg are promised that nothing is older than these.
        """
        return not compat_tags(self._configuration)

    @property
    def _indexed(self) -> Mapping[str, str]:
        """The table's properties as they count for the statistics of new files."""
        if COLLECT_STATISTICS.value(self._session.session_value(COLLECT_STATISTICS.name)):
            return self._configuration
        others = {key: value for key, value in self._configuration.items() if key != STATS_COLUMNS.name}
        return {**others, INDEXED_COLUMNS.name: "0"}

    @property
    def _zone(self) -> str:
        """The zone in which partitions' timestamps are written."""
        return self._session.current_value("spark.sql.session.timeZone") or "UTC"

    def _feed(self, files: Sequence[WrittenFile], schema: StructType, zone: str) -> tuple[AddCDCFile, ...]:
        return tuple(
            AddCDCFile(item.add.path, item.add.partition_values, item.add.size)
            for item in self._staged(files, schema, zone, ())
        )

    def _new_directory(self, *, changes: bool = False) -> str:
        directory = uuid4().hex
        self._directories += [directory, f"{CHANGE_DATA}/{directory}"] if changes else [directory]
        return directory

    def _refuse_voids_alone(self, schema: StructType) -> None:
        """Raises NothingToHoldError: a file without columns has no rows, which would be lost without a word."""
        stored = [item for item in schema if self.stores_partitions or item.name not in self._partitions]
        if stored and all(item.type == VOID for item in stored):
            raise NothingToHoldError(", ".join(quote_name(item.name) for item in stored))

    def write_literals(self, rows: Literals) -> Staged:
        """Writes rows that are known already, without Spark. Raises NothingToHoldError."""
        return self._written(write_literals, rows)

    def write_memory_rows(self, rows: MemoryRows) -> Staged:
        """Writes rows that the caller has in memory, without Spark. Raises NothingToHoldError."""
        return self._written(write_memory_rows, rows)

    def _written(self, write: Callable[..., Sequence[WrittenFile]], rows: Literals | MemoryRows) -> Staged:
        self._refuse_voids_alone(rows.schema)
        written = write(
            self._store,
            self._new_directory(),
            rows,
            self._partitions,
            stores_partitions=self.stores_partitions,
            shape=self._shape,
        )
        return Staged(tuple(self._staged(written, rows.schema, "UTC", ())))

    def write_pieces(self, pieces: Iterable[Piece], schema: StructType) -> Staged:
        """Writes rows while they are read: see `streamed_files`. Only for tables without partitions.

        Raises NothingToHoldError.
        """
        self._refuse_voids_alone(schema)
        names = [physical_name(item) for item in schema]
        stored = (piece.mapped(lambda rows: rows.rename_columns(names)) for piece in pieces)
        written = write_pieces(self._store, self._new_directory(), stored, schema, self._shape)
        return Staged(tuple(self._staged(written, schema, "UTC", ())))

    def _staged(
        self,
        written: Sequence[WrittenFile],
        schema: StructType,
        zone: str,
        unindexed: Sequence[str],
    ) -> list[StagedFile]:
        directories = dict.fromkeys(_statement_directory(item.path) for item in written)
        self._filled += [directory for directory in directories if directory not in self._filled]
        return staged_files(
            self._root,
            written,
            schema,
            self._partitions,
            self._indexed,
            timezone=zone,
            unindexed=unindexed,
        )

    def nothing(self) -> Staged:
        """The outcome of writing no row."""
        return Staged(())

    def retain_origins(self, staged: Staged, origins: Collection[str]) -> Staged:
        """`staged` without the files whose origin is not in `origins`; rows without an origin stay."""
        files = tuple(item for item in staged.files if item.origin is None or item.origin in origins)
        self._store.delete_all([decode_path(item.add.path) for item in staged.files if item not in files])
        return replace(staged, files=files)

    def also(self, path: str) -> None:
        """Counts a file of the table, written by another writer, as staged."""
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


def _statement_directory(path: PurePosixPath) -> str:
    """The directory of one statement that a path is in."""
    return "/".join(path.parts[: 2 if path.parts[0] == CHANGE_DATA else 1])
