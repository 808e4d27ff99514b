"""What a query's text tells of how many rows it goes through; anything else counts as many."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from deltasql.sql.queries.query_facts import most_rows

TABLES = {"small": 100, "other": 100, "large": 100_000}


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1", 1),
        ("SELECT 1 UNION ALL SELECT 2", 2),
        ("VALUES (1), (2)", 3),
        ("SELECT * FROM VALUES (1, 'a'), (2, 'b') AS q (id, v)", 4),
        ("SELECT upper(v), if(v IS NULL, 1, 2), CAST(v AS DECIMAL(10, 2)), date(v) FROM small", 100),
        ("SELECT * FROM range(10)", 10),
        ("SELECT * FROM RANGE(5, 20)", 20),
        ("SELECT * FROM range(0, 3, 1, 3)", 3),
        ("SELECT sum(id * 2 + 1) FROM range(100000000)", 100_000_000),
        ("SELECT * FROM small a JOIN other b ON a.id = b.id", 200),
        ("SELECT * FROM small JOIN other USING (id)", 200),
        ("SELECT * FROM small a JOIN large b ON a.x = b.x AND a.y = b.y", 100_100),
        ("SELECT * FROM large WHERE id IN (SELECT id FROM large)", 200_000),
        ("SELECT * FROM large a WHERE EXISTS (SELECT 1 FROM small b WHERE b.id = a.id)", 100_100),
        ("SELECT * FROM small a, other b", 10_000),
        ("SELECT * FROM small a CROSS JOIN other b CROSS JOIN small c", 1_000_000),
        ("SELECT * FROM small a JOIN other b ON a.id < b.id", 10_000),
        ("SELECT * FROM small a JOIN other b ON a.id = b.id OR a.x = b.x", 10_000),
        ("SELECT * FROM small a JOIN other b ON a.id = a.x", 10_000),
        ("SELECT * FROM small a, other b, small c WHERE a.x = b.x AND a.y = b.y", 10_100),
        ("SELECT * FROM large WHERE id NOT IN (SELECT id FROM large)", 10_000_000_000),
        ("WITH q AS (SELECT * FROM small) SELECT * FROM q", 100),
        ("WITH a AS (SELECT * FROM small), b AS (TABLE a UNION ALL TABLE a) TABLE b UNION ALL TABLE b", 400),
        ("SELECT explode(tags) FROM small", 100),
    ],
)
def test_rows_that_the_text_tells(sql: str, rows: int) -> None:
    assert most_rows(sql, TABLES) == rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM elsewhere",
        "SELECT * FROM parquet.`/data`",
        "SELECT * FROM small WHERE id IN (SELECT id FROM elsewhere)",
        "SELECT * FROM range(:n)",
        "SELECT * FROM range(10 * 1000000)",
        "SELECT * FROM range(1e9)",
        "SELECT explode(sequence(1, 100000000))",
        "SELECT * FROM small LATERAL VIEW explode(array_repeat(1, 100000000)) AS x",
        "SELECT * FROM `my_udtf`(1)",
        "SELECT * FROM TABLE(my_udtf(1))",
        "SELECT my_udf(id) FROM small",
        "SELECT spark_catalog.default.f(id) FROM small",
        "SELECT a FROM small GROUP BY CUBE (a, b, c)",
        "FROM small |> SELECT id",
        "SELECT TRANSFORM (id) USING 'cat' FROM elsewhere",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r",
        "WITH a AS (SELECT * FROM small), b AS (SELECT * FROM a x, a y) SELECT * FROM b x, b y",
    ],
)
def test_whatever_is_not_understood_counts_as_many(sql: str) -> None:
    assert most_rows(sql, TABLES) is None
