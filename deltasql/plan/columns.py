"""ALTER TABLE … columns."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName
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
class AddColumns(LogicalPlan):
    """ALTER TABLE t ADD {COLUMN | COLUMNS} (path type [COMMENT 'text'] [FIRST | AFTER name], …)"""

    table: TableName
    columns: tuple[AddedColumn, ...]
