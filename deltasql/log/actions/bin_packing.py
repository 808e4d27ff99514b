"""Files into bins, each of which becomes one file or a few. Columnar: a table may have a million files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from deltasql.base import np, pa, pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def partition_numbers(files: pa.Table) -> Numbers:
    """A number for each file: equal for files of one partition. Values are compared as the log spells them."""
    values = files.column("partitionValues")
    columns: list[Any] = []
    for index in range(values.type.num_fields):
        texts = pc.struct_field(values, [index]).cast(pa.string())
        columns.append(numbers_of(texts))
    return joined_numbers(columns, files.num_rows)


def numbers_of(texts: pa.ChunkedArray) -> Numbers:
    """An integer for each text, equal for equal texts, -1 for null."""
    encoded = pa.chunked_array(texts.chunks, texts.type).combine_chunks().dictionary_encode()
    return np.asarray(pc.fill_null(encoded.indices, -1), np.int64)


def joined_numbers(columns: Sequence[Numbers], rows: int) -> Numbers:
    """An integer for each row of some integer columns, equal where all the columns are."""
    if not columns or rows == 0:
        return np.zeros(rows, np.int64)
    _, numbers = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def alike(numbers: Numbers) -> Numbers:
    """For each row, how many rows have its number."""
    return np.bincount(numbers)[numbers]


def first_rows(numbers: Numbers) -> list[tuple[int, int]]:
    """The distinct numbers, and for each the first row that has it."""
    bins, rows = np.unique(numbers, return_index=True)
    return list(zip(bins.tolist(), rows.tolist(), strict=True))


def rows_with(numbers: Numbers, bins: Collection[int]) -> Numbers:
    """The rows whose number is one of the wanted ones."""
    return np.flatnonzero(np.isin(numbers, np.array(list(bins), np.int64)))


def bin_sizes(files: pa.Table, bins: pa.Array) -> list[int]:
    """The bytes of the files in each bin."""
    if files.num_rows == 0:
        return []
    return [int(size) for size in np.bincount(bins.to_numpy(), weights=files.column("size").to_numpy())]


def packed(files: pa.Table, groups: Numbers, limit: int, *, singles: bool) -> tuple[pa.Table, pa.Array]:
    """`files` in the order of their bins, in each as in the log, and the number of each one's bin.

    A bin holds files of one group, small ones first, up to `limit` bytes together. A file that would be alone in its
    bin is left out unless `singles`.
    """
    sizes = files.column("size").to_numpy()
    order = np.lexsort((sizes, groups))
    bins = np.empty(files.num_rows, np.int64)
    bins[order] = _filled(groups[order].tolist(), sizes[order].tolist(), limit)
    if not singles and files.num_rows:
        rows = np.flatnonzero(np.bincount(bins)[bins] > 1)
        files, bins = files.take(rows), bins[rows]
    return in_order(files, bins)


def in_order(files: pa.Table, bins: Numbers) -> tuple[pa.Table, pa.Array]:
    """`files` in the order of their bins, in each as in the log, and the bins' numbers without gaps from 0."""
    _, numbers = np.unique(bins, return_inverse=True)
    numbers = numbers.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    return files.take(order), pa.array(numbers[order], pa.int32())


def _filled(groups: list[int], sizes: list[int], limit: int) -> list[int]:
    """The bin of each file in turn: the last one, or a new one where that is full or of another group."""
    bins: list[int] = []
    number, filled, last = -1, 0, None
    for group, size in zip(groups, sizes, strict=True):
        if group != last or filled + size > limit:
            number, filled, last = number + 1, 0, group
        filled += size
        bins.append(number)
    return bins
