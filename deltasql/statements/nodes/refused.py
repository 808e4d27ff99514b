"""Statements that are parsed and refused."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class Refused(LogicalPlan):
    """A statement of Hive tables: `operation` is its name, `advice` says what to write for a Delta table."""

    operation: str
    table: TableName
    advice: str
