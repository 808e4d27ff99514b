"""Statements that Spark runs: queries, and statements that deltasql does not implement."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText


@dataclass(frozen=True, slots=True)
class Query(LogicalPlan):
    """SELECT …, WITH … SELECT, VALUES, TABLE t, FROM …: returns rows lazily."""

    query: SqlText


@dataclass(frozen=True, slots=True)
class SparkStatement(LogicalPlan):
    """Any other statement, passed to Spark with its table references bound to our snapshots."""

    statement: SqlText
