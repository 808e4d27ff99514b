"""CREATE, DESCRIBE and SHOW of functions."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import SqlText, TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, sql_text
from deltasql.sql.tokens import TokenCursor, tokenize
from deltasql.statements.nodes.function import CreateFunction, DescribeFunction
from deltasql.statements.nodes.query import SparkStatement


@builds("create_function")
def _create_function(children: list[Any], tree: Tree, text: str) -> CreateFunction:
    mode, temporary, if_not_exists, function, *_ = children
    return CreateFunction(
        mode, temporary, if_not_exists, function, SqlText(text[function.end : tree.end], function.end)
    )


@builds("function_kind")
def _kind(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0]).upper() if children else "ALL"


@builds("describe_function")
def _describe_function(children: list[Any], tree: Tree, text: str) -> DescribeFunction | SparkStatement:
    """Operators are functions, too: those are Spark's."""
    rest = children[0]
    at = TokenCursor(tokenize(rest.text))
    extended = len(at.tokens) > 1 and bool(at.take("EXTENDED"))
    chain = at.dotted() if at.is_name else []
    if not chain or at.left:
        return SparkStatement(sql_text(tree, text))
    start, end = rest.start + chain[0].start, rest.start + chain[-1].end
    return DescribeFunction(extended, TableName(tuple(token.name for token in chain), start, end))
