"""File skipping, and aggregates from the log: both decided by partition values and statistics of files.

A file is skipped only if it certainly has no row for which the predicate is TRUE. COUNT, MIN and MAX over groups of
files are given only if they are exact: statistics may be truncated, missing or wider than the values; then the engine
must read rows. Source: Delta protocol, Per-file Statistics, Partition Value Serialization and Deletion Vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from deltasql.base import LeftToEngineError, np, pa, pc, require_value
from deltasql.log.actions.actions import live_rows
from deltasql.log.replay.checkpoint import take_rows
from deltasql.log.skipping.column_bounds import (
    Bounds,
    Fact,
    bounds_of,
    depends_on_nan,
    fields_of,
    may_match,
    parse_facts,
    parse_statistics,
    read_bounds,
    statistics_of,
)
from deltasql.log.skipping.conditions import (
    INTEGRAL,
    UNKNOWN,
    AllOf,
    BoundedColumn,
    Condition,
    Leaf,
    NullTest,
    OneOf,
    Unknown,
    leaves,
)
from deltasql.log.skipping.partition_conditions import Partitions, encoded, file_mask, filtered, first_numbers, rows_of
from deltasql.log.skipping.predicates import condition
from deltasql.schema import DecimalType, StructType, sql_literal
from deltasql.sql import column_references, has_subquery, is_deterministic

if TYPE_CHECKING:
    from deltasql.log.replay.live_files import LiveFiles


if TYPE_CHECKING:
    from deltasql.log.replay.live_files import LiveFiles
    from deltasql.log.skipping.partition_conditions import FileMask

    NanCheck: TypeAlias = Callable[[Sequence[str]], Sequence[bool]]
    """Says of the locations of files whether a file with NaN has no upper bound of floats, or NaN as such."""

_EPOCH = date(1970, 1, 1)
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
    if predicate is None:
        return files
    selection = condition(predicate, schema, partition_columns, alias, timezone)
    return _pruned(files, selection, timezone, ignores_nan=ignores_nan)


def skipped(files: pa.Table, selections: Sequence[Condition]) -> pa.Table:
    """As `prune`, by conditions all of which a row must meet."""
    return _pruned(files, AllOf(tuple(selections)), None, ignores_nan=True)


def _pruned(files: pa.Table, selection: Condition, timezone: str | None, *, ignores_nan: bool) -> pa.Table:
    if files.num_rows == 0:
        return files
    files = filtered(files, file_mask(selection, Partitions(files, timezone).mask))
    columns = _bounded(selection)
    if not columns or files.num_rows == 0:
        return files
    bounds = read_bounds(files["stats"], columns)
    return filtered(files, _by_bounds(selection, files, bounds, timezone, ignores_nan=ignores_nan))


def key_condition(
    key: str, values: Sequence[Any], schema: StructType, partition_columns: Sequence[str], alias: str, *, are_all: bool
) -> Condition:
    """The condition that a column, qualified by `alias`, equals one of some values: see `prune`.

    Unless they `are_all` there is, `values` are the least and the greatest. They are texts, numbers or dates, as the
    column is; the condition on anything but a column is UNKNOWN.
    """
    found = condition(f"{key} IS NOT NULL", schema, partition_columns, alias, None)
    if not isinstance(found, NullTest):
        return UNKNOWN
    column = found.column
    if are_all and column.kind != "decimal":
        # As the bounds of files have them: dates are days.
        return OneOf(
            column, tuple((value - _EPOCH).days if isinstance(value, date) else value for value in values), False
        )
    edges = ((">=", min(values)), ("<=", max(values)))
    predicate = " AND ".join(f"{key} {operator} {sql_literal(value)}" for operator, value in edges)
    return condition(predicate, schema, partition_columns, alias, None)


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
        # In the table of few files an index counts the files that are left, in that of many all files.
        return files.table(("location",), at if rows is None or is_many else rows[at])["location"]

    is_many = left > max(_FEW, total // 8)
    if not is_many:
        table = files.table(tuple(dict.fromkeys((*columns, "partitionValues", "stats"))), rows)
        bounds = read_bounds(table["stats"], bounded)
        keep = _by_sure_bounds(selection, table, bounds, timezone, count_nan, locations)
        return filtered(table.select(columns), keep), total
    bounds = bounds_of(bounded, files.statistics(bounded, statistics_of, parse_statistics))
    # A mask of all files. `selection` has its partition conditions as well, so files that these dropped stay out.
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
    # Files that stay only because a NaN above the upper bound is possible. Their footers name the writer; where these
    # are too many to read, all files stay, which is slower and never wrong.
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

    # Each leaf keeps a superset of the matching files. So do AND and OR of such masks; a NOT would turn it into a
    # subset, which is why conditions have none.
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
    # A partition value that cannot be read counts as a match. That is a superset, and the answer must be exact.
    return keep if partitions.is_exact else None


# Some writers store decimals as doubles, which keep this number of digits.
_EXACT_DIGITS = 15
# If more files are chosen than both _MANY and 1/_SHARE of all, all statistics are read, and cached for the next query.
_MANY, _SHARE = 4096, 8
_ENDS = ("low", "high")


@dataclass(frozen=True, slots=True)
class TallyFilter:
    """Requested aggregates of a data column: number of values, lowest value, highest value."""

    count: bool = False
    low: bool = False
    high: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Aggregates of a column over some files: `count` of its values, lowest and highest, None if there is no value.

    Dates are days since 1970. Aggregates that were not requested are None.
    """

    count: int | None = None
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files with equal partition values (`texts`, as in the log): number of live rows (> 0), and column aggregates."""

    texts: tuple[str | None, ...]
    rows: int
    tallies: Mapping[BoundedColumn, Tally] = field(default_factory=dict)


def has_exact_low(column: BoundedColumn) -> bool:
    """Whether lower bounds of such a column are values of it; those of strings and timestamps are truncated."""
    if isinstance(column.type, DecimalType):
        return column.type.precision <= _EXACT_DIGITS
    return column.kind in {*INTEGRAL, "date", "float", "double"}


def has_exact_high(column: BoundedColumn) -> bool:
    """As `has_exact_low`, for upper bounds, which ignore NaN, the greatest value of floats."""
    return has_exact_low(column) and column.kind not in {"float", "double"}


def file_groups(
    files: LiveFiles,
    selection: Condition | None,
    keys: Sequence[BoundedColumn],
    columns: Mapping[BoundedColumn, TallyFilter],
    *,
    vectors: bool,
    timezone: str | None,
) -> list[FileGroup]:
    """Groups, by the partition columns `keys`, of the files in whose rows `selection` is TRUE, with their aggregates.

    Groups without live rows are left out. `vectors`: files may have deletion vectors. Raises LeftToEngineError if the
    log's statistics do not suffice.
    """
    from deltasql.schema import ZERO

    chosen = _chosen(files, selection, timezone)
    facts = [Fact(None, with_tight=True), *(Fact(column) for column in columns)]
    partitions, facts_table = _facts(files, chosen, facts, vectors)
    if not len(partitions):
        return []
    rows = pc.struct_field(facts_table["0"], ["rows"])
    gone = _deleted(facts_table["deletionVector"]) if vectors else None
    live = rows if gone is None else pc.subtract(rows, gone)
    if live.null_count:
        raise LeftToEngineError
    coded, texts = _coded(partitions, keys)
    table = {"rows": live, **coded}
    loose = _loose(gone, facts_table["0"])
    for number, tally_filter in enumerate(columns.values(), 1):
        table |= _of_column(tally_filter, str(number), facts_table[str(number)], rows, loose)
    return _grouped(pa.table(table).filter(pc.greater(live, ZERO)), texts, columns)


def _chosen(files: LiveFiles, selection: Condition | None, timezone: str | None) -> np.ndarray | None:
    """Indexes of the files in whose rows `selection` is TRUE; None for all files."""
    if selection is None:
        return None
    return rows_of(require_value(whole_mask(files.table(("partitionValues",)), selection, timezone)))


def _facts(
    files: LiveFiles, chosen: np.ndarray | None, facts: Sequence[Fact], vectors: bool
) -> tuple[pa.ChunkedArray, Mapping[str, pa.ChunkedArray]]:
    """Partition values of the chosen files; and by name ("0", "1", …) the structs of `facts`, and deletion vectors."""
    names = [str(number) for number in range(len(facts))]
    columns = ("partitionValues", *(("deletionVector",) if vectors else ()))
    if chosen is not None and len(chosen) <= max(_MANY, len(files) // _SHARE):
        # For few files, the statistics of the others are not read.
        table = files.table((*columns, "stats"), chosen)
        stats = table["stats"].cast(pa.string()).combine_chunks()
        by_name: dict[str, Any] = dict(zip(names, map(pa.chunked_array, zip(parse_facts(stats, facts))), strict=True))
    else:
        table = files.table(columns, chosen)
        facts_table = pa.table(dict(zip(names, files.statistics(facts, fields_of, parse_facts), strict=True)))
        facts_table = facts_table if chosen is None else take_rows(facts_table, chosen)
        by_name = {name: facts_table[name] for name in names}
    return table["partitionValues"], by_name | ({"deletionVector": table["deletionVector"]} if vectors else {})


def _deleted(vectors: pa.ChunkedArray) -> pa.ChunkedArray:
    """The number of deleted rows of each file, by its deletion vector."""
    from deltasql.schema import ZERO

    return pc.fill_null(pc.struct_field(vectors, ["cardinality"]), ZERO)


def _loose(gone: pa.ChunkedArray | None, of_file: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Mask of the files whose bounds may be wider than their values; None if there are none.

    Other writers have such files without deletion vectors, too.
    """
    from deltasql.schema import TRUE, ZERO

    loose = pc.invert(pc.fill_null(pc.struct_field(of_file, ["tight"]), TRUE))
    # A deletion vector may have deleted the row with the least or the greatest value, whatever tightBounds says.
    loose = loose if gone is None else pc.or_(pc.greater(gone, ZERO), loose)
    return loose if pc.any(loose, min_count=0).as_py() else None


