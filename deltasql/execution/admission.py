"""Which plans may be part of a transaction, and why the others may not."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.errors.statements.transaction import NestedTransactionError, NotInTransactionError
from deltasql.log.actions import operations
from deltasql.planner.catalog_changes import (
    CatalogChange,
    CatalogChoice,
    Registration,
    Relocation,
    Renaming,
    SchemaChoice,
    SchemaComment,
    SchemaCreation,
    SchemaProperties,
    SchemaRemoval,
    Unregistration,
)
from deltasql.planner.changes import (
    AtomicBlock,
    FileRemoval,
    LayoutChange,
    Plan,
    RowChange,
    Stepwise,
    TableChange,
)

_CATALOG: Mapping[type[CatalogChange], str] = {
    Registration: "CREATE TABLE",
    Unregistration: "DROP TABLE",
    Renaming: "ALTER TABLE … RENAME TO",
    Relocation: "ALTER TABLE … SET LOCATION",
    SchemaComment: "COMMENT ON SCHEMA",
    SchemaCreation: "CREATE SCHEMA",
    SchemaProperties: "ALTER SCHEMA",
    SchemaRemoval: "DROP SCHEMA",
}
_REASONS = {
    operations.RESTORE.name: "it puts the table back as it was, whatever is there now.",
    operations.CLONE.name: "it puts another table in the place of this one.",
    operations.STREAMING_UPDATE.name: "each batch of a stream is a commit that is done once.",
    operations.FSCK.name: "it takes files out that are gone, on top of what others have committed.",
}
_MOVES = "it moves rows to other files, which must be those of a version."
_MAKES = "it makes a table, or puts another one in its place."
_CHANGES_CATALOG = "the catalog takes its change at once, and ROLLBACK could not undo it."
_STEPS = "it is several commits of its own."
_DELETES = "it deletes files for good."


def admit(plan: Plan) -> None:
    """Raises NotInTransactionError or NestedTransactionError for what cannot be part of a transaction."""
    match plan:
        case AtomicBlock():
            raise NestedTransactionError
        case TableChange() | RowChange():
            _admit_change(plan)
        case LayoutChange():
            raise NotInTransactionError(operation=plan.commit.operation.name, reason=_MOVES)
        case FileRemoval():
            raise NotInTransactionError(operation="VACUUM", reason=_DELETES)
        case Stepwise(label) if plan.commits:
            raise NotInTransactionError(operation=f"A statement of several commits ({label})", reason=_STEPS)
        case CatalogChange() if not isinstance(plan, (SchemaChoice, CatalogChoice)):
            raise NotInTransactionError(operation=_CATALOG[type(plan)], reason=_CHANGES_CATALOG)


def _admit_change(change: TableChange | RowChange) -> None:
    operation = change.commit.operation
    if isinstance(change, RowChange) and change.rearranges:
        reason = "it says that no row changes (dataChange = false), which is so for a whole commit or not at all."
        raise NotInTransactionError(operation=operation.name, reason=reason)
    overwrites = bool(change.commit.parameters.get("isV1SaveAsTableOverwrite"))
    if change.commit.snapshot is None or not (operation.composes or overwrites):
        raise NotInTransactionError(operation=operation.name, reason=_REASONS.get(operation.name, _MAKES))
