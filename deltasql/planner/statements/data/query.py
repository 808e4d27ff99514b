"""Queries and other statements that Spark runs, with our tables bound to their snapshots."""

from __future__ import annotations

from deltasql.plan.statements.query import Query, SparkStatement
from deltasql.planner import binding
from deltasql.planner.changes import Plan, QueryRows, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan


@plan.register
def _(statement: Query, context: Context) -> Plan:
    return QueryRows(binding.query(context, statement.query))


@plan.register
def _(statement: SparkStatement, context: Context) -> Plan:
    text, start = statement.statement.text, statement.statement.start
    sql, relations = binding.bind(context, text, place=lambda offset: start + offset)
    return SparkCommand(sql, relations)
