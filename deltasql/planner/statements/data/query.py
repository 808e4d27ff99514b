"""Queries and other statements that Spark runs, with our tables bound to their snapshots."""

from __future__ import annotations

from deltasql.plan.statements.query import Query, SparkStatement
from deltasql.planner import binding
from deltasql.planner.answers.log_rows import answered_rows
from deltasql.planner.changes import LogRows, Plan, QueryRows, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.schema.types import case_matters, matching


@plan.register
def _(statement: Query, context: Context) -> Plan:
    """Answered by the log where it can; the DataFrame of such a query is bound on first use."""
    rows_of_log = answered_rows(context, statement.query)
    if rows_of_log is None:
        return QueryRows(binding.query(context, statement.query))
    case_sensitive = case_matters()

    def query() -> QueryRows:
        with matching(case_sensitive=case_sensitive):
            return QueryRows(binding.query(context, statement.query))

    return LogRows(rows_of_log.schema, rows_of_log.rows, rows_of_log.explain_text, query)


@plan.register
def _(statement: SparkStatement, context: Context) -> Plan:
    text, start = statement.statement.text, statement.statement.start
    sql, relations = binding.bind(context, text, position=lambda offset: start + offset)
    return SparkCommand(sql, relations)
