"""Functions, and statements that are made of text."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class CreateFunction(LogicalPlan):
    """CREATE [OR REPLACE] [TEMPORARY] FUNCTION [IF NOT EXISTS] f …; `rest` is what stands behind the name"""

    mode: str
    temporary: bool
    if_not_exists: bool
    function: TableName
    rest: SqlText


@dataclass(frozen=True, slots=True)
class ExecuteImmediate(LogicalPlan):
    """EXECUTE IMMEDIATE text [INTO variable, …] [USING value [AS name], …]"""

    text: SqlText
    variables: tuple[ColumnPath, ...]
    values: SqlText | None
