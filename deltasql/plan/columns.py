"""ALTER TABLE … columns."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.plan.table import ColumnDefinition
from deltasql.schema.types import DataType


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """path type [NOT NULL] [DEFAULT expr] [COMMENT 'text'] [FIRST | AFTER name]

    `position` is None (at the end), "FIRST", or the name of the sibling that it follows in `after`.
    """

    path: ColumnPath
    type: DataType
    type_text: str
    nullable: bool = True
    default: SqlText | None = None
    comment: str | None = None
    first: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """path {COMMENT 'text' | FIRST | AFTER name | TYPE type | {SET | DROP} NOT NULL | SET DEFAULT expr | DROP DEFAULT
    | SYNC IDENTITY}

    The Hive form, path name type [NOT NULL] [DEFAULT expr] [COMMENT 'text'] [FIRST | AFTER name], sets several,
    `name` among them.
    """

    path: ColumnPath
    comment: str | None = None
    first: bool = False
    after: str | None = None
    type: DataType | None = None
    type_text: str = ""
    nullable: bool | None = None
    name: str | None = None
    default: SqlText | None = None
    drop_default: bool = False
    sync_identity: bool = False


@dataclass(frozen=True, slots=True)
class AlterColumns(LogicalPlan):
    """ALTER TABLE t {ALTER | CHANGE} [COLUMN] path change, …"""

    table: TableName
    changes: tuple[ColumnChange, ...]


@dataclass(frozen=True, slots=True)
class ReplaceColumns(LogicalPlan):
    """ALTER TABLE t REPLACE COLUMNS (name type [COMMENT 'text'], …)"""

    table: TableName
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class RenameColumn(LogicalPlan):
    """ALTER TABLE t RENAME COLUMN path TO name"""

    table: TableName
    column: ColumnPath
    name: str


@dataclass(frozen=True, slots=True)
class DropColumns(LogicalPlan):
    """ALTER TABLE t DROP {COLUMN | COLUMNS} [IF EXISTS] (path, …)"""

    table: TableName
    if_exists: bool
    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class AddColumns(LogicalPlan):
    """ALTER TABLE t ADD {COLUMN | COLUMNS} (path type [COMMENT 'text'] [FIRST | AFTER name], …)"""

    table: TableName
    columns: tuple[AddedColumn, ...]
