"""OPTIMIZE and REORG: the same rows in other files."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class Optimize(LogicalPlan):
    """OPTIMIZE {t | 'path'} [FULL] [WHERE predicate] [ZORDER BY (columns)]"""

    table: TableName
    full: bool
    predicate: SqlText | None
    zorder_by: tuple[ColumnPath, ...] | None


@dataclass(frozen=True, slots=True)
class Reorg(LogicalPlan):
    """REORG TABLE t [WHERE predicate] APPLY (PURGE)"""

    table: TableName
    predicate: SqlText | None


@dataclass(frozen=True, slots=True)
class UpgradeUniform(LogicalPlan):
    """REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = n))"""

    table: TableName
    version: int
