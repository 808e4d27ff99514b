"""Texts with the checks that Sail does not make by itself: what gets one, and what stays byte for byte."""

from __future__ import annotations

import re
import time

import pytest

from deltasql.base.errors import NotOnSailError
from deltasql.engines.sail.dialect.order import rows_selected, select_first, set_operations
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.schema.types import INTEGER, StructField, StructType


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT *, t.*, count(*) FROM t AS a /* - */ WHERE a = 'x + y' -- * 2",
        "SELECT `a-b`, count(DISTINCT *) FROM t ORDER BY 1 DESC LIMIT 5",
        "1 + 1",
        "INTERVAL -1 DAY 2 HOURS",
        "DATE '2024-01-01'",
        "CAST('5' AS INT)",
        "CAST(NULL AS DATE)",
        "VALUES (-1, -2.5)",
        "SELECT * EXCEPT (a) FROM t",
        "CASE x WHEN 1 THEN 2 END",
        "get_json_object(a, '$.b')",
        "array(1)",
        "'",
        "a +",
        "(",
        "",
    ],
)
def test_what_needs_no_check_stays(sql: str) -> None:
    assert with_checks(sql) == sql


@pytest.mark.parametrize(
    ("sql", "checked"),
    [
        ("a + b", ["a + b"]),
        ("SELECT a - 1 FROM t WHERE b * 2 > -5", ["a - 1", "b * 2"]),
        ("a + b * c", ["a + b * c", "b * c"]),
        ("f(x)[0] + t.`y z`", ["f(x)[0] + t.`y z`"]),
        ("a - -1", ["a - -1"]),
        ("x -> x + 1", ["x + 1"]),
        ("a BETWEEN b + 1 AND c - 1", ["b + 1", "c - 1"]),
        ("sum(a) OVER (PARTITION BY b) + 1", ["sum(a) OVER (PARTITION BY b) + 1", "sum(a) OVER (PARTITION BY b)"]),
        ("EXTRACT(YEAR FROM d) + 1", ["EXTRACT(YEAR FROM d) + 1"]),
    ],
)
def test_integers_are_checked_for_overflow(sql: str, checked: list[str]) -> None:
    found = re.findall(
        r"WHEN split\(typeof\(((?:(?!typeof).)*?)\), '\[ \(<\]'\)\[0\] IN \('tinyint', 'smallint', 'int', 'bigint'\)"
        r" AND abs",
        with_checks(sql),
    )
    assert sorted(set(found)) == sorted(checked)


def test_without_ansi_integers_wrap_around() -> None:
    assert "ARITHMETIC_OVERFLOW" in with_checks("a + b")
    assert "ARITHMETIC_OVERFLOW" not in with_checks("a + b", ansi=False)


def test_least_numbers_keep_their_types() -> None:
    assert with_checks("-2147483648") == "CAST(-2147483648 AS INT)"
    assert with_checks("- 128Y") == "CAST(-128 AS TINYINT)"
    assert with_checks("-9223372036854775808L") == "CAST('-9223372036854775808' AS BIGINT)"


def test_conditions_must_be_boolean() -> None:
    assert with_checks("CASE WHEN a THEN 1 WHEN b THEN 2 END").startswith(
        "CASE WHEN (a) AND TRUE THEN CASE WHEN typeof(1)"
    )
    assert with_checks("CASE WHEN a THEN 1 END") == "CASE WHEN (a) AND TRUE THEN 1 END"
    assert with_checks("IF(a, b, 2)").startswith("IF((a) AND TRUE, CASE WHEN typeof(b) <> 'void' AND")


def test_casts_are_guarded() -> None:
    for text in ("CAST(a AS DATE)", "a::DATE", "date(a)", "try_cast(a AS date)"):
        assert "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION" in with_checks(text), text
    assert with_checks("CAST(a AS ARRAY<INT>)") == "CAST(a AS ARRAY<INT>)"


@pytest.mark.parametrize("sql", ["SELECT try_add(a, 1)", "user()", "max_by(a, b, 2)", "SELECT x, BRound(2.5)"])
def test_functions_that_mean_something_else_are_refused(sql: str) -> None:
    with pytest.raises(NotOnSailError, match='engine="spark"'):
        with_checks(sql)


