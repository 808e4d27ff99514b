"""Row filters and column masks that CREATE TABLE declares, as part of the table's registration."""

from __future__ import annotations

from deltasql.errors.statements.governance import UnsupportedSecurableError
from deltasql.plan.statements.table import CreateTable
from deltasql.planner.catalog_changes import Registration
from deltasql.planner.context import Context
from deltasql.planner.governance.policies import declared_policies, refuse_lost_columns
from deltasql.planner.tables.target import Target, registration
from deltasql.schema.types import StructType


def governed_registration(
    statement: CreateTable, target: Target, schema: StructType, context: Context
) -> Registration | None:
    """The name of the table with its row filter and masks. A replaced table keeps those that it has, if the statement
    declares none.

    Raises PolicyColumnError for a column that they need, and UnsupportedSecurableError for a table without a name.
    """
    masks = [(column.name, column.mask) for column in statement.columns or () if column.mask is not None]
    table = statement.table
    policies = declared_policies(statement.row_filter, masks, schema, table, context)
    if not policies.is_empty and table.path is not None:
        error = UnsupportedSecurableError(str(table), "Give the table a name: CREATE TABLE … LOCATION '/path'.")
        raise error.at(context.caret(table.start, table.end))
    if (
        not policies.is_empty
        and context.catalog.external.type_of(context.catalog.full_name(table.parts)[0]) is not None
    ):
        error = UnsupportedSecurableError(str(table), "Its catalog is external: run the statement on its server.")
        raise error.at(context.caret(table.start, table.end))
    if policies.is_empty and target.snapshot is not None:
        refuse_lost_columns(schema, table, target.snapshot.location, context)
    return registration(target, policies)
