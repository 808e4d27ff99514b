"""Which queries are read as aggregates, DISTINCT and GROUP BY of one table, and what they say."""

from __future__ import annotations

import pytest

from deltasql.sql.queries.incremental import (
    Aggregate,
    Arithmetic,
    Coalesce,
    Item,
    Named,
    QueryComparison,
    Whole,
    aggregate_query,
)

COUNT = Aggregate("count", Whole(1))
P = Named(("p",))


def test_every_part_is_read() -> None:
    query = aggregate_query(
        "select `p`, COUNT(*) + 1 AS n, coalesce(max(t.x), 0)"
        " from a.b /* c */ version as of 3 as t where p > 'group by'"
        " GROUP BY p, 2 HAVING min(p) <> 3 AND count(1) > 1 ORDER BY n DESC, p NULLS LAST LIMIT 7;"
    )
    assert query is not None
    assert query.items == (
        Item(P, None),
        Item(Arithmetic("+", COUNT, Whole(1)), "n"),
        Item(Coalesce((Aggregate("max", Named(("t", "x"))), Whole(0))), None),
    )
    assert (query.table.parts, query.table.alias) == (("a", "b"), "t")
    assert query.where is not None
    assert query.where.text == "p > 'group by'"
    assert query.keys == (P, Whole(2))
    assert query.having == (QueryComparison("<>", Aggregate("min", P), Whole(3)), QueryComparison(">", COUNT, Whole(1)))
    assert [(item.descending, item.nulls_first) for item in query.order] == [(True, False), (False, False)]
    assert query.limit == 7


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT p FROM t",
        "SELECT count(DISTINCT p) FROM delta.`/a/b`",
        "SELECT min(p) x FROM t@v1 u",
        "SELECT avg(p), sum(x) FROM t",
    ],
)
def test_these_are(sql: str) -> None:
    assert aggregate_query(sql) is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p FROM t",
        "SELECT count(*) FROM t, u",
        "SELECT count(*) FROM t JOIN u USING (p)",
        "SELECT count(*) FROM t NATURAL JOIN u",
        "SELECT count(*) FROM (SELECT * FROM t)",
        "WITH t AS (SELECT 1) SELECT count(*) FROM t",
        "SELECT count(*) OVER () FROM t",
        "SELECT count(*) FILTER (WHERE p > 1) FROM t",
        "SELECT count(*) FROM t TABLESAMPLE (10 PERCENT)",
        "SELECT count(*) FROM t UNION ALL SELECT 1",
        "SELECT count(*) FROM t WHERE p IN (SELECT 1 FROM u)",
        "SELECT count(p, q) FROM t",
        "SELECT count(t.*) FROM t",
        "SELECT count(NULL) FROM t",
        "SELECT max(p + 1) FROM t",
        "SELECT max(-p) FROM t",
        "SELECT max(s.a[0]) FROM t",
        "SELECT sum(DISTINCT p) FROM t",
        "SELECT sum(*) FROM t",
        "SELECT avg(p + 1) FROM t",
        "SELECT count(*) / 2 FROM t",
        "SELECT count(*), FROM t",
        "SELECT count(*) 'x' FROM t",
        "SELECT count(*) FROM t WHERE",
        "SELECT count(*) FROM t LIMIT ALL",
        "SELECT count(*) FROM t LIMIT 1 OFFSET 1",
        "SELECT p, count(*) FROM t GROUP BY ALL",
        "SELECT p, count(*) FROM t GROUP BY ROLLUP (p)",
        "SELECT p, count(*) FROM t GROUP BY p WITH CUBE",
        "SELECT p, count(*) FROM t GROUP BY p + 1",
        "SELECT p, count(*) FROM t GROUP BY GROUPING SETS ((p))",
        "SELECT count(*) FROM t HAVING count(*) > 1 OR true",
        "SELECT count(*) FROM t AS u(a, b)",
        "SELECT count(*) FROM range(3)",
        "SELECT count(*) FROM table_changes('t', 1)",
        "FROM t SELECT count(*)",
        "FROM t |> AGGREGATE count(*)",
        "SELECT 99999999999999999999, count(*) FROM t",
        "SELECT 1L, count(*) FROM t",
        "SELECT count(*) FROM t LATERAL VIEW explode(a) AS x",
    ],
)
def test_these_are_left_to_spark(sql: str) -> None:
    assert aggregate_query(sql) is None
