"""Aggregate queries over one table answered from its log: the plan that replaces Spark's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.settings.query_meaning import has_plain_meaning
from deltasql.base.settings.session_settings import ANSWER_FROM_LOG
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.skipping.conditions import Condition
from deltasql.log.skipping.predicates import condition
from deltasql.log.skipping.pruning import partition_only
from deltasql.log.skipping.tallies import FileGroup, file_groups
from deltasql.plan.base import SqlText, TableName
from deltasql.planner.answers.values import Group, LogScope, key_values
from deltasql.planner.binding import calls_session_functions
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import enforced
from deltasql.planner.selected_files import location_of
from deltasql.schema.types import BOOLEAN, StructType
from deltasql.sql.evaluated.aggregates import AggregateRows
from deltasql.sql.expression_types import derived_type
from deltasql.sql.queries.aggregate_query import AggregateQuery, aggregate_query
from deltasql.sql.queries.relations import TableReference

FileValues: TypeAlias = tuple[FileGroup, Mapping[str, Any]]
"""A file group, and its partition values by column name."""


@dataclass(frozen=True, slots=True)
class RowsOfLog:
    """Result rows computed from the log of one table version; `explain_text` is the text of EXPLAIN."""

    schema: StructType
    rows: tuple[tuple[Any, ...], ...]
    explain_text: str


def answered_rows(context: Context, text: SqlText) -> RowsOfLog | None:
    """The rows of a query answered from the log; None where Spark must compute them or report the error."""
    query = aggregate_query(text.text)
    if (
        query is None
        or not context.setting(ANSWER_FROM_LOG)
        or not has_plain_meaning(context.settings, context.analyst.setting)
    ):
        return None
    try:
        snapshot = _snapshot(context, query.table)
        if snapshot is None or calls_session_functions(context, text.text):
            return None
        return _answered(context, query, snapshot)
    except (LeftToEngineError, DeltaSqlError):
        # What is wrong is said where the query is bound, with its place.
        return None


def _snapshot(context: Context, table: TableReference) -> Snapshot | None:
    """Snapshot of the table that is read; None for a view and for an object that only Spark knows."""
    name = TableName(table.parts, table.start, table.end, table.temporal)
    if context.is_view(name) or context.foreign(name) is not None:
        return None
    location = location_of(context, name)
    if location is None or enforced(location, context) is not None:
        return None
    snapshot = context.snapshot(replace(name, start=0, end=0), location)
    snapshot.check_readable()
    return snapshot if len(snapshot.schema) else None


def _answered(context: Context, query: AggregateQuery, snapshot: Snapshot) -> RowsOfLog:
    scope = LogScope(snapshot.schema, snapshot.partition_columns, query.table)
    result = AggregateRows(query, scope)
    selection = _partition_condition(context, query, snapshot)
    vectors = "deletionVectors" in snapshot.protocol.features
    keys, zone = list(scope.keys.values()), context.time_zone
    files = snapshot.read_files(
        lambda live: file_groups(live, selection, keys, scope.data_columns, vectors=vectors, timezone=zone)
    )
    rows = result.rows(_groups([(item, key_values(item, scope.keys)) for item in files], result.keys))
    names = ", ".join(result.schema.names)
    description = f"Log of {snapshot.table}@v{snapshot.version} [{names}] rows: {len(rows)}, no data file is read"
    return RowsOfLog(result.schema, rows, description)


def _partition_condition(context: Context, query: AggregateQuery, snapshot: Snapshot) -> Condition | None:
    """WHERE as a condition on partition columns. Raises LeftToEngineError for any other condition."""
    if query.where is None:
        return None
    text, columns = query.where.text, snapshot.partition_columns
    alias = query.table.alias or query.table.parts[-1]
    if derived_type(text, snapshot.schema) != BOOLEAN or not partition_only(text, columns, alias):
        raise LeftToEngineError
    return condition(text, snapshot.schema, columns, alias, context.time_zone)


def _groups(files: Sequence[FileValues], keys: Sequence[str] | None) -> list[Group]:
    """The file groups of each row of the result: by their values of the partition columns `keys`, or all in one."""
    if keys is None:
        return [Group(tuple(files))]
    groups: dict[tuple[Any, ...], list[FileValues]] = {}
    for item in files:
        groups.setdefault(tuple(item[1][name] for name in keys), []).append(item)
    return [Group(tuple(parts)) for parts in groups.values()]
