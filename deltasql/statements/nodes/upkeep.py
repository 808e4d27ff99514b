"""Statements by which other engines maintain tables."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class CacheTable(LogicalPlan):
    """CACHE [LAZY] TABLE t [OPTIONS (…)] [[AS] query]"""

    table: TableName
    query: SqlText | None


@dataclass(frozen=True, slots=True)
class UncacheTable(LogicalPlan):
    """UNCACHE TABLE [IF EXISTS] t"""

    if_exists: bool
    table: TableName


@dataclass(frozen=True, slots=True)
class RefreshTable(LogicalPlan):
    """REFRESH [TABLE] t [FULL] [SYNC | ASYNC]"""

    table: TableName
    full: bool
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class AnalyzeTable(LogicalPlan):
    """ANALYZE TABLE t [PARTITION (…)] COMPUTE [DELTA] STATISTICS [NOSCAN | FOR COLUMNS a, … | FOR ALL COLUMNS]"""

    table: TableName
    delta: bool
    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class SyncMetadata(LogicalPlan):
    """[MSCK] REPAIR TABLE t SYNC METADATA"""

    table: TableName


@dataclass(frozen=True, slots=True)
class AnalyzeTables(LogicalPlan):
    """ANALYZE TABLES [{IN | FROM} s] COMPUTE STATISTICS [NOSCAN]"""

    schema: TableName | None
