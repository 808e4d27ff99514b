"""The tree of an expression: precedence, and which texts have none."""

from __future__ import annotations

import pytest

from deltasql.base import LeftToEngineError
from deltasql.schema.types import LONG
from deltasql.sql.expressions import (
    Binary,
    Brackets,
    CallNode,
    CastTo,
    ColumnNode,
    ComparisonNode,
    IntervalNode,
    IsWord,
    Logic,
    Member,
    Node,
    Not,
    Signed,
    Written,
    condition_tree,
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
        case Not(value) | Brackets(value):
            return f"({'NOT ' if isinstance(node, Not) else ''}{shown(value)})"
        case IsWord(value, word, denied):
            return f"({shown(value)} IS {'NOT ' if denied else ''}{word})"
        case Member(value, word, others, denied):
            return f"({shown(value)} {'NOT ' if denied else ''}{word} {', '.join(map(shown, others))})"
        case CastTo(value, kind):
            return f"CAST({shown(value)} AS {kind})"
        case IntervalNode(amount, unit):
            return f"{amount} {unit}"
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
        ("a IS NOT DISTINCT FROM 1 AND a IS DISTINCT FROM b + 1", "((a <=> 1) AND (NOT (a <=> (b + 1))))"),
        ("a - INTERVAL 3 days > b + INTERVAL '2 hours'", "((a - 3 DAYS) > (b + 2 HOURS))"),
        ("interval '1' day", "1 DAY"),
        ("CASE WHEN a THEN 1 END", "CaseNode"),
        ("case (a) when 1 then 2 else 3 end", "CaseNode"),
    ],
)
def test_precedence(text: str, found: str) -> None:
    assert shown(expression_tree(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        *("", "a b", "a IS NULL = b", "a & b", "INTERVAL 1", "(SELECT 1)", "EXISTS (SELECT 1)", "a IN (SELECT b)"),
        *("a LIKE b ESCAPE 'c'", "CAST(a AS ARRAY<INT>)", "EXTRACT(EPOCH FROM a)", "CASE END", "a.b(1)", "a 'x' 'y'"),
        *("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 1 DAY 2 HOURS", "INTERVAL '1 day 2 hours'", "a IS DISTINCT b"),
    ],
)
def test_other_texts_have_no_tree(text: str) -> None:
    with pytest.raises(LeftToEngineError):
        expression_tree(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = 1 AND EXISTS (SELECT 1 WHERE b OR c) AND NOT d", "((a = 1) AND Raw AND (NOT d))"),
        ("(a = 1 OR b & 1 = 0) AND (c & 1) = 0", "((((a = 1) OR Raw)) AND Raw)"),
        ("a BETWEEN (SELECT 1) AND 2 OR b", "(Raw OR b)"),
        ("CASE WHEN a BETWEEN 1 AND b & 1 THEN c AND d ELSE e OR f END OR g", "(Raw OR g)"),
        ("NOT a IN (SELECT b FROM t ORDER BY c, 5)", "(NOT Raw)"),
        ("a NOT BETWEEN b & 1 AND c & 2 AND exists(d, x -> x AND y)", "(Raw AND Raw)"),
        ("a = 1", "(a = 1)"),
        ("a = 1 AND", "Raw"),
        ("a = 1) OR (b", "Raw"),
        ("AND a", "Raw"),
        ("", "Raw"),
    ],
)
def test_conditions_around_others(text: str, found: str) -> None:
    assert shown(condition_tree(text)) == found


def test_deep_brackets_are_no_condition() -> None:
    with pytest.raises(RecursionError):
        condition_tree("(" * 5000 + "a" + ")" * 5000)
