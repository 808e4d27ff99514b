"""The files that may contain a row for which a predicate is TRUE, by partition values and statistics.

A file is excluded only if it certainly contains none. Source: Delta protocol, Per-file Statistics and Partition Value
Serialization.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from deltasql.base.lazy import np, pa
from deltasql.log.actions.record_count import live_rows
from deltasql.log.skipping.bounds_conditions import depends_on_nan, may_match
from deltasql.log.skipping.column_bounds import Bounds, bounds_of, parse_statistics, read_bounds, statistics_of
from deltasql.log.skipping.conditions import BoundedColumn, Condition, Leaf, Unknown, leaves
from deltasql.log.skipping.file_masks import file_mask, filtered, first_numbers, rows_of
from deltasql.log.skipping.partition_conditions import Partitions
from deltasql.log.skipping.predicates import condition
from deltasql.schema.types import StructType
from deltasql.sql.references import column_references, has_subquery, is_deterministic

if TYPE_CHECKING:
    from deltasql.log.replay.live_files import LiveFiles
    from deltasql.log.skipping.file_masks import FileMask

    NanCheck: TypeAlias = Callable[[Sequence[str]], Sequence[bool]]
    """Says of the locations of files whether a file with NaN has no upper bound of floats, or NaN as such."""

# So few files that their statistics are no work; of more, bounds are kept for the next statement.
_FEW = 4096
# Of no more files than this it is looked up whether their upper bounds of floats leave out NaN.
_MOST_LOOKED_AT = 1024
# Of so many files the rows are looked up first where a LIMIT asks for few.
_FIRST = 64


def prune(
    files: pa.Table,
    predicate: str | None,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    *,
    timezone: str | None = None,
    ignores_nan: bool = True,
) -> pa.Table:
    """The files that may hold a row for which `predicate` is TRUE, in the same order.

    `files` has the columns `partitionValues` (struct of strings) and `stats` (JSON) of `Snapshot.files()`. `alias` may
    qualify columns. Without the session's `timezone`, timestamps that name no zone drop no file.
    `ignores_nan`: upper bounds of floats may leave out NaN.
    """
    if predicate is None or files.num_rows == 0:
        return files
    selection = condition(predicate, schema, partition_columns, alias, timezone)
    files = filtered(files, file_mask(selection, Partitions(files, timezone).mask))
    columns = _bounded(selection)
    if not columns or files.num_rows == 0:
        return files
    bounds = read_bounds(files["stats"], columns)
    return filtered(files, _by_bounds(selection, files, bounds, timezone, ignores_nan=ignores_nan))


def skip_files(
    files: LiveFiles,
    selection: Condition | None,
    columns: Sequence[str],
    timezone: str | None = None,
    *,
    by_statistics: bool = True,
    count_nan: NanCheck | None = None,
) -> tuple[pa.Table, int]:
    """The files that may hold a row for which `selection` is TRUE, with these columns of theirs; and how many all are.

    Partition values of all files are looked at first, then the statistics of those that are left, then the columns.
    Without `by_statistics` statistics are not. Upper bounds of floats drop a
    file only if `count_nan` says that its writer takes NaN for the greatest value.
    """
    if selection is None:
        table = files.table(columns)
        return table, table.num_rows
    values = files.table(("partitionValues",))
    keep = file_mask(selection, Partitions(values, timezone).mask)
    bounded = _bounded(selection) if by_statistics else ()
    rows, total = rows_of(keep), values.num_rows
    left = total if rows is None else len(rows)
    if not bounded or left == 0:
        return files.table(columns, rows), total

    def locations(at: np.ndarray) -> pa.ChunkedArray:
        return files.table(("location",), at if rows is None or is_many else rows[at])["location"]

    is_many = left > max(_FEW, total // 8)
    if not is_many:
        table = files.table(tuple(dict.fromkeys((*columns, "partitionValues", "stats"))), rows)
        bounds = read_bounds(table["stats"], bounded)
        keep = _by_sure_bounds(selection, table, bounds, timezone, count_nan, locations)
        return filtered(table.select(columns), keep), total
    bounds = bounds_of(bounded, files.statistics(bounded, statistics_of, parse_statistics))
    keep = _by_sure_bounds(selection, values, bounds, timezone, count_nan, locations)
    return files.table(columns, rows_of(keep)), total


def _by_sure_bounds(
    selection: Condition,
    files: pa.Table,
    bounds: Mapping[BoundedColumn, Bounds],
    timezone: str | None,
    count_nan: NanCheck | None,
    locations: Callable[[np.ndarray], pa.ChunkedArray],
) -> FileMask:
    """As `_by_bounds`, and without the files that upper bounds of floats rule out and `count_nan` vouches for."""
    keep = _by_bounds(selection, files, bounds, timezone)
    if count_nan is None or keep is False or not any(map(depends_on_nan, leaves(selection))):
        return keep
    kept, sure = (
        np.full(files.num_rows, fill_value=mask) if isinstance(mask, bool) else mask.to_numpy()
        for mask in (keep, _by_bounds(selection, files, bounds, timezone, ignores_nan=False))
    )
    doubtful = np.flatnonzero(kept & ~sure)
    if not 0 < len(doubtful) <= _MOST_LOOKED_AT:
        return keep
    kept = kept.copy()
    kept[doubtful] = ~np.array(count_nan(locations(doubtful).to_pylist()))
    return pa.array(kept)


def _bounded(selection: Condition) -> list[BoundedColumn]:
    """The data columns whose statistics say something about a condition."""
    columns = (leaf.column for leaf in leaves(selection) if not isinstance(leaf, Unknown))
    return list(dict.fromkeys(column for column in columns if not column.partition))


def _by_bounds(
    selection: Condition,
    files: pa.Table,
    bounds: Mapping[BoundedColumn, Bounds],
    timezone: str | None,
    *,
    ignores_nan: bool = True,
) -> FileMask:
    partitions = Partitions(files, timezone)

    def leaf_mask(leaf: Leaf) -> FileMask:
        return (
            partitions.mask(leaf)
            if leaf.column.partition
            else may_match(leaf, bounds[leaf.column], ignores_nan=ignores_nan)
        )

    return file_mask(selection, leaf_mask)


def partition_only(predicate: str, partition_columns: Sequence[str], alias: str | None = None) -> bool:
    """Whether partition values alone decide `predicate`: it has no other column, sub-query or random function."""
    if has_subquery(predicate) or not is_deterministic(predicate):
        return False
    names = {name.lower() for name in partition_columns}
    for reference in column_references(predicate):
        parts = [part.lower() for part in reference.parts]
        if alias is not None and len(parts) > 1 and parts[0] == alias.lower():
            parts = parts[1:]
        if len(parts) != 1 or parts[0] not in names:
            return False
    return True


def matches_partition(
    files: pa.Table,
    predicate: str | None,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    *,
    timezone: str | None = None,
) -> pa.Table | None:
    """The files in each of whose rows `predicate`, on partition columns only, is TRUE; None where only Spark can tell.

    For all other files it is TRUE in no row.
    """
    if predicate is None:
        return files
    keep = whole_mask(files, condition(predicate, schema, partition_columns, alias, timezone), timezone)
    return None if keep is None else filtered(files, keep)


def files_in_partitions(
    files: LiveFiles, selection: Condition, columns: Sequence[str], timezone: str | None = None
) -> pa.Table | None:
    """Some columns of the files in whose every row `selection` is TRUE; None where partition values do not decide it.

    The columns are read of these files alone.
    """
    keep = whole_mask(files.table(("partitionValues",)), selection, timezone)
    return None if keep is None else files.table(columns, rows_of(keep))


def first_files(
    files: LiveFiles, selection: Condition | None, columns: Sequence[str], enough: int, timezone: str | None = None
) -> tuple[pa.Table, int] | None:
    """The first files that together have `enough` rows where `selection` is TRUE, and the number of all files.

    None where partition values alone do not decide `selection`. Of other files nothing is read but partition values.
    """
    chosen = None
    if selection is not None:
        keep = whole_mask(files.table(("partitionValues",)), selection, timezone)
        if keep is None:
            return None
        chosen = rows_of(keep)
    total = files.count()
    left = total if chosen is None else len(chosen)
    columns_read = tuple(dict.fromkeys((*columns, "stats", "deletionVector")))
    taken = _FIRST
    while True:
        table = files.table(columns_read, first_numbers(min(taken, left)) if chosen is None else chosen[:taken])
        last = _reaching(enough, live_rows(table))
        if last is not None or taken >= left:
            return table.select(columns).slice(0, last), total
        taken *= 8


def _reaching(enough: int, counts: Sequence[int | None]) -> int | None:
    """How many files have `enough` rows; None where all have less. Of unknown rows a file may have none."""
    sums = accumulate((rows or 0 for rows in counts), initial=0)
    return next((number for number, rows in enumerate(sums) if rows >= enough), None)


def whole_mask(files: pa.Table, selection: Condition, timezone: str | None) -> FileMask | None:
    """Files where `selection` is TRUE in every row, if it is in no row of the others; None where only rows tell."""
    if any(isinstance(leaf, Unknown) or leaf.column.partition is None for leaf in leaves(selection)):
        return None
    partitions = Partitions(files, timezone)
    keep = file_mask(selection, partitions.mask)
    return keep if partitions.is_exact else None
