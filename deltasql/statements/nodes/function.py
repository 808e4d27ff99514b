"""Functions of SQL."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class CreateFunction(LogicalPlan):
    """CREATE [OR REPLACE] [TEMPORARY] FUNCTION [IF NOT EXISTS] f …; `rest` is what stands behind the name"""

    mode: str
    temporary: bool
    if_not_exists: bool
    function: TableName
    rest: SqlText


@dataclass(frozen=True, slots=True)
class DropFunction(LogicalPlan):
    """DROP [TEMPORARY] FUNCTION [IF EXISTS] f"""

    temporary: bool
    if_exists: bool
    function: TableName


@dataclass(frozen=True, slots=True)
class DescribeFunction(LogicalPlan):
    """DESCRIBE FUNCTION [EXTENDED] f"""

    extended: bool
    function: TableName


@dataclass(frozen=True, slots=True)
class ShowFunctions(LogicalPlan):
    """SHOW [USER | SYSTEM | ALL] FUNCTIONS [IN schema] [LIKE 'pattern']"""

    kind: str
    schema: TableName | None
    pattern: str | None
