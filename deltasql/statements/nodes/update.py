"""UPDATE, and the assignments that it shares with MERGE."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class Assignment:
    """path = expression; `value` is None for the keyword DEFAULT."""

    target: ColumnPath
    value: SqlText | None


@dataclass(frozen=True, slots=True)
class Update(LogicalPlan):
    """[WITH ctes] UPDATE t [[AS] alias] SET path = {expr | DEFAULT}, … [WHERE condition]"""

    ctes: SqlText | None
    table: TableName
    alias: str | None
    assignments: tuple[Assignment, ...]
    condition: SqlText | None
