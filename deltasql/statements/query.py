"""Queries and other statements that Spark runs, with Delta tables bound to their snapshots.

Statements that no engine runs are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from deltasql.base import Token, closing, comma_separated, tokenize
from deltasql.plan import LogicalPlan, SqlText
from deltasql.planner import Context, LogRows, Plan, QueryRows, SparkCommand, answered_rows, binding, plan
from deltasql.schema import case_matters, matching, quote_text
from deltasql.sql import Replacement, Tree, builds, splice, sql_text, unquote, unsupported


@dataclass(frozen=True, slots=True)
class Query(LogicalPlan):
    """SELECT …, WITH … SELECT, VALUES, TABLE t, FROM …: returns rows lazily."""

    reads_only: ClassVar[bool] = True

    query: SqlText


@dataclass(frozen=True, slots=True)
class SparkStatement(LogicalPlan):
    """Any other statement, passed to Spark with its table references bound to our snapshots."""

    statement: SqlText


@builds("query")
def _query(children: list[Any], tree: Tree, text: str) -> Query:
    query: SqlText = children[0]
    return Query(query)


@builds("spark_statement")
def _spark_statement(children: list[Any], tree: Tree, text: str) -> SparkStatement:
    refused = unsupported(text)
    if refused:
        raise refused
    return SparkStatement(sql_text(tree, text))


@plan.register
def plan_query(statement: Query, context: Context) -> Plan:
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
def plan_spark_statement(statement: SparkStatement, context: Context) -> Plan:
    text, start = statement.statement.text, statement.statement.start
    sql, relations = binding.bind(context, text, position=lambda offset: start + offset)
    return SparkCommand(splice(sql, _located_paths(sql, context.catalog.located)).sql, relations)


def _located_paths(sql: str, located: Callable[[str], str]) -> Iterator[Replacement]:
    """Replacements for the paths that a statement names, which Spark would look for elsewhere than the session.

    They are the text behind DIRECTORY, the option `path`, and what ADD JAR, FILE or ARCHIVE name.
    """
    tokens = tokenize(sql)
    if tokens[0].key == "ADD" and len(tokens) > 2:
        yield from _located_resource(sql, tokens[2], located)
    for index, (token, following) in enumerate(pairwise(tokens)):
        if token.key == "DIRECTORY":
            yield from _located_text(following, located)
        elif token.key == "OPTIONS" and following.key == "(":
            for option in comma_separated(tokens[index + 2 : closing(tokens, index + 1)]):
                if option[0].text.strip("'\"`").lower() == "path":
                    yield from _located_text(option[-1], located)


def _located_resource(sql: str, first: Token, located: Callable[[str], str]) -> Iterator[Replacement]:
    """The path of ADD FILE, which without quotes is the rest of the statement; there may be several."""
    path = sql[first.start :].strip().rstrip(";").strip()
    if first.kind == "string":
        yield from _located_text(first, located)
    elif " " not in path:
        yield first.start, len(sql), located(path)


def _located_text(token: Token, located: Callable[[str], str]) -> Iterator[Replacement]:
    path = unquote(token.text) if token.kind == "string" else None
    if path and (location := located(path)) != path:
        yield token.start, token.end, quote_text(location)
