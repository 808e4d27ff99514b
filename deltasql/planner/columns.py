"""ALTER TABLE … columns: pure edits of the schema, committed as metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.schema import AddColumnDefaultError, AddNotNullColumnError
from deltasql.plan.columns import AddColumns, AddedColumn
from deltasql.planner.changes import Plan, TableChange
from deltasql.planner.context import Context
from deltasql.planner.metadata import evolved_metadata, metadata_actions
from deltasql.planner.rule import plan
from deltasql.planner.table import field_metadata
from deltasql.schema.edits import add_column
from deltasql.schema.json import type_to_json
from deltasql.schema.types import StructField

if TYPE_CHECKING:
    from deltasql.schema.types import StructType


@plan.register
def _(statement: AddColumns, context: Context) -> Plan:
    """Columns are added one after another, so that a later one may stand AFTER an earlier one."""
    log, snapshot = context.writable(statement.table)
    schema = snapshot.schema
    for column in statement.columns:
        try:
            schema = _added(schema, column, snapshot.table)
        except DeltaSqlError as error:
            raise error.at(context.caret(column.path.start, column.path.end)) from None
    metadata = evolved_metadata(snapshot.metadata, schema)
    parameters = {"columns": json.dumps([_described(column) for column in statement.columns], separators=(",", ":"))}
    return TableChange(log, snapshot, "ADD COLUMNS", parameters, metadata_actions(snapshot, metadata))


def _added(schema: StructType, column: AddedColumn, table: str) -> StructType:
    if not column.nullable:
        raise AddNotNullColumnError(str(column.path))
    if column.default is not None:
        raise AddColumnDefaultError(str(column.path))
    return add_column(schema, column.path.parts, _field(column), first=column.first, after=column.after, where=table)


def _field(column: AddedColumn) -> StructField:
    return StructField(column.path.parts[-1], column.type, True, field_metadata(column.type_text, column.comment))


def _described(column: AddedColumn) -> dict[str, Any]:
    """The column as commitInfo shows it."""
    field = _field(column)
    described: dict[str, Any] = {
        "column": {
            "name": ".".join(column.path.parts),
            "type": type_to_json(field.type),
            "nullable": True,
            "metadata": dict(field.metadata),
        }
    }
    if column.first:
        described["position"] = "FIRST"
    elif column.after is not None:
        described["position"] = f"AFTER {column.after}"
    return described
