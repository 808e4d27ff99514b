"""Which statements may be part of a transaction, and why the others may not."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.base.errors.statements.transaction import NestedTransactionError, NotInTransactionError
from deltasql.log.actions import operations
from deltasql.plan.base import LogicalPlan
from deltasql.planner.catalog_changes import CatalogChange, CatalogChoice, SchemaChoice
from deltasql.planner.changes import (
    AtomicBlock,
    FileRemoval,
    LayoutChange,
    Plan,
    RowChange,
    SourceWrite,
    Stepwise,
    TableChange,
)
from deltasql.statements.nodes.catalog import (
    CommentOnCatalog,
    CreateCatalog,
    DropCatalog,
    SetCatalogProperties,
    UnsetCatalogProperties,
)
from deltasql.statements.nodes.clone import CloneTable
from deltasql.statements.nodes.convert import Convert
from deltasql.statements.nodes.copy_into import CopyInto
from deltasql.statements.nodes.features import DropFeature
from deltasql.statements.nodes.fsck import Fsck
from deltasql.statements.nodes.generate import Generate
from deltasql.statements.nodes.optimize import Optimize, Reorg, UpgradeUniform
from deltasql.statements.nodes.properties import CommentOnSchema
from deltasql.statements.nodes.refresh import CreateRefreshed, RefreshData
from deltasql.statements.nodes.restore import Restore
from deltasql.statements.nodes.table import (
    CreateSchema,
    CreateTable,
    CreateTableLike,
    DropSchema,
    DropTable,
    RenameTable,
    SetSchemaProperties,
    SetTableLocation,
    UnsetSchemaProperties,
)
from deltasql.statements.nodes.upkeep import AnalyzeTable
from deltasql.statements.nodes.vacuum import Vacuum

_MOVES = "it moves rows to other files, which must be those of a version."
_MAKES = "it makes a table, or puts another one in its place."
_CATALOG = "the catalog takes its change at once, and ROLLBACK could not undo it."
_STEPS = "it makes several separate commits."
_DELETES = "it deletes files for good."
_RESTORES = "it puts the table back as it was, whatever is there now."
_MENDS = "it takes files out that are gone, of what others have committed."
_STREAMS = "each batch of a stream is a commit that is done once."
_STATES = "it speaks of the files of a version."
_UNCHANGED = "it says that no row changes (dataChange = false), which is so for a whole commit or not at all."

_LOADS = "it records the loaded files in a separate commit, which may follow other loads."

_REFRESHES = "it records the versions of the tables that it has read, and others may have changed these by COMMIT."

_FILES = "tables of other formats than Delta have no commits."

_STATEMENTS: Mapping[type[LogicalPlan], tuple[str, str]] = {
    CopyInto: ("COPY INTO", _LOADS),
    RefreshData: ("REFRESH", _REFRESHES),
    CreateRefreshed: ("CREATE MATERIALIZED VIEW or STREAMING TABLE", _MAKES),
    AnalyzeTable: ("ANALYZE TABLE", _STATES),
    Generate: ("GENERATE", _STATES),
    CloneTable: ("CREATE TABLE … CLONE", _MAKES),
    Convert: ("CONVERT TO DELTA", _MAKES),
    Optimize: ("OPTIMIZE", _MOVES),
    Reorg: ("REORG TABLE", _MOVES),
    UpgradeUniform: ("REORG TABLE … UPGRADE UNIFORM", _STEPS),
    Vacuum: ("VACUUM", _DELETES),
    Restore: ("RESTORE", _RESTORES),
    Fsck: ("FSCK REPAIR TABLE", _MENDS),
    DropFeature: ("ALTER TABLE … DROP FEATURE", _STEPS),
    CreateTable: ("CREATE TABLE", _MAKES),
    CreateTableLike: ("CREATE TABLE … LIKE", _MAKES),
    DropTable: ("DROP TABLE", _CATALOG),
    RenameTable: ("ALTER TABLE … RENAME TO", _CATALOG),
    SetTableLocation: ("ALTER TABLE … SET LOCATION", _CATALOG),
    CreateSchema: ("CREATE SCHEMA", _CATALOG),
    SetSchemaProperties: ("ALTER SCHEMA", _CATALOG),
    UnsetSchemaProperties: ("ALTER SCHEMA", _CATALOG),
    CommentOnSchema: ("COMMENT ON SCHEMA", _CATALOG),
    DropSchema: ("DROP SCHEMA", _CATALOG),
    CreateCatalog: ("CREATE CATALOG", _CATALOG),
    CommentOnCatalog: ("COMMENT ON CATALOG", _CATALOG),
    SetCatalogProperties: ("ALTER CATALOG", _CATALOG),
    UnsetCatalogProperties: ("ALTER CATALOG", _CATALOG),
    DropCatalog: ("DROP CATALOG", _CATALOG),
}
"""Statements that never compose, whatever the table is like; how errors call them, and why."""


def admit_statement(statement: LogicalPlan) -> None:
    """Raises NotInTransactionError for a statement that can be no part of a transaction."""
    admission = _STATEMENTS.get(type(statement))
    if admission is not None:
        raise NotInTransactionError(*admission)


def admit(plan: Plan) -> None:
    """Raises NotInTransactionError or NestedTransactionError for what a statement cannot come to in a transaction."""
    match plan:
        case AtomicBlock():
            raise NestedTransactionError
        case TableChange() | RowChange():
            _admit_change(plan)
        case LayoutChange():
            raise NotInTransactionError(plan.commit.operation.name, _MOVES)
        case SourceWrite():
            raise NotInTransactionError(f"A write of {plan.source.format} files", _FILES)
        case FileRemoval():
            raise NotInTransactionError("VACUUM", _DELETES)
        case Stepwise(label) if plan.commits:
            raise NotInTransactionError(f"A statement of several commits ({label})", _STEPS)
        case CatalogChange() if not isinstance(plan, (SchemaChoice, CatalogChoice)):
            raise NotInTransactionError("A change of the catalog", _CATALOG)


def _admit_change(change: TableChange | RowChange) -> None:
    operation = change.commit.operation
    if operation is operations.REFRESH:
        raise NotInTransactionError("REFRESH", _REFRESHES)
    if isinstance(change, RowChange) and change.rearranges:
        raise NotInTransactionError(operation.name, _UNCHANGED)
    overwrites = bool(change.commit.parameters.get("isV1SaveAsTableOverwrite"))
    if change.commit.snapshot is None or not (operation.composes or overwrites):
        reason = _STREAMS if operation is operations.STREAMING_UPDATE else _MAKES
        raise NotInTransactionError(operation.name, reason)
