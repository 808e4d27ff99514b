"""Row filters and column masks that CREATE TABLE declares, as part of the table's registration."""

from __future__ import annotations

from dataclasses import replace

from deltasql.catalog.entries import TableEntry
from deltasql.catalog.governance import Governance
from deltasql.catalog.governed import TABLE, Subject
from deltasql.errors.statements.governance import UnsupportedSecurableError
from deltasql.plan.statements.table import CreateTable
from deltasql.planner.catalog_changes import GovernanceChange, Registration
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
    table = statement.table
    policies = _policies(statement, schema, context)
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


def policies_of_existing(statement: CreateTable, entry: TableEntry, context: Context) -> GovernanceChange | None:
    """The row filter and masks of a statement for a table that exists, which keeps its others; None without any."""
    declared = _policies(statement, context.snapshot(statement.table).schema, context)
    if declared.is_empty:
        return None

    def change(found: Governance) -> Governance:
        for column, mask in declared.masks.items():
            found = found.masked(column, mask)
        return found if declared.row_filter is None else replace(found, row_filter=declared.row_filter)

    return GovernanceChange(Subject(TABLE, entry.parts), change)


def _policies(statement: CreateTable, schema: StructType, context: Context) -> Governance:
    masks = [(column.name, column.mask) for column in statement.columns or () if column.mask is not None]
    return declared_policies(statement.row_filter, masks, schema, statement.table, context)
