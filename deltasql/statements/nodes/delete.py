"""DELETE."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class Delete(LogicalPlan):
    """[WITH ctes] DELETE FROM t [[AS] alias] [WHERE condition]"""

    ctes: SqlText | None
    table: TableName
    alias: str | None
    condition: SqlText | None
