"""CHAR and VARCHAR columns beside a plain Spark table with the same rows: what a predicate finds and changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

from deltasql import Session

COLUMNS = "id INT, c CHAR(3), w CHAR(5), v VARCHAR(4), s STRUCT<c: CHAR(3), a: ARRAY<CHAR(2)>>, m MAP<CHAR(2), CHAR(3)>"
ROWS = """
    (1, 'x', 'x', 'x', named_struct('c', 'x', 'a', array('a', NULL)), map('k', 'x'), 'p'),
    (2, 'xyz', 'xyz', 'xyz   ', named_struct('c', 'xyz', 'a', array('aa')), map('kk', NULL), 'q'),
    (3, 'y  ', 'yyyyy', 'y ', named_struct('c', NULL, 'a', array()), map(), 'pp'),
    (4, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, '', 'x y', '', named_struct('c', '', 'a', NULL), map('', ''), 'p  '),
    (6, 'x\\t', 'x\\t', 'x\\t', named_struct('c', ' x', 'a', array(' ')), map('k', ' '), 'q')
"""
PREDICATES = (
    *("c = 'x'", "'x' = c", "c = 'x  '", "c = 'x     '", "c <=> 'x'", "c <> 'x'", "NOT c = 'x'", "c < 'x'", "c <= 'x'"),
    *("c > 'x'", "c >= 'y'", "c IN ('x', 'y')", "c NOT IN ('x', 'y')", "c IN ('x')", "c BETWEEN 'x' AND 'y'"),
    *("c = w", "w = c", "c < w", "c <=> w", "c = v", "v = c", "c IN (w, v)", "c = upper('x')", "upper(c) = 'X'"),
    *("c LIKE 'x'", "c LIKE 'x%'", "trim(c) = 'x'", "c IS NULL", "c = ''", "c = concat('x', '')", "length(c) = 3"),
    *(
        "v = 'x'",
        "v = 'xyz'",
        "v = 'xyz '",
        "v = 'y'",
        "w = 'x'",
        "w IN ('x', 'xyz')",
        "c = 'toolong'",
        "c > 'toolong'",
    ),
    *("s.c = 'x'", "s.c = 'x  '", "get(s.a, 0) = 'a'", "get(s.a, 0) = 'a '", "m['k'] IS NOT NULL", "m['k '] = 'x  '"),
    *("p = 'p'", "'p' = p", "p <> 'p'", "p IN ('p', 'q')", "p > 'p'", "p <=> NULL", "p = 'p' AND c = 'x'", "p = c"),
    *("c = (SELECT max('x'))", "c IN (SELECT max('x  '))", "c = 'x' OR p = 'q'"),
    *("CASE WHEN c = 'x' THEN TRUE ELSE p = 'q' END",),
)
FILTERS = ("c = 'x'", "c IN ('x', 'y')", *PREDICATES[-12:])


@pytest.fixture
def spark(session: Session, tmp_path: Path) -> SparkSession:
    """The table `ours`, partitioned by `p`, and Spark's own `theirs`, which is not."""
    session.sql(f"CREATE TABLE ours ({COLUMNS}, p CHAR(4)) PARTITIONED BY (p)")
    session.sql(f"INSERT INTO ours VALUES {ROWS}")
    spark: SparkSession = session.sql("SELECT 1").df.sparkSession
    spark.sql(f"CREATE TABLE theirs ({COLUMNS}, p CHAR(4)) USING parquet LOCATION '{tmp_path}/theirs'")
    spark.sql(f"INSERT INTO theirs VALUES {ROWS}")
    return spark


@pytest.fixture(autouse=True)
def _no_tables_left(session: Session) -> Iterator[None]:
    yield
    session.sql("SELECT 1").df.sparkSession.sql("DROP TABLE IF EXISTS theirs")


@pytest.mark.spark
def test_predicates(session: Session, spark: SparkSession) -> None:
    flags = ", ".join(f"({predicate}) AS f{index}" for index, predicate in enumerate(PREDICATES[:-4]))
    assert found(session, "SELECT * FROM ours ORDER BY id") == spark_rows(spark, "SELECT * FROM theirs ORDER BY id")
    ours, theirs = (f"SELECT id, {flags} FROM {table} ORDER BY id" for table in ("ours", "theirs"))
    assert found(session, ours) == spark_rows(spark, theirs)
    # As filters, of which partitions and statistics decide some.
    union = " UNION ALL ".join(
        f"SELECT {index} AS n, id FROM {{table}} WHERE {predicate}" for index, predicate in enumerate(FILTERS)
    )
    ours, theirs = (f"SELECT * FROM ({union.format(table=table)}) ORDER BY n, id" for table in ("ours", "theirs"))
    assert found(session, ours) == spark_rows(spark, theirs)


@pytest.mark.spark
@pytest.mark.parametrize("predicate", ["c = 'x' OR p = 'q'", "p IN ('p', 'pp')"])
def test_statements(session: Session, spark: SparkSession, predicate: str) -> None:
    left = spark_rows(spark, f"SELECT id FROM theirs WHERE NOT coalesce({predicate}, FALSE) ORDER BY id")
    gone = [row for row in spark_rows(spark, "SELECT id FROM theirs ORDER BY id") if row not in left]
    session.sql("CREATE TABLE copied AS SELECT * FROM ours")
    session.sql(f"UPDATE copied SET v = 'hit' WHERE {predicate}")
    assert found(session, "SELECT id FROM copied WHERE v = 'hit' ORDER BY id") == gone
    on = "t.id = s.id AND s.c <=> t.c AND s.p <=> t.p"
    session.sql(f"MERGE INTO copied t USING copied s ON {on} WHEN MATCHED AND t.v = 'hit' THEN UPDATE SET v = 'met'")
    assert found(session, "SELECT id FROM copied WHERE v = 'met' ORDER BY id") == gone
    session.sql(f"DELETE FROM ours WHERE {predicate}")
    assert found(session, "SELECT id FROM ours ORDER BY id") == left


@pytest.mark.spark
def test_rows_of_engines_that_do_not_pad(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (id INT, c CHAR(3), p CHAR(2)) PARTITIONED BY (p)")
    place = str(tmp_path / "warehouse" / "t")
    rows = {"id": pa.array([1, 2], pa.int32()), "c": ["x", "yy"], "p": ["a", "b"]}
    write_deltalake(place, pa.table(rows), mode="append")
    session.sql("INSERT INTO t VALUES (3, 'x', 'a')")
    assert found(session, "SELECT id, length(c), length(p) FROM t ORDER BY id") == [(1, 3, 2), (2, 3, 2), (3, 3, 2)]
    assert found(session, "SELECT id FROM t WHERE c = 'x' AND p = 'a' ORDER BY id") == [(1,), (3,)]
    session.sql("INSERT OVERWRITE t PARTITION (p = 'a') VALUES (4, 'z')")
    assert found(session, "SELECT id FROM t ORDER BY id") == [(2,), (4,)]
    session.sql("DELETE FROM t WHERE c = 'yy'")
    assert found(session, "SELECT id FROM t") == [(4,)]


def found(session: Session, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


def spark_rows(spark: SparkSession, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in spark.sql(sql).collect()]
