"""Materialized views and streaming tables: what no statement but their own may change, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from deltasql.base.errors.statements.refresh import WriteIntoRefreshedError
from deltasql.base.errors.statements.refused import WrongObjectError
from deltasql.catalog.definitions import Refreshed
from deltasql.catalog.entries import TableEntry
from deltasql.plan.base import LogicalPlan, TableName
from deltasql.planner.context import Context
from deltasql.statements.nodes import columns, constraints
from deltasql.statements.nodes.clone import CloneTable
from deltasql.statements.nodes.copy_into import CopyInto
from deltasql.statements.nodes.delete import Delete
from deltasql.statements.nodes.frames import WriteFrame
from deltasql.statements.nodes.insert import Insert
from deltasql.statements.nodes.merge import Merge
from deltasql.statements.nodes.restore import Restore
from deltasql.statements.nodes.table import CreateTable, DropTable, RenameTable, SetTableLocation, TruncateTable
from deltasql.statements.nodes.update import Update

_CHANGES: Mapping[type[LogicalPlan], str] = {
    Insert: "INSERT",
    Update: "UPDATE",
    Delete: "DELETE",
    Merge: "MERGE",
    CopyInto: "COPY INTO",
    Restore: "RESTORE",
    TruncateTable: "TRUNCATE TABLE",
    WriteFrame: "The write of a DataFrame",
    CloneTable: "CREATE TABLE … CLONE",
    SetTableLocation: "ALTER TABLE … SET LOCATION",
    columns.AddColumns: "ALTER TABLE … ADD COLUMNS",
    columns.AlterColumns: "ALTER TABLE … ALTER COLUMN",
    columns.DropColumns: "ALTER TABLE … DROP COLUMNS",
    columns.RenameColumn: "ALTER TABLE … RENAME COLUMN",
    columns.ReplaceColumns: "ALTER TABLE … REPLACE COLUMNS",
    constraints.AddConstraint: "ALTER TABLE … ADD CONSTRAINT",
    constraints.DropConstraint: "ALTER TABLE … DROP CONSTRAINT",
}
_OTHERS: Mapping[type[LogicalPlan], str] = {DropTable: "DROP TABLE", RenameTable: "ALTER TABLE … RENAME TO"}
"""Statements that a materialized view and a streaming table have for themselves."""


def refuse_refreshed(statement: LogicalPlan, context: Context) -> None:
    """Raises WriteIntoRefreshedError, WrongObjectError for a change of a table that refreshes alone may change."""
    operation, name = _operation(statement), getattr(statement, "table", None)
    if isinstance(statement, columns.AlterColumns) and _comments(statement):
        return
    if operation is None or not isinstance(name, TableName):
        return
    entry = _entry(name, context)
    if entry is None or entry.refreshed is None:
        return
    kind, caret = entry.refreshed.kind.value, context.caret(name.start, name.end)
    if type(statement) in _OTHERS:
        advice = operation.replace("TABLE", kind, 1) + f" of {name}"
        raise WrongObjectError(operation, "table", str(name), kind.lower(), advice.replace(" of ", " ")).at(caret)
    raise WriteIntoRefreshedError(operation, str(name), kind.lower(), kind).at(caret)


def _comments(statement: columns.AlterColumns) -> bool:
    """Whether nothing but comments of columns changes."""
    return all(
        change.name is None and all(isinstance(item, columns.Commented) for item in change.alterations)
        for change in statement.changes
    )


def _operation(statement: LogicalPlan) -> str | None:
    """The words of a statement that may not change such a table; None for others."""
    if isinstance(statement, CreateTable):
        return None if statement.mode == "create" else "CREATE OR REPLACE TABLE"
    return _CHANGES.get(type(statement)) or _OTHERS.get(type(statement))


def _entry(name: TableName, context: Context) -> TableEntry | None:
    if name.path is not None or len(name.parts) > 3 or context.view_key(name.parts) is not None:
        return None
    entry = context.catalog.find(name.parts)
    return entry if isinstance(entry, TableEntry) else None


def refreshed_kind(name: TableName, context: Context) -> Refreshed | None:
    """Whether a name is that of a materialized view or of a streaming table; None for all others."""
    entry = _entry(name, context)
    return None if entry is None or entry.refreshed is None else entry.refreshed.kind


def refreshed_rows(entry: TableEntry, mode: str | None, time: int | None) -> Iterator[tuple[str, str]]:
    """Names and values of what a definition says, and of the last refresh."""
    definition = entry.refreshed
    if definition is None:
        return
    yield "View Text", definition.view.query
    yield "View Catalog and Namespace", ".".join(definition.view.namespace)
    if definition.schedule is not None:
        yield "Schedule", f"{definition.schedule} (not run)"
    if mode is not None and time is not None:
        yield "Last Refresh", datetime.fromtimestamp(time / 1000, timezone.utc).isoformat(sep=" ", timespec="seconds")
        yield "Last Refresh Mode", mode