def _coded(
    partitions: pa.ChunkedArray, keys: Sequence[BoundedColumn]
) -> tuple[dict[str, pa.ChunkedArray], list[list[str | None]]]:
    """Dictionary codes of the partition values, by key and file, and the dictionaries; null stays null."""
    coded, texts = {}, list[list["str | None"]]()
    for number, key in enumerate(keys):
        values = encoded(partitions, key)
        coded[f"key{number}"] = values.indices
        texts.append(values.dictionary.to_pylist())
    return coded, texts


def _of_column(
    tally_filter: TallyFilter, name: str, facts: pa.ChunkedArray, rows: pa.ChunkedArray, loose: pa.ChunkedArray | None
) -> dict[str, pa.ChunkedArray]:
    """Columns for `_grouped` with one value per file: `name` plus the aggregate that a group computes from it.

    `count` is the number of values. A tight bound is a value, a wide bound may be none; a bound is lost if it is
    missing although the file has values.
    """
    from deltasql.schema import TRUE

    nulls = pc.struct_field(facts, ["nulls"])
    empty = pc.invert(pc.fill_null(pc.not_equal(nulls, rows), TRUE))
    parts = {}
    if tally_filter.count:
        # `nullCount` and `numRecords` count deleted rows too, so that the number of live values is unknown.
        parts[f"{name}.count"] = _where_not(pc.subtract(rows, nulls), loose)
    for end in _ENDS:
        if getattr(tally_filter, end):
            bound = _where_not(pc.struct_field(facts, [end]), empty)
            parts[f"{name}.{end}.lost"] = pc.and_(pc.is_null(bound), pc.invert(empty))
            parts[f"{name}.{end}.tight"] = _where_not(bound, loose)
            if loose is not None:
                parts[f"{name}.{end}.wide"] = _where_not(bound, pc.invert(loose))
    return parts


