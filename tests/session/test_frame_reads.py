"""Tables as DataFrames: versions, times and changes, by PySpark's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("INSERT INTO t VALUES (2)")
    return session


def ids(rows: Any) -> list[int]:
    return sorted(row.id for row in rows.collect())


def test_a_table_by_name_and_by_path(table: Session) -> None:
    assert ids(table.table("t")) == [1, 2]
    assert ids(table.table("t@v1")) == [1]
    assert ids(table.read.table("`t`")) == [1, 2]
    location = table.log("t").location
    assert ids(table.read.format("delta").load(location)) == [1, 2]
    assert ids(table.read.option("path", location).load(versionAsOf=1)) == [1]


def test_a_version_and_a_time(table: Session) -> None:
    assert ids(table.read.option("versionAsOf", 1).table("t")) == [1]
    at = table.sql("DESCRIBE HISTORY t").collect()[0].timestamp.isoformat()
    assert ids(table.read.option("timestampAsOf", at).table("t")) == [1, 2]


def test_changes(table: Session) -> None:
    changes = table.read.option("readChangeFeed", True)
    rows = changes.option("startingVersion", 1).table("t")
    assert sorted((row.id, row._change_type, row._commit_version) for row in rows.collect()) == [
        (1, "insert", 1),
        (2, "insert", 2),
    ]
    assert ids(changes.option("endingVersion", 1).table("t")) == [1]
    assert ids(changes.option("endingVersion", 1).load(table.log("t").location)) == [1]


@pytest.mark.parametrize(
    ("read", "condition"),
    [
        (lambda r: r.options(versionAsOf=0, timestampAsOf="2020-01-01").table("t"), "DELTA_ONEOF_IN_TIMETRAVEL"),
        (lambda r: r.option("versionAsOf", "x").table("t"), "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE"),
        (lambda r: r.option("versionAsOf", 9).table("t"), "DELTA_VERSION_NOT_FOUND"),
        (lambda r: r.option("timestampAsOf", "zzz").table("t"), "DELTA_TIMESTAMP_INVALID"),
        (lambda r: r.option("readChangeFeed", True).table("t"), "DELTA_NO_START_FOR_CDC_READ"),
        (lambda r: r.option("readChangeFeed", "maybe").table("t"), "DELTA_ILLEGAL_OPTION"),
        (
            lambda r: r.options(readChangeFeed=True, startingVersion=0, startingTimestamp="2020-01-01").table("t"),
            "DELTA_MULTIPLE_CDC_BOUNDARY",
        ),
        (
            lambda r: r.options(readChangeFeed=True, startingVersion=0, endingVersion=1, endingTimestamp="x").table(
                "t"
            ),
            "DELTA_MULTIPLE_CDC_BOUNDARY",
        ),
        (lambda r: r.options(readChangeFeed=True, startingVersion="x").table("t"), "DELTA_ILLEGAL_OPTION"),
        (lambda r: r.schema("id INT").table("t"), "DELTA_UNSUPPORTED_SCHEMA_DURING_READ"),
        (lambda r: r.load(), "DELTA_MISSING_PATH"),
        (lambda r: r.format("csv").table("t"), "DELTA_OPERATION_NOT_ALLOWED"),
    ],
)
def test_what_a_reader_refuses(table: Session, read: Callable[[Any], object], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        read(table.read)
    assert caught.value.condition == condition


_NULLABLE = {
    "SELECT * FROM t": "k v? s m? p",
    "SELECT k, v, s.a, s.b, p FROM t": "k v? a b? p",
    "SELECT k + 1 AS x, -k AS y, abs(k) AS z, k / 2 AS d FROM t": "x y z d?",
    "SELECT coalesce(v, 'x') AS c, upper(p) AS u, length(p) AS l, CAST(k AS STRING) AS t FROM t": "c u l t",
    "SELECT k = 1 AS e, k IN (1, 2) AS i, k IS NULL AS n, if(k = 1, k, 1) AS f FROM t": "e i n f",
    "SELECT CASE WHEN k = 1 THEN k ELSE 2 END AS c, CASE WHEN k = 1 THEN k END AS d FROM t": "c d?",
    "SELECT t.k, u.k AS j FROM t LEFT JOIN u ON t.k = u.k": "k j?",
    "SELECT t.k, u.k AS j FROM u LEFT JOIN t ON t.k = u.k": "k? j?",
    "SELECT k FROM t WHERE v IS NOT NULL ORDER BY k LIMIT 1": "k",
    "SELECT v FROM t WHERE v IS NOT NULL": "v?",
    "SELECT max(k) AS m, count(*) AS c, sum(k) AS s FROM t": "m? c s?",
    "SELECT k, count(*) AS c FROM t GROUP BY k": "k c",
    "SELECT p, max(k) AS m FROM t GROUP BY p": "p m?",
    "SELECT k FROM t UNION ALL SELECT k FROM u": "k?",
    "SELECT k FROM t UNION ALL SELECT k FROM e": "k",
    "SELECT DISTINCT k, p FROM t": "k p",
    "SELECT x.k FROM (SELECT * FROM t) x": "k",
    "WITH x AS (SELECT k, p FROM t) SELECT * FROM x": "k p",
    "SELECT * FROM t VERSION AS OF 0": "k v? s m? p",
    "SELECT * FROM w": "k p n",
    "SELECT * FROM e": "k p",
    "SELECT * FROM c": "k? p?",
}
"""Columns of queries on delta-spark 4.4.0; a ? marks those that may be NULL."""


@pytest.mark.parametrize("compute", ["AUTO", "ENGINE"])
def test_what_may_be_null_is_as_on_delta_spark(session: Session, compute: str) -> None:
    columns = "k INT NOT NULL, v STRING, s STRUCT<a: INT NOT NULL, b: INT> NOT NULL, m MAP<STRING, INT>"
    session.sql(f"CREATE TABLE t ({columns}, p STRING NOT NULL) PARTITIONED BY (p)")
    values = "named_struct('a', 1, 'b', 2), map('a', 1)"
    session.sql(f"INSERT INTO t VALUES (1, 'a', {values}, 'x'), (2, 'b', {values}, 'y')")
    session.sql("CREATE TABLE u (k INT)")
    session.sql("CREATE TABLE e (k INT NOT NULL, p STRING NOT NULL) PARTITIONED BY (p)")
    session.sql("CREATE TABLE c AS SELECT k, p FROM t")
    session.sql("CREATE VIEW w AS SELECT k, p, k + 1 AS n FROM t")
    if compute == "ENGINE":
        session.sql("SET deltasql.compute = ENGINE")
    for query, due in _NULLABLE.items():
        result = session.sql(query)
        arrow, frame = result.to_arrow().schema, session.sql(query).df.schema
        for schema in (result.schema, arrow, frame.fields):
            found = " ".join(f"{item.name}{'?' if item.nullable else ''}" for item in schema)
            assert found == due, (query, type(schema))
    nested = session.sql("SELECT s FROM t").to_arrow().schema.field("s").type
    assert [(field.name, field.nullable) for field in nested] == [("a", False), ("b", True)]
    rows = session.sql(
        "SELECT column_name FROM information_schema.columns WHERE table_name = 't' AND is_nullable = 'NO'"
    )
    assert sorted(row.column_name for row in rows.collect()) == ["k", "p", "s"]
