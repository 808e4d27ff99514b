"""The tree of an expression: precedence, and which texts have none."""

from __future__ import annotations

import pytest

from deltasql.base import LeftToEngineError
from deltasql.schema.types import LONG
from deltasql.sql.expressions import (
    Binary,
    CallNode,
    CastTo,
    ColumnNode,
    ComparisonNode,
    IsWord,
    Logic,
    Member,
    Node,
    Not,
    Signed,
    Written,
    expression_tree,
)


def shown(node: Node) -> str:
    """A tree with all its brackets."""
    match node:
        case Written(tokens):
            return " ".join(token.text for token in tokens)
        case ColumnNode():
            return ".".join(node.names)
        case Binary(operator, left, right) | ComparisonNode(operator, left, right):
            return f"({shown(left)} {operator} {shown(right)})"
        case Logic(operator, parts):
            return f"({f' {operator} '.join(map(shown, parts))})"
        case Not(value):
            return f"(NOT {shown(value)})"
        case IsWord(value, word, denied):
            return f"({shown(value)} IS {'NOT ' if denied else ''}{word})"
        case Member(value, word, others, denied):
            return f"({shown(value)} {'NOT ' if denied else ''}{word} {', '.join(map(shown, others))})"
        case CastTo(value, kind):
            return f"CAST({shown(value)} AS {kind})"
        case Signed(sign, value):
            return f"{sign}{shown(value)}"
        case CallNode(_, arguments):
            return f"{node.name}({', '.join(map(shown, arguments))})"
        case _:
            return type(node).__name__


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a OR b AND NOT c = 1", "(a OR (b AND (NOT (c = 1))))"),
        ("a - b - 1 * 2", "((a - b) - (1 * 2))"),
        ("a -1", "(a - 1)"),
        ("- a * -2", "(-a * - 2)"),
        ("a == b != c", "((a = b) <> c)"),
        ("a = b IS NOT NULL", "((a = b) IS NOT NULL)"),
        ("a NOT BETWEEN 1 AND 2 AND b", "((a NOT BETWEEN 1, 2) AND b)"),
        ("a || 'x' 'y' LIKE b", "((a || 'x' 'y') LIKE b)"),
        ("-1::BIGINT", f"-CAST(1 AS {LONG})"),
        ("`Lower`(t.`a b`, date '2024-01-31')", "lower(t.a b, date '2024-01-31')"),
        ("CASE WHEN a THEN 1 END", "CaseNode"),
        ("case (a) when 1 then 2 else 3 end", "CaseNode"),
    ],
)
def test_precedence(text: str, found: str) -> None:
    assert shown(expression_tree(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        *("", "a b", "a IS NULL = b", "a & b", "INTERVAL 1 DAY", "(SELECT 1)", "EXISTS (SELECT 1)", "a IN (SELECT b)"),
        *("a LIKE b ESCAPE 'c'", "CAST(a AS ARRAY<INT>)", "EXTRACT(EPOCH FROM a)", "CASE END", "a.b(1)", "a 'x' 'y'"),
    ],
)
def test_other_texts_have_no_tree(text: str) -> None:
    with pytest.raises(LeftToEngineError):
        expression_tree(text)
