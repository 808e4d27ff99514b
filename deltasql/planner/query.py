"""Queries and other statements that Spark runs, with our tables bound to their snapshots."""

from __future__ import annotations

import re

from deltasql.errors.view import PermanentViewError
from deltasql.plan.query import Query, SparkStatement
from deltasql.planner.changes import Plan, QueryRows, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.planner.view import view_change

_KEEPS_A_QUERY = re.compile(r"CREATE\b(?:(?!\bAS\b).)*?\bVIEW\b", re.IGNORECASE | re.DOTALL)


@plan.register
def _(statement: Query, context: Context) -> Plan:
    return QueryRows(context.query(statement.query))


@plan.register
def _(statement: SparkStatement, context: Context) -> Plan:
    text = statement.statement.text
    change = view_change(text, context)
    if change is not None:
        return change
    start = statement.statement.start
    sql, relations = context.bind(text, place=lambda offset: start + offset)
    if relations and _KEEPS_A_QUERY.match(text):
        raise PermanentViewError().at(context.caret(start, start + len(text.split(maxsplit=1)[0])))
    return SparkCommand(sql, relations)
