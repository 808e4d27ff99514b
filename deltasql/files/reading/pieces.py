"""Parts of data files that are read independently of one another, ahead of their use and in bounded memory.

How many rows data files have: from the statistics in the log, else from their footers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from deltasql.base.lazy import pa, pq
from deltasql.files.inspection import footer
from deltasql.files.threads import awaited, working
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.record_count import deleted_counts, live_rows, record_count
from deltasql.log.storage.locations import absolute
from deltasql.log.storage.stores import Stores

Result = TypeVar("Result")

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
"""Cores that this process may use."""
PIECE_BYTES = 16 << 20
"""In Parquet: adjacent row groups are read together up to this size. Of less, Arrow's calls cost more than the rows."""
_THREADS = 8
_AHEAD_BYTES = 64 << 20
"""In Parquet: pieces up to this size in sum are read ahead, more than CORES of them only below it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its size in bytes of Parquet, at least one, and a function that reads its rows.

    Pieces may be read by several threads at once.
    """

    size: int
    read: Callable[[], pa.Table]

    def mapped(self, change: Callable[[pa.Table], pa.Table]) -> Piece:
        """The piece with `change` applied to its rows, by the thread that reads it."""
        return Piece(self.size, lambda: change(self.read()))


def in_memory(rows: pa.Table) -> Piece:
    """Rows that have been read, as a piece: in Parquet they take about a quarter of their memory."""
    return Piece(rows.nbytes // 4 + 1, lambda: rows)


def tables_of(pieces: Iterable[Piece]) -> Iterator[pa.Table]:
    """The rows of each piece, in the order of the pieces, which are read ahead. Ctrl-C waits for no file."""
    with working(_THREADS) as threads:
        yield from ordered(threads, ((piece.size, piece.read) for piece in pieces))


def ordered(threads: ThreadPoolExecutor, tasks: Iterable[tuple[int, Callable[[], Result]]]) -> Iterator[Result]:
    """The results of tasks, in their order; each task comes with the size in bytes of Parquet that it reads.

    Tasks are begun ahead of their use: as many as there are cores, and more if they read little.
    """
    waiting, ahead = deque[tuple[int, Future[Result]]](), 0
    for size, task in tasks:
        while len(waiting) >= CORES and ahead + size > _AHEAD_BYTES:
            done, future = waiting.popleft()
            ahead -= done
            yield awaited(future)
        waiting.append((size, threads.submit(task)))
        ahead += size
    while waiting:
        yield awaited(waiting.popleft()[1])


def group_sizes(footer: pq.FileMetaData) -> list[int]:
    """The number of rows of each row group."""
    return [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]


def group_ranges(sizes: Iterable[int]) -> list[tuple[int, int, int]]:
    """Tuples (number, first row index, row index after the last) of row groups with these numbers of rows."""
    ends = list(accumulate(sizes))
    return list(zip(range(len(ends)), [0, *ends], ends, strict=False))


def groups_together(
    footer: pq.FileMetaData, groups: Iterable[tuple[int, int, int]], size: int
) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Lists of adjacent row groups of at least PIECE_BYTES bytes each, after their size; see `group_ranges`.

    `size` is that of the file. A row group is taken to have its share of the rows, since Arrow aborts the process for
    some damaged column chunks.
    """
    bytes_of_row = size / max(1, footer.num_rows)
    rows, some = 0, list[tuple[int, int, int]]()
    for group in groups:
        if some and (rows * bytes_of_row >= PIECE_BYTES or some[-1][2] != group[1]):
            yield int(rows * bytes_of_row) + 1, some
            rows, some = 0, []
        rows += group[2] - group[1]
        some.append(group)
    if some:
        yield int(rows * bytes_of_row) + 1, some


def row_count(stores: Stores, add: AddFile, root: str) -> int:
    """Rows in a data file, deleted ones too: from the log's statistics, else from the file's footer."""
    rows = record_count(add.stats)
    return footer(stores, absolute(add.path, root)).num_rows if rows is None else rows


def count_live_rows(stores: Stores, files: pa.Table) -> int:
    """Live rows in some data files of the table: from the log's statistics, else from the files' footers."""
    counts = zip(files.column("location").to_pylist(), live_rows(files), deleted_counts(files), strict=True)
    return sum(footer(stores, path).num_rows - gone if rows is None else rows for path, rows, gone in counts)
