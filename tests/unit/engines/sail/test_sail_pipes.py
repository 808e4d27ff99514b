"""Pipes as queries of queries, for an engine that does not read them."""

from __future__ import annotations

import pytest

from deltasql.base.errors import NotOnSailError
from deltasql.engines.sail.dialect.pipes import without_pipes


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("SELECT '|>' AS a -- |>", "SELECT '|>' AS a -- |>"),
        ("FROM t |> WHERE a > 1", "SELECT * FROM t WHERE a > 1"),
        (
            "from t AS x\n|> where x.a |> WHERE b OR c |> select x.a, b",
            "SELECT x.a, b FROM t AS x WHERE (x.a) AND (b OR c)",
        ),
        (
            "FROM t x |> WHERE a |> JOIN s ON x.b = s.b",
            "SELECT * FROM (SELECT * FROM t x WHERE a) AS x JOIN s ON x.b = s.b",
        ),
        ("FROM t |> JOIN s USING (a) |> WHERE s.b", "SELECT * FROM t JOIN s USING (a) WHERE s.b"),
        ("FROM t |> AS u |> WHERE u.a", "SELECT * FROM (SELECT * FROM t) AS u WHERE u.a"),
        ("FROM t |> EXTEND a + 1 AS n", "SELECT *, a + 1 AS n FROM t"),
        ("FROM t |> DROP a, b", "SELECT * EXCEPT (a, b) FROM t"),
        ("FROM t |> SET B = a || 'x'", "SELECT a AS a, a || 'x' AS b FROM t"),
        (
            "FROM t |> AGGREGATE sum(a) AS n, max(b) GROUP BY p, q % 2 AS k",
            "SELECT p, q % 2 AS k, sum(a) AS n, max(b) FROM t GROUP BY 1, 2",
        ),
        ("FROM t |> AGGREGATE count(*)", "SELECT count(*) FROM t"),
        ("FROM t |> ORDER BY a |> LIMIT 2", "SELECT * FROM t ORDER BY a LIMIT 2"),
        ("FROM t |> LIMIT 2 |> ORDER BY a", "SELECT * FROM (SELECT * FROM t LIMIT 2) AS piped ORDER BY a"),
        ("TABLE t |> UNION ALL (FROM s)", "SELECT * FROM (TABLE t) AS piped UNION ALL (SELECT * FROM s)"),
        ("VALUES (1) |> WHERE col1 = 1", "SELECT * FROM (VALUES (1)) AS piped WHERE col1 = 1"),
        (
            "WITH q AS (FROM t |> SELECT a) SELECT a FROM q |> LIMIT 1",
            "WITH q AS (SELECT a FROM t) SELECT * FROM (SELECT a FROM q) AS piped LIMIT 1",
        ),
        ("a IN (FROM s |> SELECT b) AND (1 | 2) > 0", "a IN (SELECT b FROM s) AND (1 | 2) > 0"),
    ],
)
def test_queries(sql: str, query: str) -> None:
    assert without_pipes(sql, lambda text: ["a", "b"]) == query


@pytest.mark.parametrize(
    "sql",
    [
        "FROM t |>",
        "FROM t |> WHERE",
        "FROM t |> CALL f(1)",
        "FROM t |> SET c = 1",
        "FROM t |> SET a = 1, A = 2",
        "FROM t |> AGGREGATE sum(a) GROUP BY ROLLUP (b)",
        "FROM t JOIN s USING (a) |> WHERE b |> JOIN u USING (a)",
    ],
)
def test_what_is_not_known_is_refused(sql: str) -> None:
    with pytest.raises(NotOnSailError, match="pipe"):
        without_pipes(sql, lambda text: ["a", "b"])


def test_columns_are_asked_with_what_stands_before() -> None:
    asked = list[str]()

    def columns(query: str) -> list[str]:
        asked.append(query)
        return ["a"]

    without_pipes("WITH q AS (SELECT 1 AS a) FROM q |> SET a = 2", columns)
    assert asked == ["WITH q AS (SELECT 1 AS a) SELECT * FROM q"]
