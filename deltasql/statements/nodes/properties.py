"""ALTER TABLE … TBLPROPERTIES, COMMENT ON."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class SetTableProperties(LogicalPlan):
    """ALTER TABLE t SET TBLPROPERTIES (key = value, …)"""

    table: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetTableProperties(LogicalPlan):
    """ALTER TABLE t UNSET TBLPROPERTIES [IF EXISTS] (key, …)"""

    table: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommentOnTable(LogicalPlan):
    """COMMENT ON {TABLE | VIEW} t IS {'text' | NULL}"""

    table: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class CommentOnColumn(LogicalPlan):
    """COMMENT ON COLUMN t.a IS {'text' | NULL}; `column` begins with the table's name"""

    column: ColumnPath
    comment: str | None


@dataclass(frozen=True, slots=True)
class CommentOnSchema(LogicalPlan):
    """COMMENT ON {SCHEMA | DATABASE} s IS {'text' | NULL}"""

    schema: TableName
    comment: str | None
