"""Reads a checkpoint as Arrow tables: only the row groups and columns requested.

Classic files, multi-part ones, and V2 ones with their sidecars. Source: Delta protocol, Checkpoints.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias, TypeVar

from deltasql.base.errors.log import InvalidCheckpointError, InvalidLogJsonError, StorageError, StorageUnavailableError
from deltasql.base.lazy import np, pa, pq
from deltasql.log.actions.action_fields import parse_line
from deltasql.log.actions.actions import Json
from deltasql.log.replay.checkpoint_file import (
    SMALL_BATCH,
    OpenFile,
    action_batches,
    action_rows,
    checked_footer,
    group_size,
    rare_actions,
    row_groups,
    rows_at,
    statistics,
    take_values,
)
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import LOG, decode_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.row_groups import Footer

# Columns above this size are not cached.
_CACHED_BYTES = 512 << 20

# Remote files up to this size are fetched as a whole: a request takes as long as the transfer of so many bytes.
_FETCHED_WHOLE = 1 << 20
_CACHED_STATISTICS_BYTES = 256 << 20
_MOST_PICKED = 1 << 16
# From this number of files on, they are read by several threads.
_SOME = 2
_BUFFER = 1 << 20


StatisticsKey = TypeVar("StatisticsKey", bound=Hashable)
_T = TypeVar("_T")
Key_contra = TypeVar("Key_contra", bound=Hashable, contravariant=True)
FieldPath: TypeAlias = "tuple[str, ...]"


class StatisticsReader(Protocol[Key_contra]):
    """Computes from the statistics of files one array per key, with a value per file: see `Checkpoint.statistics`."""

    def __call__(self, stats: pa.Array, keys: Sequence[Key_contra], /) -> list[pa.Array]: ...


class Checkpoint:
    """One complete checkpoint, opened at the first use. Safe to share between snapshots.

    Every method raises InvalidCheckpointError if a file of it is missing or damaged.
    """

    def __init__(self, store: LogStore, table: str, files: CheckpointFiles) -> None:
        self.files = files
        self._store = store
        self._table = table
        # Remote ranges are fetched side by side; of a local file that would only be a copy.
        self._local = isinstance(store, LocalLogStore)
        self._columns: dict[tuple[str, str], pa.ChunkedArray] = {}
        self._statistics: dict[Hashable, pa.ChunkedArray] = {}
        self._partitions: dict[tuple[str, ...], pa.StructArray] = {}
        self._footers: dict[str, Footer] = {}
        self._whole: dict[str, pa.Buffer] = {}
        self._picked: tuple[np.ndarray, pa.Table] | None = None

    def actions(self, kind: str) -> list[Json]:
        """All actions of a kind that is no file action, as JSON objects."""
        if self._json is not None:
            return [line[kind] for line in self._json if line.get(kind) is not None]
        actions: list[Json] = []
        for path in self.files.paths:
            actions.extend(self._guarded(path, lambda file: rare_actions(file, kind)))
        return actions

    def adds(self, columns: Sequence[str]) -> pa.Table:
        """The add actions in file order, with these columns of `file_tables.ADD`; missing ones are null."""
        from deltasql.log.actions.file_tables import ADD

        return self._file_actions("add", columns, ADD)

    def batches(self, columns: Sequence[str], rows: int = SMALL_BATCH) -> Iterator[pa.Table]:
        """The add actions in file order, with these columns of `file_tables.ADD`, as tables that are not cached.

        A table that is read from a file has `rows` rows at most.
        """
        from deltasql.log.actions.file_tables import ADD, from_actions

        if all(("add", name) in self._columns for name in columns):
            yield self.adds(columns)
            return
        schema = pa.schema([ADD.field(name) for name in columns])
        for path in self._sources:
            with self._opened(path) as file:
                yield from action_batches(file, "add", schema, rows)
        if self._json is not None:
            yield from_actions(self.actions("add"), schema)

    def adds_at(self, rows: np.ndarray, columns: Sequence[str]) -> pa.Table:
        """The add actions at the sorted row indices `rows`; only row groups with one of them are read.

        The last result is cached: a statement that is repeated, or needs fewer rows, reads nothing.
        """
        from deltasql.log.actions.file_tables import ADD

        schema = pa.schema([ADD.field(name) for name in columns])
        picked = self._picked_before(rows, columns)
        if picked is not None:
            return picked
        cached = self._cached_at(rows, columns)
        missing = [field for field in schema if field.name not in cached]
        read = self._read_at(rows, pa.schema(missing)) if missing else {}
        picked = pa.table([cached[name] if name in cached else read[name] for name in columns], schema=schema)
        if missing and len(rows) <= _MOST_PICKED:
            self._picked = (rows, picked)
        return picked

    def _cached_at(self, rows: np.ndarray, columns: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """Values at `rows` of those columns that are cached as a whole."""
        cached = [name for name in columns if ("add", name) in self._columns]
        return {name: take_values(self._columns["add", name], rows) for name in cached}

    def _picked_before(self, rows: np.ndarray, columns: Sequence[str]) -> pa.Table | None:
        """The result of `adds_at` from the cached last one; None if that lacks a row or a column."""
        from deltasql.schema.arrow_values import integers

        if self._picked is None or not set(columns) <= set(self._picked[1].column_names):
            return None
        picked_rows, table = self._picked
        indexes = np.searchsorted(picked_rows, rows)
        if len(rows) and (indexes[-1] >= len(picked_rows) or not np.array_equal(picked_rows[indexes], rows)):
            return None
        return table.select(columns).take(integers(indexes))

    def partitions(self, keys: Sequence[str]) -> pa.StructArray:
        """The adds' partition values: a dictionary-encoded string per key, null where it is empty or missing."""
        from deltasql.log.actions.file_tables import no_columns

        cached = self._partitions.get(tuple(keys))
        if cached is None:
            cached = self._partitions[tuple(keys)] = self._encoded(keys) if keys else no_columns(self.size())
        return cached

    def _encoded(self, keys: Sequence[str]) -> pa.StructArray:
        """The partition values, read from the files of the checkpoint in parallel."""
        from deltasql.log.actions.file_tables import ADD, encoded_partitions, joined_partitions

        name = "partitionValues"
        if ("add", name) in self._columns or (self._json is not None and not self._sources):
            return encoded_partitions((batch[name] for batch in self.batches((name,))), keys)
        schema = pa.schema([ADD.field(name)])

        def encoded(path: str) -> pa.StructArray:
            with self._opened(path) as file:
                return encoded_partitions((batch[name] for batch in action_batches(file, "add", schema)), keys)

        parts = self._of_each_source(encoded)
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            parts.append(encoded_partitions([from_actions(self.actions("add"), schema)[name]], keys))
        return joined_partitions(parts, keys)

    def _of_each_source(self, read: Callable[[str], _T]) -> list[_T]:
        """The results of `read` for the Parquet files, in file order; several are read in parallel."""
        sources = self._sources
        if len(sources) < _SOME:
            return [read(path) for path in sources]
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            return list(threads.map(read, sources))

    def statistics(
        self,
        keys: Sequence[StatisticsKey],
        leaves: Callable[[StatisticsKey], Collection[FieldPath]],
        read: StatisticsReader[StatisticsKey],
    ) -> list[pa.ChunkedArray]:
        """For each of `keys` the values that `read` computes from the adds' statistics, in file order; cached.

        `read` gets the statistics in batches, some in other threads, with the fields that `leaves` names: as structs
        where the checkpoint has them typed, else as JSON texts. It must return an array per key, and must not raise.
        """
        missing = [key for key in keys if key not in self._statistics]
        if missing:
            fields = {leaf for key in missing for leaf in leaves(key)}
            with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
                parts = list(
                    threads.map(lambda group: self._group_statistics(group, fields, missing, read), self._groups)
                )
            if self._json is not None:
                from deltasql.log.actions.file_tables import ADD, from_actions

                texts = from_actions(self.actions("add"), pa.schema([ADD.field("stats")]))["stats"]
                parts.append(read(texts.combine_chunks(), missing))
            parts = parts or [read(pa.nulls(0, pa.string()), missing)]
            for key, pieces in zip(missing, zip(*parts, strict=True), strict=True):
                self._statistics[key] = pa.chunked_array(pieces)
        statistics = [self._statistics[key] for key in keys]
        self._forget_statistics(keys)
        return statistics

    def _group_statistics(
        self,
        file_group: tuple[str, int],
        fields: Collection[FieldPath],
        keys: Sequence[StatisticsKey],
        read: StatisticsReader[StatisticsKey],
    ) -> list[pa.Array]:
        path, group = file_group
        with self._opened(path) as file:
            parts = [read(batch, keys) for batch in statistics(file, group, fields)]
        parts = parts or [read(pa.nulls(0, pa.string()), keys)]
        return [pa.concat_arrays(pieces) for pieces in zip(*parts, strict=True)]

    def _forget_statistics(self, used: Sequence[Hashable]) -> None:
        """Evicts the least recently used statistics above `_CACHED_STATISTICS_BYTES` bytes, except those of `used`."""
        for key in used:
            self._statistics[key] = self._statistics.pop(key)
        sizes = {key: column.nbytes for key, column in self._statistics.items()}
        for key in list(self._statistics)[: -len(used)]:
            if sum(sizes.values()) > _CACHED_STATISTICS_BYTES:
                del self._statistics[key], sizes[key]

    @cached_property
    def _groups(self) -> list[tuple[str, int]]:
        """The row groups that hold adds, with their files."""
        groups: list[tuple[str, int]] = []
        for path in self._sources:
            with self._opened(path) as file:
                groups.extend((path, group) for group in row_groups(file, "add"))
        return groups

    def size(self) -> int:
        """The number of adds, from the footers."""
        size = len(self.actions("add")) if self._json is not None else 0
        for path in self._sources:
            with self._opened(path) as file:
                size += sum(group_size(file, group) for group in row_groups(file, "add"))
        return size

    def removes(self, columns: Sequence[str]) -> pa.Table:
        """The tombstones, with these columns of `file_tables.REMOVE`."""
        from deltasql.log.actions.file_tables import REMOVE

        return self._file_actions("remove", columns, REMOVE)

    @cached_property
    def _json(self) -> list[Json] | None:
        """The lines of a V2 checkpoint in JSON, None for Parquet."""
        path = self.files.paths[0]
        if not path.endswith(".json"):
            return None
        try:
            lines = self._store.read(path).splitlines()
            return [parse_line(line, number, path, self._table) for number, line in enumerate(lines, 1)]
        except InvalidLogJsonError as error:
            raise InvalidCheckpointError(self._table, path, f"line {error.line}: {error.reason}") from error
        except FileNotFoundError as error:
            raise InvalidCheckpointError(self._table, path, "the file is missing") from error
        except StorageError as error:
            raise InvalidCheckpointError(self._table, path, str(error)) from error

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        """The Parquet files that hold file actions."""
        paths = () if self._json is not None else self.files.paths
        sidecars = self.actions("sidecar")
        if not all(sidecar.get("path") for sidecar in sidecars):
            raise InvalidCheckpointError(self._table, self.files.paths[0], "a sidecar has no path")
        return (*paths, *(sidecar_path(sidecar["path"]) for sidecar in sidecars))

    def _file_actions(self, kind: str, columns: Sequence[str], schema: pa.Schema) -> pa.Table:
        missing = [name for name in columns if (kind, name) not in self._columns]
        read = self._read(kind, missing, schema) if missing else None
        arrays = []
        for name in columns:
            array = self._columns.get((kind, name))
            if array is None:
                assert read is not None
                array = read[name]
                if array.nbytes <= _CACHED_BYTES:
                    self._columns[kind, name] = array
            arrays.append(array)
        return pa.table(arrays, schema=pa.schema([schema.field(name) for name in columns]))

    def _read(self, kind: str, columns: Sequence[str], schema: pa.Schema) -> pa.Table:
        from deltasql.schema.arrow_values import no_rows

        fields = pa.schema([schema.field(name) for name in columns])
        tables = self._of_each_source(lambda path: self._guarded(path, lambda file: action_rows(file, kind, fields)))
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            tables.append(from_actions(self.actions(kind), fields))
        return pa.concat_tables(tables) if tables else no_rows(fields)

    def _read_at(self, rows: np.ndarray, schema: pa.Schema) -> pa.Table:
        tables, start = [], 0
        for path in self._sources:
            table, start = self._guarded(path, partial(rows_at, schema=schema, indexes=rows, start=start))
            tables.append(table)
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            actions = self.actions("add")
            rows_of_file = rows[rows >= start] - start
            tables.append(from_actions([actions[int(row)] for row in rows_of_file], schema))
        return pa.concat_tables(tables)

    def _guarded(self, path: str, read: Callable[[OpenFile], Any]) -> Any:
        with self._opened(path) as file:
            return read(file)

    @contextmanager
    def _opened(self, path: str) -> Iterator[OpenFile]:
        # A whole column chunk of a local file, compressed, would otherwise be in memory at once.
        buffer = _BUFFER if self._local else 0
        try:
            source = self._source(path)
            with pq.ParquetFile(
                source,
                pre_buffer=not self._local,
                buffer_size=buffer,
                # As nanoseconds the years before 1677 would come out as others.
                coerce_int96_timestamp_unit="us",
            ) as file:
                if path not in self._footers:
                    self._footers[path] = checked_footer(file, source)
                yield OpenFile(file, self._footers[path])
        except FileNotFoundError as error:
            raise InvalidCheckpointError(self._table, path, "the file is missing") from error
        except StorageUnavailableError:
            raise
        except (pa.ArrowException, *_DAMAGE, StorageError) as error:
            raise InvalidCheckpointError(self._table, path, str(error).rstrip(".")) from error

    def _source(self, path: str) -> pa.NativeFile:
        """The open file at `path`; a small one in remote storage is fetched once as a whole, and cached."""
        if path in self._whole:
            return pa.BufferReader(self._whole[path])
        source = self._store.open_input(path)
        if self._local or source.size() > _FETCHED_WHOLE:
            return source
        self._whole[path] = source.read_buffer()
        source.close()
        return pa.BufferReader(self._whole[path])


# What pyarrow, and the code that relies on what a schema says, makes of damaged files.
_DAMAGE = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError,
)  # fmt: skip


def sidecar_path(path: str) -> str:
    """The path below the table's location of the sidecar that a checkpoint lists as `path`."""
    return f"{LOG}/_sidecars/{decode_path(path).rpartition('/')[2]}"
