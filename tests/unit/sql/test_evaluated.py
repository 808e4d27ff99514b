"""Expressions and queries that are certain without an engine, and what is left to it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    DecimalType,
    StructField,
    StructType,
    collated,
    matching,
)
from deltasql.sql.evaluated import Order, RowScope, Selection, row_expression, selection
from deltasql.sql.queries.query_parts import constant_rows

TARGET = StructType(
    (
        StructField("id", INTEGER),
        StructField("n", LONG),
        StructField("b", SHORT),
        StructField("v", STRING),
        StructField("d", DATE),
        StructField("at", TIMESTAMP),
        StructField("ok", BOOLEAN),
        StructField("m", DecimalType(10, 2)),
        StructField("x", DOUBLE),
        StructField("two words", STRING),
        StructField("c", collated("UNICODE_CI")),
        StructField("s", StructType((StructField("x", INTEGER),))),
    )
)
SOURCE = StructType((StructField("id", INTEGER), StructField("w", STRING)))
BOTH = RowScope({"t": TARGET, "s2": SOURCE})
ONE = RowScope({"t": TARGET})

KNOWN = {
    "id = 1": BOOLEAN,
    "T.ID == 1 AND t.`id` <> 2": BOOLEAN,
    "`two words` = 'a' 'b'": BOOLEAN,
    "NOT v IS NULL OR ! ok": BOOLEAN,
    "id IN (1, 2) -- a comment": BOOLEAN,
    "id = 1 = true": BOOLEAN,
    "id::BIGINT <= -1": BOOLEAN,
    "id::bigint": LONG,
    "n = -9223372036854775808": BOOLEAN,
    "b NOT BETWEEN id AND 7": BOOLEAN,
    'v <=> "x"': BOOLEAN,
    "d >= DATE '2024-01-31'": BOOLEAN,
    "at < TIMESTAMP'2024-01-01T00:00:00Z'": BOOLEAN,
    "(ok)": BOOLEAN,
    "m = 1.50": BOOLEAN,
    "m > 2 AND n <> 1.5 OR id < m": BOOLEAN,
    "m + 0.01": DecimalType(11, 2),
    "m - id": DecimalType(13, 2),
    "m * 2": DecimalType(12, 2),
    "id * 1.5": DecimalType(13, 1),
    "CAST(m * 1.1 AS DECIMAL(10, 3))": DecimalType(10, 3),
    "CAST(id AS DECIMAL(5, 1))": DecimalType(5, 1),
    "m = CAST(1.5 AS DECIMAL(10, 2))": BOOLEAN,
    "id + 1 - 2": INTEGER,
    "CAST(n + 1 AS BIGINT)": LONG,
    "id % 2 = 0 AND n % 100L <> 3": BOOLEAN,
    "2 * id + 1": INTEGER,
    "b * id": INTEGER,
    "CAST(x + 1 AS DOUBLE)": DOUBLE,
    "x * 1.5 - id / 4": DOUBLE,
    "n / 2.0D": DOUBLE,
    "x / 2.5": DOUBLE,
    "x >= 0.5 OR x < n": BOOLEAN,
    "CAST(id AS DOUBLE) = x": BOOLEAN,
    "CAST(id AS BIGINT)": LONG,
    "CAST('7' AS INT)": INTEGER,
    "CAST(NULL AS DATE)": DATE,
    "t.s": StructType((StructField("x", INTEGER),)),
}
LEFT_TEXTS = """
upper(v)
v || 'x'
id % 0
id % -2
id % n
id % NULL
id / 0
id / 0.0
id / 2.5
m / 2
id / x
x % 2
x + m
x = 'a'
m % 2
m DIV 2
m * CAST(1 AS DECIMAL(28, 0))
CAST(m * 1.1 AS DECIMAL(10, 2))
CAST(m AS INT)
-m
b * b
x IN (1, 2.5)
s.x = 1
s[0]
v LIKE 'a%'
d = '2024-01-31'
c = 'x'
c
missing = 1
t2.id = 1
b + b
b + 1S
id = NULL
id IN (1, NULL)
id IN (1, 2L)
ok < true
id IS TRUE
v = '${x}'
CAST(v AS INT)
CAST(n AS INT)
CAST(300 AS TINYINT)
CAST('x' AS INT)
id IN (SELECT 1)
EXISTS (SELECT 1)
CASE WHEN ok THEN 1 END
interval 1 day
id =
id = 1)
(id = 1
AND
-id
at < TIMESTAMP'2024-01-01 00:00:00'
at = d
rand() < 1
current_date = d
CAST(id AS STRING COLLATE UNICODE)
a.b.c.d
CAST(1 AS
ok AND id
NOT id
id BETWEEN 1
v NOT 'x'
d + 1
v = 'a' COLLATE UNICODE
t.id.x
"""
LEFT = ["", *LEFT_TEXTS.strip().splitlines()]


@pytest.mark.parametrize("text", KNOWN)
def test_types_of_expressions(text: str) -> None:
    if KNOWN[text] is None:
        with pytest.raises(LeftToEngineError):
            row_expression(text, ONE)
        return
    assert row_expression(text, ONE).type == KNOWN[text]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_certain_is_left_to_an_engine(text: str) -> None:
    with pytest.raises(LeftToEngineError):
        row_expression(text, ONE)


def test_names_are_of_one_side() -> None:
    assert row_expression("w = v", BOTH).type == BOOLEAN
    for text in ("id = 1", "t.w = 'x'", "s.id = 1"):
        with pytest.raises(LeftToEngineError):
            row_expression(text, BOTH)
    # Rows that are called as a column is whose parts have such names.
    mixed = RowScope({"t": TARGET, "s": StructType((StructField("x", INTEGER),))})
    with pytest.raises(LeftToEngineError):
        row_expression("s.x = 1", mixed)


def test_letter_case_counts_where_it_is_set_so() -> None:
    with matching(case_sensitive=True), pytest.raises(LeftToEngineError):
        row_expression("ID = 1", ONE)
    with matching(case_sensitive=True), pytest.raises(LeftToEngineError):
        row_expression("T.id = 1", ONE)


CONSTANT = {
    "SELECT 1 AS id, 'x' AS v": [(1, "x")],
    "SELECT 1 id, CAST(NULL AS STRING) v UNION ALL SELECT 2, 'b'": [(1, None), (2, "b")],
    "SELECT * FROM (SELECT * FROM VALUES (1, 'a'), (2, NULL) AS q (id, v))": [(1, "a"), (2, None)],
    "VALUES (-1, true) AS t(a, b)": [(-1, True)],
    "select * from values 1, 2": [(1,), (2,)],
    "SELECT NULL AS a": [(None,)],
    "SELECT * FROM (SELECT 1.50 AS m) q": [(Decimal("1.50"),)],
    "\n SELECT * FROM (VALUES (1)) AS q(`a b`) -- end": [(1,)],
    "SELECT -1, 'x', NULL, TRUE": [(-1, "x", None, True)],
}
OTHER_TEXTS = """
SELECT 1L
SELECT 1.5
SELECT 1, 1
SELECT 1 AS a, 2 AS A
SELECT 1 AS a UNION SELECT 1
SELECT 1 AS a WHERE false
SELECT 1 AS a UNION ALL SELECT 'x'
SELECT * FROM t
VALUES (1), (2, 3)
SELECT * FROM VALUES (1) LIMIT 1
SELECT id AS a
SELECT 1 + 1 AS a
SELECT DISTINCT 1 AS a
SELECT * FROM VALUES (1) AS q (a, b)
FROM VALUES (1)
SELECT 1 AS a,
SELECT * FROM VALUES (1) q JOIN VALUES (2) r
SELECT now() AS a
SELECT '${x}' AS a
WITH q AS (SELECT 1) SELECT * FROM q
SELECT * FROM VALUES (TIMESTAMP'2024-01-01 00:00:00')
SELECT /*+ REPARTITION(2) */ 1 AS a
SELECT CAST('x' AS INT) AS a
SELECT * FROM VALUES (1), ('a')
SELECT 1 AS a ORDER BY 1
SELECT ALL 1 AS a
SELECT * FROM (SELECT 1 AS a
"""
OTHER = ["", *OTHER_TEXTS.strip().splitlines()]


@pytest.mark.parametrize("query", CONSTANT)
def test_queries_of_constants(query: str) -> None:
    found = constant_rows(query)
    assert found is not None
    assert list(zip(*found.columns, strict=True)) == CONSTANT[query]
    assert [item.nullable for item in found.schema] == [None in values for values in found.columns]


@pytest.mark.parametrize("query", OTHER)
def test_other_queries(query: str) -> None:
    assert constant_rows(query) is None


def test_names_of_constant_columns() -> None:
    for query, names in (
        ("VALUES (1, 2)", ["col1", "col2"]),
        ("SELECT * FROM VALUES (1, 2) AS q", ["col1", "col2"]),
        ("SELECT * FROM (SELECT 1 AS a, 2 AS b) AS q(x, `y y`)", ["x", "y y"]),
    ):
        found = constant_rows(query)
        assert found is not None
        assert list(found.schema.names) == names


SELECTIONS = {
    "SELECT * FROM r": Selection((), "r", None, (), None),
    "SELECT a, t.b AS c FROM r AS t WHERE t.a IN (1, 2) -- why": Selection(
        (("a", "a"), ("b", "c")), "t", "t.a IN (1, 2)", (), None
    ),
    "select * from r t order by a, 2 desc, b asc nulls last limit 7": Selection(
        (), "t", None, (Order("a", False, True), Order(2, True, False), Order("b", False, False)), 7
    ),
    "SELECT * FROM r WHERE (x = 'ORDER' OR `limit` = 1) LIMIT 0": Selection(
        (), "r", "(x = 'ORDER' OR `limit` = 1)", (), 0
    ),
}
NO_SELECTIONS = """
SELECT * FROM q
SELECT a + 1 FROM r
SELECT * FROM r LIMIT
SELECT * FROM r LIMIT ALL
SELECT * FROM r LIMIT 1.5
SELECT * FROM r LIMIT 1 OFFSET 1
SELECT * FROM r WHERE
SELECT * FROM r WHERE LIMIT 1
SELECT * FROM r ORDER BY
SELECT * FROM r ORDER BY a NULLS
SELECT * FROM r ORDER BY t.a
SELECT * FROM r ORDER BY a + 1
SELECT * FROM r ORDER a
SELECT * FROM r ORDER BY ALL, a b
SELECT a FROM r GROUP BY a
SELECT * FROM r LIMIT 1 WHERE a = 1
"""


@pytest.mark.parametrize("sql", SELECTIONS)
def test_selections(sql: str) -> None:
    assert selection(sql, "r") == SELECTIONS[sql]


@pytest.mark.parametrize("sql", NO_SELECTIONS.strip().splitlines())
def test_no_selections(sql: str) -> None:
    with pytest.raises(LeftToEngineError, match="more than columns, WHERE, ORDER BY and LIMIT"):
        selection(sql, "r")
