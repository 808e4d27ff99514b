"""Statements that Spark runs, and the refusal by name of statements that no engine runs."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import SqlText
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, sql_text
from deltasql.sql.parser.unsupported import refusal
from deltasql.statements.nodes.query import Query, SparkStatement


@builds("query")
def _query(children: list[Any], tree: Tree, text: str) -> Query:
    query: SqlText = children[0]
    return Query(query)


@builds("spark_statement")
def _spark_statement(children: list[Any], tree: Tree, text: str) -> SparkStatement:
    refused = refusal(text)
    if refused:
        raise refused
    return SparkStatement(sql_text(tree, text))
