"""Expressions that a table carries: what may stand in them, and what Spark gets of them."""

from __future__ import annotations

import pytest

from deltasql.schema.types import INTEGER, StructField, StructType
from deltasql.sql.stored_expressions import Reason, Use, bare, refusal, stored_refusal

COLUMNS = StructType(tuple(StructField(name, INTEGER) for name in ("id", "a", "b", "s", "arr", "ts", "user", "d")))

ALLOWED = (
    "id > 0",
    "a>0 AND b IS NOT NULL",
    "exists(arr, x -> x > 0)",
    "NOT EXISTS(arr, x -> x IS NULL)",
    "CASE WHEN a > 0 THEN (b) ELSE 1 END > 0",
    "s LIKE 'x%' ESCAPE '/'",
    "s LIKE ANY ('a', 'b')",
    "s NOT LIKE ALL ('a', 'b')",
    "a IN (1, 2, 3)",
    "s.x.y = 1",
    "s.current_date = 1",
    "CAST(a AS DECIMAL(10, 2)) > 0",
    "a::bigint > 0",
    "transform(arr, (x, i) -> x + i)[0] = 1",
    "aggregate(arr, 0, (acc, x) -> acc + x, acc -> acc) > 0",
    "map_filter(s, (k, v) -> k > v) IS NULL",
    "extract(YEAR FROM ts) > 2000",
    "trim(BOTH ' ' FROM s) <> ''",
    "substring(s FROM 1 FOR 2) = 'x'",
    "a IS NOT DISTINCT FROM (b)",
    "ts + INTERVAL 1 DAY > ts",
    "timestampadd(DAY, 1, ts) > ts",
    "ts < current_timestamp()",
    "d > DATE '2020-01-01'",
    "system.builtin.upper(s) = 'A'",
    "user = 1",
    "s = 'it''s; DROP TABLE t -- /* ) SELECT' OR s = \"reflect('x')\"",
    "(a, b) = (b, a)",
    "assert_true(a > 0) IS NULL",
)

REFUSED = (
    ("id IN (SELECT id FROM t)", Reason.QUERY),
    ("EXISTS(VALUES 1)", Reason.QUERY),
    ("((VALUES 1)) > 0", Reason.QUERY),
    ("(TABLE t) > 1", Reason.QUERY),
    ("(WITH q AS (TABLE t) FROM q) > 1", Reason.QUERY),
    ("(FROM t) > 1", Reason.QUERY),
    ("(MAP a USING 'cat' FROM t) = 1", Reason.QUERY),
    ("a FROM t", Reason.QUERY),
    ("reflect('java.lang.System', 'exit')", Reason.OUTSIDE),
    ("`reflect`('a', 'b')", Reason.OUTSIDE),
    ("REFLECT /* */ ('a', 'b')", Reason.OUTSIDE),
    ("system.builtin.reflect('a', 'b')", Reason.OUTSIDE),
    ("java_method('x', 'y')", Reason.OUTSIDE),
    ("try_reflect('x', 'y')", Reason.OUTSIDE),
    ("-- x\r reflect('a')", Reason.OUTSIDE),
    ("/* /* */ */ reflect('a')", Reason.OUTSIDE),
    ("r'\\' || reflect('x', 'y')", Reason.OUTSIDE),
    ("a\u00a0= reflect('x')", Reason.OUTSIDE),
    ("rand() < 2", Reason.RANDOM),
    ("uuid() = s", Reason.RANDOM),
    ("input_file_name() = 'x'", Reason.RANDOM),
    ("sum(id) > 0", Reason.AGGREGATE),
    ("count(*) FILTER (WHERE a > 0) > 0", Reason.AGGREGATE),
    ("a OVER (ORDER BY b)", Reason.WINDOW),
    ("IDENTIFIER('reflect')('x')", Reason.FUNCTION),
    ("session.upper(s)", Reason.FUNCTION),
    ("x.system.builtin.upper('a')", Reason.FUNCTION),
    ("my_function(a)", Reason.FUNCTION),
    ("\"upper\"('x')", Reason.FUNCTION),
    ("explode(arr) = 1", Reason.OUTSIDE),
    ("from_avro(s, 'x') IS NULL", Reason.OUTSIDE),
    ("current_user = 'x'", Reason.OUTSIDE),
    ("a) OR (1=1", Reason.SYNTAX),
    ("a) OR (1=1 --", Reason.SYNTAX),
    ("(a", Reason.SYNTAX),
    ("a; b", Reason.SYNTAX),
    ("a, b", Reason.SYNTAX),
    ("a |> SELECT b", Reason.SYNTAX),
    ("a://b--) OR reflect(1)", Reason.SYNTAX),
    ("s = '${env:HOME}'", Reason.SYNTAX),
    ("`${env:HOME}` = 1", Reason.SYNTAX),
    ("'a\\", Reason.SYNTAX),
    ("a = ?", Reason.SYNTAX),
    ("", Reason.SYNTAX),
    ("-- nothing", Reason.SYNTAX),
    ("variable > 0", Reason.COLUMN),
    ("session.variable > 0", Reason.COLUMN),
)


@pytest.mark.parametrize("sql", ALLOWED)
def test_a_condition_of_a_row_is_allowed(sql: str) -> None:
    assert stored_refusal(sql, Use.CHECK, COLUMNS) is None
    assert bare(sql) == sql


@pytest.mark.parametrize(("sql", "reason"), REFUSED)
def test_what_reaches_beyond_the_row_is_refused(sql: str, reason: Reason) -> None:
    found = stored_refusal(sql, Use.CHECK, COLUMNS)
    assert found is not None
    assert found.reason is reason


@pytest.mark.parametrize("sql", ["current_date()", "current_user", "now()", "1 + 1", "transform(array(1), x -> x + 1)"])
def test_a_default_may_ask_who_writes_and_when(sql: str) -> None:
    assert stored_refusal(sql, Use.DEFAULT, StructType()) is None


@pytest.mark.parametrize("sql", ["current_date()", "current_timestamp", "current_user()"])
def test_a_generated_column_may_not(sql: str) -> None:
    assert refusal(sql, Use.GENERATED) is not None


def test_the_place_of_what_is_refused() -> None:
    found = refusal("a > 0 AND rand() < 1", Use.CHECK)
    assert found is not None
    assert (found.part, found.start, found.end) == ("rand()", 10, 14)


def test_comments_do_not_reach_spark() -> None:
    assert bare("a /* x */ > -- y\n 0 /*") == "a > 0"
