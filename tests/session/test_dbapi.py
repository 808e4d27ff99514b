"""Queries through `deltasql.dbapi` and `deltasql.databricks`, results that others read, rows that Spark must check."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deltasql import Session
from deltasql.clients import dbapi
from deltasql.databricks import sql
from deltasql.databricks.sql import parameters

pytestmark = pytest.mark.spark

QUERY = """
SELECT id, CAST(id AS DECIMAL(10,2)) AS price, TIMESTAMP '2024-06-01 12:00:00Z' AS at, named_struct('x', id) AS s,
  map('k', id) AS m, array(id) AS l, INTERVAL '1' DAY AS i, X'00' AS b, id AS id
FROM VALUES (1), (2), (3) AS v(id) ORDER BY 1
"""


def test_a_query_is_fetched_as_rows_and_as_arrow(session: Session) -> None:
    with dbapi.connect(session) as connection, connection.cursor() as cursor:
        cursor.execute(QUERY)
        assert cursor.rowcount == 3
        row = cursor.fetchone()
        assert row is not None
        assert tuple(row) == (
            *(1, Decimal("1.00"), datetime(2024, 6, 1, 12, tzinfo=timezone.utc), (1,)),
            *({"k": 1}, [1], timedelta(days=1), b"\0", 1),
        )
        assert row.s.x == 1
        codes = [item.type_code for item in cursor.description or []]
        assert codes == ["int", "decimal", "timestamp", "struct", "map", "array", "interval day", "binary", "int"]
        assert (cursor.description or [])[1][4:6] == (10, 2)
        assert cursor.fetchmany_arrow(1).column(0).to_pylist() == [2]
        assert [row[0] for row in cursor] == [3]
        assert pl.DataFrame(cursor.execute("SELECT 1 AS a")).to_dicts() == [{"a": 1}]


def test_errors_of_rows_come_with_execute(session: Session) -> None:
    cursor = dbapi.connect(session).cursor()
    with pytest.raises(dbapi.DataError) as caught:
        cursor.execute("SELECT 1 / 0")
    assert (caught.value.condition, caught.value.sqlstate) == ("DIVIDE_BY_ZERO", "22012")
    with pytest.raises(dbapi.DataError, match="DATETIME_OVERFLOW"):
        cursor.execute("SELECT DATE '9999-12-31' + INTERVAL 1 DAY").fetchall()
    with pytest.raises(dbapi.NotSupportedError, match=r"CAST\(column AS STRING\)"):
        cursor.execute("SELECT INTERVAL '1' MONTH")


def test_examples_of_the_connector(session: Session) -> None:
    with sql.connect("host", "path", "token", session=session) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT %(name)s AS name, :age AS age", {"name": "Jane", "age": 30})
        (row,) = cursor.fetchall()
        assert (row.name, row["age"]) == ("Jane", 30)
        values = [
            parameters.TimestampNTZParameter(datetime(2012, 10, 15, 12, 57, 18, tzinfo=timezone.utc)),
            parameters.DecimalParameter(Decimal("12.3456"), scale=4, precision=2),
            parameters.MapParameter({"a": 1}),
            parameters.ArrayParameter(["x"]),
        ]
        cursor.execute("SELECT ?, ?, ?, ?", values)
        assert cursor.fetchone() == (datetime(2012, 10, 15, 12, 57, 18), Decimal("12.35"), {"a": 1}, ["x"])
        cursor.execute_async("SELECT count(*) AS n FROM range(100)")
        assert cursor.get_async_execution_result().fetchall_arrow().to_pylist() == [{"n": 100}]


def test_a_result_is_read_by_others(session: Session) -> None:
    result = session.sql("SELECT id, id % 2 = 0 AS even FROM range(3) ORDER BY id")
    rows = [{"id": 0, "even": True}, {"id": 1, "even": False}, {"id": 2, "even": True}]
    assert pl.DataFrame(result).to_dicts() == result.pl().to_dicts() == rows
    assert duckdb.sql("SELECT sum(id) FROM result").fetchall() == [(3,)]
    assert pa.table(result).to_pylist() == rows
    assert result.to_pandas().to_dict("records") == rows
    assert pd.api.interchange.from_dataframe(result).to_dict("records") == rows
    assert (len(result), bool(result), len(list(result))) == (3, True, 3)
    assert (result.fetchone(), result.fetchmany(1), result.fetchall()) == ((0, True), [(1, False)], [(2, True)])
    assert result.fetchone() is None
    assert bool(session.sql("SELECT 1 WHERE false"))


def test_rows_in_memory_that_spark_must_check(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1), c INT DEFAULT 7, CONSTRAINT few CHECK (a < 5)) "
        "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    session.write(pl.DataFrame({"a": [1]})).mode("append").saveAsTable("t")
    assert session.sql("SELECT * FROM t").collect() == [(1, 2, 7)]
    connection = dbapi.connect(session)
    with pytest.raises(dbapi.IntegrityError, match="few"):
        connection.cursor().executemany("INSERT INTO t (a) VALUES (?)", [[number] for number in range(600)])
    wide = pa.table({"a": [2], "more": [{"x": Decimal("1.5")}]})
    session.write(wide).mode("append").option("mergeSchema", True).saveAsTable("t")
    assert session.sql("SELECT * FROM t WHERE a = 2").collect() == [(2, 3, 7, (Decimal("1.5"),))]
