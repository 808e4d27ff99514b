"""Queries and other statements that Spark runs, with our tables bound to their snapshots."""

from __future__ import annotations

from deltasql.plan.statements.query import Query, SparkStatement
from deltasql.planner import binding
from deltasql.planner.changes import Plan, QueryRows, SparkCommand
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.sql.tokens import tokenize


@plan.register
def _(statement: Query, context: Context) -> Plan:
    return QueryRows(binding.query(context, statement.query))


@plan.register
def _(statement: SparkStatement, context: Context) -> Plan:
    text, start = statement.statement.text, statement.statement.start
    functions = _functions_of_schema(text, context)
    if functions is not None:
        return SparkCommand(functions, {})
    sql, relations = binding.bind(context, text, place=lambda offset: start + offset)
    return SparkCommand(sql, relations)


def _functions_of_schema(text: str, context: Context) -> str | None:
    """SHOW FUNCTIONS IN a schema of ours without its name: no schema has functions of its own, and all see the rest.

    None for other statements. Raises SchemaNotFoundError.
    """
    tokens = tokenize(text)
    keys = [token.key for token in tokens]
    at = keys.index("FUNCTIONS") + 1 if keys[:1] == ["SHOW"] and "FUNCTIONS" in keys[1:3] else 0
    if not at or keys[at : at + 1] not in (["IN"], ["FROM"]):
        return None
    end = at + 2
    while keys[end : end + 1] == ["."]:
        end += 2
    context.catalog.schema(tuple(token.name for token in tokens[at + 1 : end : 2]))
    return text[: tokens[at - 1].end] + text[tokens[end - 1].end :]
