"""VACUUM: removes files that no retained version needs.

The plan has the retention of deleted files, and where to search for them. The files are determined when it runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from deltasql.base import errors, session_settings
from deltasql.log import LOG, DeltaLog, Snapshot, is_local, table_properties
from deltasql.plan import Alone, LogicalPlan, Operator, SqlQuery, SqlText, TableName
from deltasql.planner import Candidates, Context, FileRemoval, Plan, binding, plan
from deltasql.schema import BOOLEAN, LONG, STRING, type_text
from deltasql.sql import Clause, Tree, builds, caret, collect, sql_text


@dataclass(frozen=True, slots=True)
class Vacuum(LogicalPlan):
    """VACUUM {t | 'path'} [LITE | FULL] [USING INVENTORY {t | (query)}] [RETAIN n HOURS] [DRY RUN]

    `lite` is None where neither LITE nor FULL was said. `retain_hours` is a number as text.
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("VACUUM", Alone.DELETES)

    table: TableName
    lite: bool | None
    inventory: SqlText | None
    retain_hours: SqlText | None
    dry_run: bool


_NOT_LITE = {
    "full": "LITE finds the files in the log, FULL in the table's folder.",
    "inventory": "LITE finds the files in the log, USING INVENTORY in a table.",
}


@builds("vacuum")
def _vacuum(children: list[Any], tree: Tree, text: str) -> Vacuum:
    table, *clauses = children
    values = collect(clauses, tree.children[1:], text)
    for other, reason in _NOT_LITE.items():
        if "lite" in values and other in values:
            raise errors.ParseSyntaxError(f"{reason} Leave out one of them.", "LITE").at(caret(tree, text))
    return Vacuum(
        table,
        True if "lite" in values else False if "full" in values else None,
        values.get("inventory"),
        values.get("retain_hours"),
        values.get("dry_run", False),
    )


@builds("hours")
def _hours(children: list[Any], tree: Tree, text: str) -> SqlText:
    return sql_text(tree, text)


@builds("retain_clause")
def _retain(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("retain_hours", children[0])


@builds("dry_run_clause")
def _dry_run(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("dry_run", True)


@builds("lite_clause", "full_clause")
def _mode(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removesuffix("_clause"), True)


@builds("inventory_clause")
def _inventory(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("inventory", sql_text(tree.children[0], text))


HOUR_MS = 3_600_000
INVENTORY = {"path": STRING, "length": LONG, "isDir": BOOLEAN, "modificationTime": LONG}
# Where files are cheap to write. The log of an object store is spared, as Delta does.
_LOGGED = ("file", "hdfs", "abfs", "abfss", "wasb", "wasbs", "gs", "adl", "memory")


@plan.register
def plan_vacuum(statement: Vacuum, context: Context) -> Plan:
    log, snapshot = _table(statement.table, context)
    context.refuse_maintenance(log, "VACUUM")
    configured = snapshot.properties[table_properties.DELETED_FILE_RETENTION]
    specified = _specified_retention(statement.retain_hours, configured, snapshot.table, context)
    parameters = {
        "retentionCheckEnabled": context.setting(session_settings.RETENTION_CHECK),
        "defaultRetentionMillis": configured,
    }
    if specified is not None:
        parameters["specifiedRetentionMillis"] = specified
    lite = context.setting(session_settings.VACUUM_LITE) if statement.lite is None else statement.lite
    candidates = Candidates.LOG if lite else Candidates.FOLDER
    return FileRemoval(
        log,
        snapshot,
        configured if specified is None else specified,
        Candidates.INVENTORY if statement.inventory is not None else candidates,
        parameters,
        statement.dry_run,
        _is_logged(log.location, context),
        None if statement.inventory is None else _vacuum_inventory(statement.inventory, context),
    )


def _table(name: TableName, context: Context) -> tuple[DeltaLog, Snapshot]:
    """The table, which must be writable. Raises VacuumPartitionError for a folder inside of one."""
    try:
        return context.writable(name)
    except errors.NotADeltaTableError:
        root = _table_around(name.path, context)
        if root is None:
            raise
        raise errors.VacuumPartitionError(str(name.path), root).at(context.caret(name.start, name.end)) from None


def _table_around(path: str | None, context: Context) -> str | None:
    """The table that a path lies in."""
    parent = "" if path is None else context.catalog.absolute(path).rpartition("/")[0]
    while parent and not parent.endswith("/"):
        if context.logs(parent, parent).store.has_below(LOG):
            return parent
        parent = parent.rpartition("/")[0]
    return None


def _specified_retention(hours: SqlText | None, configured: int, table: str, context: Context) -> int | None:
    """RETAIN in ms. Raises NegativeRetentionError, and RetentionTooShortError while the check is on."""
    if hours is None:
        return None
    caret = context.caret(hours.start, hours.end)
    specified = int(Decimal(hours.text.replace(" ", "").rstrip("bBdDfFlLsSyY")) * HOUR_MS)
    if specified < 0:
        raise errors.NegativeRetentionError(hours.text).at(caret)
    if specified < configured and context.setting(session_settings.RETENTION_CHECK):
        raise errors.RetentionTooShortError(table, hours.text, f"{configured / HOUR_MS:g}").at(caret)
    return specified


def _is_logged(location: str, context: Context) -> bool:
    chosen = context.setting(session_settings.VACUUM_LOGGING)
    if chosen is not None:
        return chosen
    return is_local(location) or location.partition(":")[0].lower() in _LOGGED


def _vacuum_inventory(inventory: SqlText, context: Context) -> Operator:
    """The rows of the inventory, in the order of INVENTORY. Raises InventorySchemaError."""
    prefix = "SELECT * FROM "
    sql, relations = binding.bind(
        context, prefix + inventory.text, position=lambda offset: max(offset - len(prefix), 0) + inventory.start
    )
    schema = context.analyst.schema(SqlQuery(sql, relations, "inventory"))
    fields = {field.name.lower(): field.type for field in schema}
    if any(fields.get(name.lower()) != kind for name, kind in INVENTORY.items()):
        shown = ", ".join(f"{field.name} {type_text(field.type)}" for field in schema)
        raise errors.InventorySchemaError(shown).at(context.caret(inventory.start, inventory.end))
    columns = ", ".join(INVENTORY)
    return SqlQuery(f"SELECT {columns} FROM ({sql})", relations, "inventory")
