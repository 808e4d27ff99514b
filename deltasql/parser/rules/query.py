"""Statements that Spark runs."""

from __future__ import annotations

from typing import Any

from deltasql.parser.automaton import Tree
from deltasql.parser.build import builds, sql_text
from deltasql.plan.query import SparkStatement


@builds("spark_statement")
def _spark_statement(children: list[Any], tree: Tree, text: str) -> SparkStatement:
    return SparkStatement(sql_text(tree, text))
