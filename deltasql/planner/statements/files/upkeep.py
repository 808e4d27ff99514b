"""CACHE, UNCACHE, REFRESH and ANALYZE of tables.

Each statement reads the log anew, files have their statistics there, and rows are read from files: there is nothing to
do for tables of the warehouse but to say whether they are there. What only Spark knows is Spark's to cache.
"""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.statements.refused import DeltaStatisticsError, WrongObjectError
from deltasql.plan.base import TableName
from deltasql.plan.statements.upkeep import AnalyzeTable, AnalyzeTables, CacheTable, RefreshTable, UncacheTable
from deltasql.plan.statements.view import CreateView, ViewScope
from deltasql.planner.changes import Answer, Plan, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.schema.paths import resolve


@plan.register
def _(statement: CacheTable, context: Context) -> Plan:
    """With a query a temporary view, whose rows are those of its tables when it is read."""
    if statement.query is None:
        return _nothing_to_do(statement.table, context)
    view = CreateView(False, ViewScope.TEMPORARY, False, statement.table, (), False, statement.query)
    return plan(view, context)


@plan.register
def _(statement: RefreshTable, context: Context) -> Plan:
    return _nothing_to_do(statement.table, context)


@plan.register
def _(statement: UncacheTable, context: Context) -> Plan:
    if statement.if_exists and not context.knows(statement.table):
        return Answer()
    return _nothing_to_do(statement.table, context)


@plan.register
def _(statement: AnalyzeTable, context: Context) -> Plan:
    name = statement.table
    caret = context.caret(name.start, name.end)
    if context.is_view(name):
        advice = f"ANALYZE TABLE of the tables that {name} reads"
        raise WrongObjectError("ANALYZE TABLE", "table", str(name), "view", advice).at(caret)
    if context.is_sparks(name):
        return SparkCommand(context.sql, {})
    if statement.delta:
        raise DeltaStatisticsError(table=str(name)).at(caret)
    snapshot = context.snapshot(name)
    for column in statement.columns:
        try:
            resolve(snapshot.schema, column.parts, where=str(name))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
    return Answer()


@plan.register
def _(statement: AnalyzeTables, context: Context) -> Plan:
    if statement.schema is not None:
        context.catalog.schema(statement.schema.parts)
    return Answer()


def _nothing_to_do(name: TableName, context: Context) -> Plan:
    """Raises TableNotFoundError, and what is wrong with the table's log."""
    context.refuse_version(name)
    if context.is_view(name):
        return Answer()
    if context.is_sparks(name):
        return SparkCommand(context.sql, {})
    context.snapshot(name)
    return Answer()
