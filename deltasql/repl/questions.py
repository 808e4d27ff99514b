"""Confirmation questions before statements that delete or change all rows of a table, or drop it."""

from __future__ import annotations

from contextlib import suppress

from deltasql.errors.base import DeltaSqlError
from deltasql.plan.base import LogicalPlan, TableName
from deltasql.plan.statements.catalog import DropCatalog
from deltasql.plan.statements.delete import Delete
from deltasql.plan.statements.table import DropSchema, DropTable, TruncateTable
from deltasql.plan.statements.update import Update
from deltasql.repl.describe import row_count, rows_text
from deltasql.session import Session


def question(node: LogicalPlan, session: Session) -> str | None:
    """The question to confirm before a statement is run; None for one that needs no confirmation."""
    match node:
        case Delete(table=table, condition=None) | TruncateTable(table=table):
            verb = "DELETE without WHERE" if isinstance(node, Delete) else "TRUNCATE TABLE"
            return _with_row_count(f"{verb} takes {{rows}} of {table}.", table, session)
        case Update(table=table, condition=None):
            return _with_row_count(f"UPDATE without WHERE changes {{rows}} of {table}.", table, session)
        case DropTable(table=table):
            return _with_row_count(f"DROP TABLE takes {table} with {{rows}}.", table, session)
        case DropSchema(cascade=True):
            return "DROP SCHEMA … CASCADE takes all tables of the schema."
        case DropCatalog(cascade=True):
            return "DROP CATALOG … CASCADE takes all schemas of the catalog, and their tables."
        case _:
            return None


def _with_row_count(text: str, table: TableName, session: Session) -> str | None:
    """The question with the number of rows; None for an empty or missing table."""
    with suppress(DeltaSqlError):
        rows = row_count(session.log(table).snapshot())
        if rows == 0:
            return None
        counted = "rows" if rows is None else rows_text(rows)
        return text.format(rows=counted if rows == 1 else f"all {counted}")
    return None
