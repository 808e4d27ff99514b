"""Queries and other statements that Spark runs, with our tables bound to their snapshots."""

from __future__ import annotations

from deltasql.plan.query import Query, SparkStatement
from deltasql.planner.changes import Plan, QueryRows, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan


@plan.register
def _(statement: Query, context: Context) -> Plan:
    return QueryRows(context.query(statement.query))


@plan.register
def _(statement: SparkStatement, context: Context) -> Plan:
    text, start = statement.statement.text, statement.statement.start
    sql, relations = context.bind(text, place=lambda offset: start + offset)
    return SparkCommand(sql, relations)
