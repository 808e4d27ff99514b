"""ALTER TABLE … constraints."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class AddConstraint(LogicalPlan):
    """ALTER TABLE t ADD CONSTRAINT name CHECK (condition)"""

    table: TableName
    name: str
    condition: SqlText


@dataclass(frozen=True, slots=True)
class DropConstraint(LogicalPlan):
    """ALTER TABLE t DROP CONSTRAINT [IF EXISTS] name"""

    table: TableName
    if_exists: bool
    name: str
