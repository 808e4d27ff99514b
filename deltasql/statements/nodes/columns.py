"""ALTER TABLE … columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.schema.types import DataType
from deltasql.statements.nodes.table import ColumnDefinition


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
class Retyped:
    """TYPE type. `type_text` is the type as it was declared: CHAR and VARCHAR are strings to `type`."""

    type: DataType
    type_text: str


@dataclass(frozen=True, slots=True)
class Commented:
    """COMMENT 'text'"""

    comment: str


@dataclass(frozen=True, slots=True)
class Moved:
    """FIRST, or AFTER the sibling of that name."""

    first: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Nullability:
    """DROP NOT NULL (`nullable`) or SET NOT NULL"""

    nullable: bool


@dataclass(frozen=True, slots=True)
class Defaulted:
    """SET DEFAULT expression, or DROP DEFAULT: None."""

    default: SqlText | None


@dataclass(frozen=True, slots=True)
class Synchronized:
    """SYNC IDENTITY"""


Alteration: TypeAlias = Union[Retyped, Commented, Moved, Nullability, Defaulted, Synchronized]


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """path alteration

    The Hive form, path name type [NOT NULL] [DEFAULT expr] [COMMENT 'text'] [FIRST | AFTER name], has several
    alterations, in the order in which they are made, and `name`, which must be the column's own.
    """

    path: ColumnPath
    alterations: tuple[Alteration, ...]
    name: str | None = None


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
