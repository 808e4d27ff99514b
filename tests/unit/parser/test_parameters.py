"""Parameters become literals; places in the bound text lead back to the user's."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from deltasql.base.errors import ParameterValueError, UnboundParameterError
from deltasql.sql.parser.parameters import bind_parameters


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (7, "7"),
        (-(2**31) - 1, "-2147483649L"),
        (2**63, "9223372036854775808BD"),
        (1.5, "1.5D"),
        (float("nan"), "CAST('nan' AS DOUBLE)"),
        (Decimal("1.20"), "1.20BD"),
        ("it's \\", "'it\\'s \\\\'"),
        (b"\x01\xff", "X'01ff'"),
        (date(2024, 1, 31), "DATE '2024-01-31'"),
        (datetime(2024, 1, 31, 1, 2, 3), "TIMESTAMP_NTZ '2024-01-31 01:02:03'"),
        (datetime(2024, 1, 31, tzinfo=timezone.utc), "TIMESTAMP '2024-01-31 00:00:00+00:00'"),
        ([1, "a"], "array(1, 'a')"),
        ({"k": 1}, "map('k', 1)"),
    ],
)
def test_values_as_literals(value: Any, sql: str) -> None:
    assert bind_parameters("SELECT :x", {"x": value}).sql == f"SELECT {sql}"
    assert bind_parameters("SELECT ?", [value]).sql == f"SELECT {sql}"


def test_markers_in_strings_comments_and_operators_are_no_markers() -> None:
    sql = "SELECT ':x ?', \":x\", `a:x?`, v:field, c::int, m['k']:x -- :x ?\n /* :x */ FROM t WHERE a = :x"
    assert bind_parameters(sql, {"x": 1}).sql == sql.removesuffix(":x") + "1"


def test_without_values_the_text_is_left_alone() -> None:
    assert bind_parameters("SELECT :x, ?", None).sql == "SELECT :x, ?"


@pytest.mark.parametrize(
    ("sql", "args"), [("SELECT :x", {"y": 1}), ("SELECT ?, ?", [1]), ("SELECT :x", [1]), ("SELECT ?", {})]
)
def test_a_marker_needs_a_value(sql: str, args: Any) -> None:
    with pytest.raises(UnboundParameterError) as caught:
        bind_parameters(sql, args)
    assert caught.value.condition == "UNBOUND_SQL_PARAMETER"
    assert caught.value.caret is not None


def test_a_value_needs_a_literal() -> None:
    with pytest.raises(ParameterValueError) as caught:
        bind_parameters("SELECT :x", {"x": object()})
    assert "object" in str(caught.value)


def test_places_lead_back() -> None:
    bound = bind_parameters("SELECT :first, :b FROM t", {"first": "a long value", "b": 1})
    assert bound.to_original(bound.sql.index("FROM")) == "SELECT :first, :b FROM t".index("FROM")
