"""Filters of a query that hold for one table alone."""

from __future__ import annotations

import pytest

from deltasql.sql.queries.query_parts import scan_filters, scan_limits


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t WHERE a = 1 AND b > 2", {14: "(a = 1) AND (b > 2)"}),
        ("SELECT * FROM db.t WHERE t.a = 1", {14: "(t.a = 1)"}),
        ("SELECT * FROM t x JOIN u y ON x.a = y.a WHERE x.p = 1 AND y.q = 2", {14: "(x.p = 1)", 23: "(y.q = 2)"}),
        ("SELECT * FROM t x LEFT JOIN u y ON x.a = y.a WHERE x.p = 1 AND y.q IS NULL", {14: "(x.p = 1)"}),
        ("SELECT * FROM t x RIGHT JOIN u y ON x.a = y.a WHERE x.p = 1 AND y.q = 2", {}),
        ("SELECT * FROM t x FULL JOIN u y ON x.a = y.a WHERE x.p = 1", {}),
        ("SELECT * FROM t WHERE a IN (SELECT b FROM u WHERE b = 3)", {42: "(b = 3)"}),
        ("SELECT * FROM t, u WHERE a = 1", {}),
        ("SELECT * FROM t WHERE 1 = 1", {}),
        ("SELECT * FROM t WHERE s.a = 1 AND t.s.b = 2", {14: "(s.a = 1) AND (t.s.b = 2)"}),
        ("SELECT * FROM t x JOIN u ON x.s.a = 1 WHERE x.s.a = 1 AND s.b = 2 AND x.c > s.d", {14: "(x.s.a = 1)"}),
        ("SELECT * FROM t WHERE a = 1 OR b = 2", {14: "(a = 1 OR b = 2)"}),
        ("SELECT a FROM t", {}),
        ("SELECT * FROM WHERE", {}),
        ("SELECT * FROM t TABLESAMPLE (1 ROWS) WHERE a = 1", {}),
        ("FROM t |> WHERE a = 1", {5: "(a = 1)"}),
        ("FROM t AS x |> WHERE x.a = 1 |> WHERE b = 2 |> LIMIT 3", {5: "(x.a = 1) AND (b = 2)"}),
        ("FROM t |> LIMIT 3 |> WHERE a = 1", {}),
        ("FROM t |> WHERE b = 2 |> ORDER BY b |> LIMIT 3 |> WHERE a = 1", {5: "(b = 2)"}),
        ("FROM t |> EXTEND row_number() OVER (ORDER BY a) AS r |> WHERE a = 1", {}),
        ("FROM t |> AGGREGATE count(*) AS a |> WHERE a = 1", {}),
        ("FROM t |> TABLESAMPLE (1 ROWS) |> WHERE a = 1", {}),
        ("FROM t |> JOIN u ON t.a = u.a |> WHERE t.a = 1", {}),
        ("FROM t |> WHERE a IN (FROM u |> LIMIT 1 |> WHERE a = 2)", {}),
        ("SELECT * FROM (FROM t |> LIMIT 1 |> WHERE a = 1)", {}),
        ("SELECT a FROM t LIMIT 1 |> WHERE a = 1", {}),
        ("FROM t SELECT a LIMIT 1 |> WHERE a = 1", {}),
    ],
)
def test_scan_filters(sql: str, expected: dict[int, str]) -> None:
    assert scan_filters(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t LIMIT 3", {14: 3}),
        ("SELECT a + 1, CAST(b AS INT) x FROM db.t AS u WHERE u.p = 1 LIMIT 3 OFFSET 4", {36: 7}),
        ("SELECT * FROM (SELECT * FROM t LIMIT 0) JOIN u USING (a) LIMIT 5", {29: 0}),
        ("SELECT * FROM t", {}),
        ("SELECT * FROM t LIMIT ALL", {}),
        ("SELECT * FROM t LIMIT 1 + 1", {}),
        ("SELECT * FROM t, u LIMIT 1", {}),
        ("SELECT * FROM t WHERE rand() < 1 LIMIT 1", {}),
        ("SELECT * FROM t WHERE a IN (SELECT 1) LIMIT 1", {}),
        ("SELECT * FROM t ORDER BY a LIMIT 1", {}),
        ("SELECT DISTINCT a FROM t LIMIT 1", {}),
        ("SELECT a FROM t GROUP BY a LIMIT 1", {}),
        ("SELECT a FROM t HAVING a > 1 LIMIT 1", {}),
        ("SELECT max(a) FROM t LIMIT 1", {}),
        ("SELECT mine(a) FROM t LIMIT 1", {}),
        ("SELECT row_number() OVER (ORDER BY a) FROM t LIMIT 1", {}),
        ("SELECT * FROM t LATERAL VIEW explode(a) LIMIT 1", {}),
        ("SELECT * FROM t TABLESAMPLE (1 ROWS) LIMIT 1", {}),
        ("SELECT * FROM t QUALIFY a = 1 LIMIT 1", {}),
        ("SELECT * FROM t UNION ALL SELECT * FROM u LIMIT 1", {}),
        ("FROM t |> LIMIT 1 |> WHERE a = 1", {}),
        ("SELECT * FROM LIMIT", {}),
    ],
)
def test_how_many_rows_are_enough(sql: str, expected: dict[int, int]) -> None:
    assert scan_limits(sql) == expected
