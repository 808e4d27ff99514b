"""RESTORE: an older version becomes the newest."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName, Temporal


@dataclass(frozen=True, slots=True)
class Restore(LogicalPlan):
    """RESTORE [TABLE] t [TO] {VERSION | TIMESTAMP} AS OF x"""

    table: TableName
    version: Temporal
