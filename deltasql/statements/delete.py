"""DELETE: removes whole files where the log alone can decide, and rewrites the others without the rows."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar

from deltasql.base import errors, pa
from deltasql.log import Snapshot, condition, files_in_partitions, operations, partition_only, table_properties
from deltasql.plan import SCAN_COLUMNS, LogicalPlan, Rewrite, RowAction, RowEffect, RowKind, SqlText, TableName
from deltasql.planner import (
    CommitSpec,
    Context,
    Plan,
    Scope,
    TableChange,
    behind_view,
    binding,
    plan,
    reads_of_files,
    restricted,
    row_change,
    side,
    visible_rows,
    with_ctes,
)
from deltasql.schema import quote_name as quote


@dataclass(frozen=True, slots=True)
class Delete(LogicalPlan):
    """[WITH ctes] DELETE FROM t [[AS] alias] [WHERE condition]"""

    table_words: ClassVar[str] = "DELETE"
    write_name: ClassVar[str] = "DELETE"

    ctes: SqlText | None
    table: TableName
    alias: str | None
    condition: SqlText | None


@plan.register
def plan_delete(statement: Delete, context: Context) -> Plan:
    """A row goes when the condition is TRUE; NULL keeps it."""
    behind = behind_view(statement.table, statement.alias, "DELETE", context)
    behind.check([statement.condition], context)
    statement = replace(statement, table=behind.name, alias=behind.alias)
    log, snapshot = context.writable(statement.table)
    refuse_append_only(snapshot)
    target = side(context, statement.table, statement.alias, snapshot.schema, "target")
    scope = Scope(with_ctes(context, statement.ctes), target)
    parameters = {
        "predicate": json.dumps([context.text_with_markers(statement.condition) if statement.condition else "true"])
    }
    condition = None
    if statement.condition is not None:
        condition = scope.condition(statement.condition, "DELETE condition", subqueries=True)
    visible = visible_rows(scope, snapshot.location, statement.table, [statement.condition], context)
    condition = restricted(condition, visible)
    whole = _whole_files(snapshot, condition, scope, context)
    if whole is not None:
        reads = reads_of_files(whole, condition, snapshot, context, scope.target.alias)
        return TableChange(
            CommitSpec(log, snapshot, operations.DELETE, parameters, reads=reads),
            removed=whole,
            skip_if_empty=True,
        )
    scan = binding.target_rows(context, snapshot, condition, scope.target.alias)
    operator = Rewrite(
        target=scan,
        target_alias=scope.target.alias,
        join=None,
        actions=(RowAction(RowKind.MATCHED, RowEffect.DELETE, condition, ()),),
        unchanged=tuple(f"{quote(scope.target.alias)}.{quote(name)}" for name in snapshot.schema.names),
        output=snapshot.schema,
        checks=(),
        relations=scope.relations,
    )
    spec = CommitSpec(log, snapshot, operations.DELETE, parameters)
    return row_change(spec, operator, snapshot.metadata, condition, context)


def _whole_files(snapshot: Snapshot, condition: str | None, scope: Scope, context: Context) -> pa.Table | None:
    """The files whose rows are all deleted, if partition values alone decide it; else None."""
    if condition is None:
        return snapshot.files(SCAN_COLUMNS)
    return None if scope.relations else whole_partitions(snapshot, condition, scope.target.alias, context)


def whole_partitions(snapshot: Snapshot, predicate: str, alias: str | None, context: Context) -> pa.Table | None:
    """The files in each of whose rows `predicate` is TRUE, where partition values alone decide it; else None."""
    if not partition_only(predicate, snapshot.partition_columns, alias):
        return None
    zone = context.time_zone
    selection = condition(predicate, snapshot.schema, snapshot.partition_columns, alias, zone)
    return snapshot.read_files(lambda files: files_in_partitions(files, selection, SCAN_COLUMNS, zone))


def refuse_append_only(snapshot: Snapshot) -> None:
    """Raises AppendOnlyError for a table from which no row may go."""
    if snapshot.properties[table_properties.APPEND_ONLY]:
        raise errors.AppendOnlyError(table=snapshot.table)
