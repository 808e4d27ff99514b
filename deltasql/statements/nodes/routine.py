"""Statements given as text."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText


@dataclass(frozen=True, slots=True)
class ExecuteImmediate(LogicalPlan):
    """EXECUTE IMMEDIATE text [INTO variable, …] [USING value [AS name], …]"""

    text: SqlText
    variables: tuple[ColumnPath, ...]
    values: SqlText | None