def _where_not(values: pa.ChunkedArray, mask: pa.ChunkedArray | None) -> pa.ChunkedArray:
    """`values`, null where `mask` is true."""
    return values if mask is None else pc.if_else(mask, pa.nulls(1, values.type)[0], values)


def _grouped(
    table: pa.Table, texts: Sequence[Sequence[str | None]], columns: Mapping[BoundedColumn, TallyFilter]
) -> list[FileGroup]:
    """Groups of files with equal dictionary codes of their partition values."""
    names = [f"key{number}" for number in range(len(texts))]
    # One file of unknown count makes the sum null, and the query goes to the engine; to skip it would count too few.
    exact = pc.ScalarAggregateOptions(skip_nulls=False)
    aggregates = [(name, *_how(name, exact)) for name in table.column_names if name not in names]
    groups = table.group_by(names, use_threads=False).aggregate(aggregates).to_pylist()
    return [_group(row, names, texts, columns) for row in groups if row["rows_sum"]]


def _how(name: str, exact: Any) -> tuple[Any, ...]:
    if name.endswith(".lost"):
        return ("any",)
    if name == "rows" or name.endswith(".count"):
        return "sum", exact
    return ("min",) if ".low." in name else ("max",)


def _group(
    row: Mapping[str, Any],
    names: Sequence[str],
    texts: Sequence[Sequence[str | None]],
    columns: Mapping[BoundedColumn, TallyFilter],
) -> FileGroup:
    values = tuple(
        None if row[name] is None else dictionary[row[name]] or None
        for name, dictionary in zip(names, texts, strict=True)
    )
    tallies = {column: _tally(row, str(number), item) for number, (column, item) in enumerate(columns.items(), 1)}
    return FileGroup(values, row["rows_sum"], tallies)


def _tally(row: Mapping[str, Any], name: str, tally_filter: TallyFilter) -> Tally:
    """The aggregates of column `name` in a group. Raises LeftToEngineError if they are not known exactly."""
    count = require_value(row[f"{name}.count_sum"]) if tally_filter.count else None
    return Tally(count, *(_end(row, name, end) if getattr(tally_filter, end) else None for end in _ENDS))


def _end(row: Mapping[str, Any], name: str, end: str) -> Any:
    """The lowest or highest value of a group.

    Raises LeftToEngineError if it is not exact: a bound is missing, a wide bound lies beyond the tight ones, or zero.
    """
    how = "min" if end == "low" else "max"
    tight, wide = row[f"{name}.{end}.tight_{how}"], row.get(f"{name}.{end}.wide_{how}")
    # A wide bound within the tight ones does not matter: no value of its file can be more extreme than theirs.
    beyond = wide is not None and (tight is None or (wide < tight if end == "low" else wide > tight))
    # Zero has two signs, which Parquet's bounds do not tell apart.
    if row[f"{name}.{end}.lost_any"] or beyond or (isinstance(tight, float) and tight == 0):
        raise LeftToEngineError
    return tight