@pytest.mark.parametrize(
    ("sql", "turned"),
    [
        ("FROM s SELECT *, 1 WHERE id = 1", "SELECT *, 1\nFROM s\nWHERE id = 1"),
        ("WITH c AS (SELECT 7 AS i) FROM c SELECT i, 2", "WITH c AS (SELECT 7 AS i) SELECT i, 2\nFROM c\n"),
        (
            "FROM t JOIN u USING (a) SELECT * EXCEPT (b) ORDER BY 1",
            "SELECT * EXCEPT (b)\nFROM t JOIN u USING (a)\nORDER BY 1",
        ),
        ("SELECT a FROM (FROM t SELECT b) AS x", "SELECT a FROM (SELECT b\nFROM t\n) AS x"),
        ("FROM t", "FROM t"),
    ],
)
def test_from_may_stand_first(sql: str, turned: str) -> None:
    assert select_first(sql) == turned


def test_values_with_parts_are_selected() -> None:
    assert rows_selected("VALUES (1, 'array(')") == "VALUES (1, 'array(')"
    assert rows_selected("SELECT * FROM VALUES (1, array(2, 3)), (4, NULL) AS t(a, b)") == (
        "SELECT * FROM (SELECT 1 AS col1, array(2, 3) AS col2 UNION ALL SELECT 4 AS col1, NULL AS col2) AS t(a, b)"
    )


@pytest.mark.parametrize(
    ("sql", "branches"),
    [
        ("SELECT * EXCEPT (a) FROM t", []),
        ("SELECT 1 UNION ALL SELECT 'x' ORDER BY 1", [["SELECT 1", "SELECT 'x'"]]),
        (
            "WITH c AS (SELECT 1) SELECT * FROM c EXCEPT VALUES (2)",
            [["WITH c AS (SELECT 1) SELECT * FROM c", "WITH c AS (SELECT 1) VALUES (2)"]],
        ),
        ("SELECT * FROM (SELECT a FROM t UNION (SELECT b FROM u))", [["SELECT a FROM t", "(SELECT b FROM u)"]]),
    ],
)
def test_branches_of_set_operations(sql: str, branches: list[list[str]]) -> None:
    assert [[branch.query for branch in found] for found in set_operations(sql)] == branches


@pytest.mark.parametrize(
    "sql", ["d = 5", "5 <= t.d", "d IN (1, 2)", "d NOT BETWEEN 1 AND 2", "a = `b c`", "d = DATE'2024-01-01'"]
)
def test_a_day_is_not_compared_with_a_number(sql: str) -> None:
    checked = with_checks(sql, days=True)
    assert "BINARY_OP_DIFF_TYPES" in checked
    assert checked.endswith(f" ELSE {sql} END")
    assert with_checks(sql) == sql


@pytest.mark.parametrize("sql", ["d = '2024-01-01'", "d IN (SELECT 1)", "1 = 1", "f(d) = 5", "d IS NULL"])
def test_comparisons_that_need_no_guard(sql: str) -> None:
    assert with_checks(sql, days=True) == sql


def _nested(text: str, times: int) -> str:
    value = "x"
    for _ in range(times):
        value = text.format(value)
    return value


@pytest.mark.parametrize(
    "text", ["{} + x", "coalesce({}, x)", "nvl2(x, {}, x)", "if({} > 1, 1, x)", "CASE WHEN {} > 1 THEN 1 END", "- {}"]
)
@pytest.mark.parametrize("times", [12, 200, 1000])
def test_nested_texts_are_checked_in_linear_time(text: str, times: int) -> None:
    started = time.thread_time()
    try:
        checked = with_checks(f"SELECT {_nested(text, times)} FROM t")
    except NotOnSailError:
        checked = ""
    assert time.thread_time() - started < 10
    assert len(checked) < 500_000


def test_a_long_sum_is_checked_as_a_whole() -> None:
    columns = StructType((StructField("x", INTEGER),))
    rows = OperandRows(lambda scope: columns, lambda scope, text: None)
    checked = with_checks("SELECT " + " + ".join(["x"] * 100) + " FROM t", rows=rows)
    assert checked.count("raise_error") == 1
    assert "2147483647.0D" in checked
