"""GENERATE."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class Generate(LogicalPlan):
    """GENERATE symlink_format_manifest FOR TABLE t"""

    mode: ColumnPath
    table: TableName
