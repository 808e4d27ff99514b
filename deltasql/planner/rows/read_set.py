"""The read set of a statement: files of its target, or all of it where its own queries read it as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from deltasql.base.lazy import pa
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.skipping.file_masks import file_mask, rows_of
from deltasql.log.skipping.partition_conditions import Partitions
from deltasql.log.skipping.predicates import condition
from deltasql.plan.operators import MemoryRows, Operator, Rewrite, Scan, Supplied, TableVersion, children
from deltasql.plan.reads import Reads
from deltasql.planner.context import Context

WHOLE_TABLE = Reads("TRUE", whole_table=True)

PartitionTest = Callable[[Mapping[str, "str | None"]], bool]


def reads_of(operator: Rewrite, predicate: str | None, snapshot: Snapshot, context: Context) -> Reads:
    """The read set of a rewrite: the target's files chosen by `predicate`; all where its queries read the table."""
    target = operator.target
    if reads_otherwise(operator, context):
        return WHOLE_TABLE
    return reads_of_files(target.files, predicate, snapshot, context, operator.target_alias)


def reads_of_files(
    files: pa.Table, predicate: str | None, snapshot: Snapshot, context: Context, alias: str | None = None
) -> Reads:
    """The read set of `files`, chosen by `predicate` (None: all); `alias` may qualify its columns."""
    matches = None if predicate is None else partition_test(snapshot, predicate, alias, context.time_zone)
    return Reads(predicate or "TRUE", tuple(files.column("path").to_pylist()), matches=matches, alias=alias)


def reads_of_itself(rows: Operator, snapshot: Snapshot, context: Context) -> Reads | None:
    """The read set of a query on the table that its rows go to; None where it does not read it."""
    scans = table_scans(rows, snapshot)
    if not scans:
        return None
    if len(scans) > 1:
        return WHOLE_TABLE
    (scan,) = scans
    return reads_of_files(scan.files, scan.pruning.predicate, snapshot, context, scan.pruning.alias)


def partition_test(snapshot: Snapshot, predicate: str, alias: str | None, timezone: str | None) -> PartitionTest | None:
    """Tests whether `predicate` can be TRUE for partition values as in the log; None for a table without partitions.

    A predicate that partition values cannot decide, such as a random function, counts as TRUE.
    """
    columns = snapshot.partition_columns
    if not columns:
        return None

    @cache
    def meets(values: tuple[tuple[str, str | None], ...]) -> bool:
        # Most statements win their race and never ask.

        selection = condition(predicate, snapshot.schema, columns, alias, timezone)
        kind = pa.struct([(name, pa.string()) for name, _ in values])
        file = pa.table({"partitionValues": pa.chunked_array([pa.array([dict(values)], kind)])})
        rows = rows_of(file_mask(selection, Partitions(file, timezone).mask))
        return rows is None or len(rows) > 0

    return lambda values: meets(tuple(values.items()))


def reads_otherwise(operator: Rewrite, context: Context) -> bool:
    """Whether the source or a sub-query of a rewrite also reads its target."""
    table = operator.target.table
    others = [child for child in children(operator) if child is not operator.target]
    if any(_reads(child, table) for child in others):
        return True
    frames = (supplied for child in others for supplied in _supplied(child))
    return any(context.analyst.reads_below(supplied, table.location) for supplied in frames)


def table_scans(rows: Operator, snapshot: Snapshot) -> list[Scan]:
    """The scans of the table, at the version of its snapshot, by a query itself or through views."""
    # An older version does not change any more, so that nothing depends on what others commit.
    version = TableVersion(snapshot.table, snapshot.location, snapshot.version)
    return [scan for scan in scans(rows) if scan.table == version]


def _reads(rows: Operator, table: TableVersion) -> bool:
    return any(scan.table == table for scan in scans(rows))


def _supplied(operator: Operator) -> Iterator[Supplied]:
    """The DataFrames of Spark at or below an operator."""
    if isinstance(operator, Supplied) and not isinstance(operator.frame, MemoryRows):
        yield operator
    for child in children(operator):
        yield from _supplied(child)


def scans(operator: Operator) -> Iterator[Scan]:
    """The scans at or below an operator."""
    if isinstance(operator, Scan):
        yield operator
    for child in children(operator):
        yield from scans(child)
