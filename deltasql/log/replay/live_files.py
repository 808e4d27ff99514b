"""The files of one version: the checkpoint's add actions that no newer action hides, then those of the commits since.

Files are numbered from 0 in this order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltasql.log.actions.file_tables import (
    ADD,
    REMOVE,
    action_keys,
    encoded_partitions,
    file_locations,
    no_columns,
    with_field_names,
    without_rows,
)
from deltasql.log.replay.checkpoint import (
    Checkpoint,
    FieldPath,
    StatisticsKey,
    StatisticsReader,
    take_rows,
    take_values,
)
from deltasql.log.replay.checksum import LogTail, hidden_rows, rows_of_paths, tail_adds, tail_removes
from deltasql.schema import strings

_STREAMED = 1 << 16


class LiveFiles:
    """The live files of one version. Columns are kept once they are read, mostly as views of the checkpoint's own.

    `partitions` are the keys of partition values, each with the name of its column. Whatever reads the checkpoint
    raises InvalidCheckpointError.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        tail: LogTail,
        root: str,
        table: str,
        partitions: Collection[tuple[str, str]],
    ) -> None:
        self._checkpoint, self._tail = checkpoint, tail
        self._root, self._table = root, table
        self._keys = [key for key, _ in partitions]
        self._names = [name for _, name in partitions]
        self._columns: dict[str, pa.ChunkedArray] = {}

    def __len__(self) -> int:
        return len(self.column("partitionValues"))

    def table(self, columns: Sequence[str], rows: np.ndarray | None = None) -> pa.Table:
        """Columns of all files, or of those with the sorted numbers `rows`; for their shape see `Snapshot.files`."""
        if rows is None or 2 * len(rows) > len(self):
            table = pa.table({name: self.column(name) for name in columns})
            return table if rows is None or len(rows) == table.num_rows else take_rows(table, rows)
        return self._table_at(columns, rows)

    def _table_at(self, columns: Sequence[str], rows: np.ndarray) -> pa.Table:
        """Columns of few files: of a checkpoint, only row groups that hold one of them are read."""
        raw = {"path" if name == "location" else name for name in columns if name != "partitionValues"}
        read = self._raw_at(sorted(raw), rows)
        by_name = {name: read[name] for name in raw}
        if "partitionValues" in columns:
            by_name["partitionValues"] = take_values(self.column("partitionValues"), rows)
        if "location" in columns:
            by_name["location"] = file_locations(by_name["path"], self._root)
        return pa.table({name: by_name[name] for name in columns})

    def column(self, name: str) -> pa.ChunkedArray:
        if name == "partitionValues":
            return self._partition_values
        if name == "location":
            return self._locations
        return self.raw_column(name)

    def raw_column(self, name: str) -> pa.ChunkedArray:
        """A column of `file_tables.ADD`, maps left as maps."""
        if name not in self._columns:
            self._columns[name] = self._read_column(name)
        return self._columns[name]

    def raw_table(self, columns: Sequence[str]) -> pa.Table:
        """Columns of `file_tables.ADD`, maps left as maps; those of a checkpoint are read side by side."""
        missing = [name for name in columns if name not in self._columns]
        if self._checkpoint is not None and len(missing) > 1:
            self.raw_column(missing.pop(0))  # Finds which rows count, once for all columns.
            with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
                # The statistics are most of it.
                read = threads.map(self._read_column, reversed(missing))
                self._columns |= dict(zip(reversed(missing), read, strict=True))
        return pa.table({name: self.raw_column(name) for name in columns})

    def count(self) -> int:
        """How many files there are, from the footers of the checkpoint."""
        older = 0 if self._checkpoint is None else self._checkpoint.size() - len(self._hidden)
        return older + int(self._newer.num_rows)

    def raw_batches(self, columns: Sequence[str], rows: int = _STREAMED) -> Iterator[pa.Table]:
        """Columns of `file_tables.ADD` in log order, in pieces of about `rows` files that are not cached."""
        if self._checkpoint is not None:
            start = 0
            for batch in self._checkpoint.batches(columns, rows):
                first, last = np.searchsorted(self._hidden, (start, start + batch.num_rows))
                yield without_rows(batch, self._hidden[first:last] - start)
                start += batch.num_rows
        yield self._newer.select(columns)

    def statistics(
        self,
        keys: Sequence[StatisticsKey],
        leaves: Callable[[StatisticsKey], Collection[FieldPath]],
        read: StatisticsReader[StatisticsKey],
    ) -> list[pa.ChunkedArray]:
        """An array per key that `read` makes of the files' statistics: see `Checkpoint.statistics`."""
        names = [str(number) for number in range(len(keys))]
        stats = self._newer["stats"].combine_chunks()
        parts = [pa.table(read(stats, keys), names=names)]
        if self._checkpoint is not None:
            older = pa.table(self._checkpoint.statistics(keys, leaves, read), names=names)
            parts.insert(0, without_rows(older, self._hidden))
        columns: list[pa.ChunkedArray] = pa.concat_tables(parts).columns
        return columns

    def with_paths(self, paths: Iterable[str]) -> pa.Table:
        """The add actions of the files with these paths. Of a checkpoint, first the paths are read alone."""
        requested = set(paths)
        newer = self._newer.filter(pc.is_in(self._newer["path"], value_set=strings(sorted(requested))))
        if self._checkpoint is None:
            return newer
        hits = rows_of_paths(self._checkpoint, requested)
        rows = np.setdiff1d(hits, self._hidden, assume_unique=True)
        return pa.concat_tables([self._checkpoint.adds_at(rows, ADD.names), newer])

    def tombstones(self) -> pa.Table:
        """The removed files, as `file_tables.REMOVE`."""
        newer = tail_removes(self._tail, self._table)
        if self._checkpoint is None:
            return newer
        older = self._checkpoint.removes(REMOVE.names)
        later = (self._tail.live, self._tail.removed)
        replaced = [row for row, key in enumerate(action_keys(older, self._root)) if any(key in item for item in later)]
        return pa.concat_tables([without_rows(older, np.array(replaced, np.int64)), newer])

    def _read_column(self, name: str) -> pa.ChunkedArray:
        newer = self._newer.select([name])
        if self._checkpoint is None:
            return newer[name]
        return pa.concat_tables([without_rows(self._checkpoint.adds([name]), self._hidden), newer])[name]

    def _raw_at(self, columns: Sequence[str], rows: np.ndarray) -> pa.Table:
        newer = self._newer.select(columns)
        first = len(self) - newer.num_rows
        parts = [take_rows(newer, rows[rows >= first] - first)]
        if self._checkpoint is not None:
            older = rows[rows < first]
            # Each hidden row moves all that follow by one.
            moved = np.searchsorted(self._hidden - np.arange(len(self._hidden)), older, side="right")
            parts.insert(0, self._checkpoint.adds_at(older + moved, columns))
        return pa.concat_tables(parts)

    @cached_property
    def _locations(self) -> pa.ChunkedArray:
        return file_locations(self.raw_column("path"), self._root)

    @cached_property
    def _partition_values(self) -> pa.ChunkedArray:
        newer = self._newer
        tail = encoded_partitions([newer["partitionValues"]], self._keys) if self._keys else no_columns(len(newer))
        parts = [pa.table([tail], names=["values"])]
        if self._checkpoint is not None:
            older = pa.table([self._checkpoint.partitions(self._keys)], names=["values"])
            parts.insert(0, without_rows(older, self._hidden))
        return with_field_names(pa.concat_tables(parts)["values"], self._names)

    @cached_property
    def _newer(self) -> pa.Table:
        """The add actions after the checkpoint."""
        return tail_adds(self._tail, self._table)

    @cached_property
    def _hidden(self) -> np.ndarray:
        """The numbers of the checkpoint's add actions that newer ones hide."""
        assert self._checkpoint is not None
        return hidden_rows(self._checkpoint, self._tail, self._root)
