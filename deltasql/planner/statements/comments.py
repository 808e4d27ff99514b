"""COMMENT ON a table, a column or a schema."""

from __future__ import annotations

from dataclasses import replace

from deltasql.errors.base import DeltaSqlError
from deltasql.log.actions import operations
from deltasql.plan.base import ColumnPath, TableName
from deltasql.plan.properties import CommentOnColumn, CommentOnSchema, CommentOnTable
from deltasql.planner.catalog_changes import SchemaComment
from deltasql.planner.changes import CommitSpec, Plan, TableChange
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.planner.tables.metadata import evolved_metadata, metadata_actions
from deltasql.schema.edits import set_comment
from deltasql.schema.json import field_to_json
from deltasql.schema.paths import resolve


@plan.register
def _(statement: CommentOnTable, context: Context) -> Plan:
    log, snapshot = context.writable(statement.table)
    metadata = replace(snapshot.metadata, description=statement.comment)
    parameters = {"properties": {"comment": statement.comment}}
    return TableChange(
        CommitSpec(log, snapshot, operations.SET_PROPERTIES, parameters, metadata_actions(snapshot, metadata))
    )


@plan.register
def _(statement: CommentOnColumn, context: Context) -> Plan:
    """COMMENT ON COLUMN commits what ALTER COLUMN … COMMENT does."""
    table, column = _table_and_column(statement.column, context)
    log, snapshot = context.writable(table)
    try:
        schema = set_comment(snapshot.schema, column, statement.comment, where=snapshot.table)
        field = resolve(schema, column, where=snapshot.table).field
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.column.start, statement.column.end)) from None
    metadata = evolved_metadata(snapshot.metadata, schema, table=snapshot.table)
    described = field_to_json(field) | {"name": ".".join(column)}
    actions = metadata_actions(snapshot, metadata) or (metadata,)
    return TableChange(CommitSpec(log, snapshot, operations.CHANGE_COLUMN, {"column": described}, actions))


def _table_and_column(name: ColumnPath, context: Context) -> tuple[TableName, tuple[str, ...]]:
    """a.b.c is column c of table a.b, or field b.c of table a: the longest name of a table that there is counts."""
    candidates = [
        TableName(name.parts[:end], name.start, name.end) for end in range(min(3, len(name.parts) - 1), 0, -1)
    ]
    for table in candidates:
        known = table.path is not None or context.is_view(table)
        if known or context.catalog.resolve(table.parts) is not None:
            return table, name.parts[len(table.parts) :]
    # The error names the table that was most likely meant.
    table = candidates[0] if candidates else TableName(name.parts, name.start, name.end)
    return table, name.parts[-1:]


@plan.register
def _(statement: CommentOnSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaComment(statement.schema.parts, statement.comment)
