"""Transactions of several statements."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText


@dataclass(frozen=True, slots=True)
class BeginAtomic(LogicalPlan):
    """BEGIN ATOMIC statement; … END"""

    statements: tuple[SqlText, ...]


@dataclass(frozen=True, slots=True)
class BeginTransaction(LogicalPlan):
    """{BEGIN | START} TRANSACTION"""


@dataclass(frozen=True, slots=True)
class CommitTransaction(LogicalPlan):
    """COMMIT [TRANSACTION | WORK]"""


@dataclass(frozen=True, slots=True)
class RollbackTransaction(LogicalPlan):
    """ROLLBACK [TRANSACTION | WORK]"""
