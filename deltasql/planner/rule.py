"""The open set of planner rules: one function per statement, found by the type of its node."""

from __future__ import annotations

from functools import singledispatch

from deltasql.plan.base import LogicalPlan
from deltasql.planner.changes import Plan
from deltasql.planner.context import Context


@singledispatch
def plan(statement: LogicalPlan, context: Context) -> Plan:
    """The plan of `statement` on the current tables. Changes nothing."""
    raise TypeError(f"no planner rule for {type(statement).__name__}")
