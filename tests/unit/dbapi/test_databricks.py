"""`deltasql.databricks.sql` in place of `databricks.sql`: what its documentation shows, without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deltasql.clients.dbapi.typed_values import bound
from deltasql.databricks import sql
from deltasql.databricks.sql import parameters as p
from deltasql.databricks.sql.client import WAREHOUSE
from deltasql.sql.parser.parameters import SqlValue


@pytest.fixture(autouse=True)
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(WAREHOUSE, str(tmp_path / "warehouse"))
    return tmp_path / "warehouse"


@pytest.fixture
def connection(warehouse: Path) -> Iterator[sql.Connection]:
    with sql.connect(server_hostname="host", http_path="/sql/1.0/warehouses/1", access_token="dapi") as opened:
        yield opened


def test_arguments_without_meaning_are_taken(warehouse: Path) -> None:
    with sql.connect(
        "host",
        "/sql/1.0/warehouses/1",
        auth_type="databricks-oauth",
        http_headers=[("a", "b")],
        session_configuration={"spark.sql.ansi.enabled": True, "timezone": "UTC"},
        catalog="main",
        schema="Sales-Data",
        user_agent_entry="x",
        _tls_no_verify=True,
        use_cloud_fetch=False,
    ) as connection:
        assert connection.open
        with connection.cursor(arraysize=10, buffer_size_bytes=1) as cursor:
            cursor.execute("CREATE TABLE t (a INT)", enforce_embedded_schema_correctness=False)
            assert cursor.tables(table_name="t").fetchall()[0][:3] == ("main", "sales-data", "t")
    assert not connection.open
    assert warehouse.exists()


def test_insert_and_describe_as_in_its_examples(connection: sql.Connection) -> None:
    with connection.cursor() as cursor:
        assert cursor.query_id is None
        assert cursor.execute("CREATE TABLE IF NOT EXISTS squares (x INT, x_squared INT)").fetchall() == []
        values = ",".join(f"({x}, {x * x})" for x in range(100))
        assert cursor.execute(f"INSERT INTO squares VALUES {values}").fetchone() == (100, 100)
        assert cursor.rowcount == -1
        assert cursor.query_id
        rows = cursor.execute("DESCRIBE squares").fetchmany(10)
        assert [(row.col_name, row["data_type"]) for row in rows] == [("x", "int"), ("x_squared", "int")]
        assert (cursor.description or [])[0][1] == sql.STRING
        cursor.executemany("INSERT INTO squares VALUES (?, ?)", [[1, 1], [2, 4]])
        assert cursor.execute("DESCRIBE HISTORY squares").fetchall_arrow().num_rows == 4
        assert connection.cursor(row_limit=2).execute("DESCRIBE HISTORY squares").fetchall_arrow().num_rows == 2


def test_listings(connection: sql.Connection) -> None:
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE t (id BIGINT NOT NULL COMMENT 'key', price DECIMAL(10,2), tags ARRAY<STRING>)")
    names = ["hive_metastore", "main", "samples", "spark_catalog", "system"]
    assert [row.TABLE_CAT for row in cursor.catalogs().fetchall()] == names
    assert ("tpch", "samples") in cursor.schemas().fetchall()
    assert cursor.schemas("spark_catalog").fetchall() == [("default", "spark_catalog")]
    assert cursor.schemas(schema_name="x%").fetchall() == []
    (table,) = cursor.tables("spark_catalog", "def%", "_").fetchall()
    assert table.asDict() | {"TABLE_NAME": "t", "TABLE_TYPE": "TABLE"} == table.asDict()
    assert cursor.tables("spark_catalog", table_types=["VIEW"]).fetchall() == []
    found = cursor.columns(table_name="T").fetchall()
    assert [row.COLUMN_NAME for row in found] == ["id", "price", "tags"]
    assert [row.TYPE_NAME for row in found] == ["BIGINT", "DECIMAL(10,2)", "ARRAY<STRING>"]
    assert [row.DATA_TYPE for row in found] == [-5, 3, 2003]
    assert [row.IS_NULLABLE for row in found] == ["NO", "YES", "YES"]
    assert found[0].REMARKS == "key"
    assert (found[1].COLUMN_SIZE, found[1].DECIMAL_DIGITS) == (10, 2)
    assert len(cursor.description or []) == 23
    assert cursor.columns("spark_catalog", column_name="p%").fetchone()[3] == "price"  # type: ignore[index]
    assert not connection.session.spark_started


def test_errors_are_those_of_the_server(connection: sql.Connection) -> None:
    cursor = connection.cursor()
    with pytest.raises(sql.ServerOperationError, match="TABLE_OR_VIEW_NOT_FOUND") as caught:
        cursor.execute("DESCRIBE missing")
    assert isinstance(caught.value, sql.DatabaseError)
    assert caught.value.sqlstate == "42P01"
    with pytest.raises(sql.ProgrammingError):
        connection.cursor().fetchall()
    cursor.close()
    with pytest.raises(sql.InterfaceError):
        cursor.execute("SHOW TABLES")
    connection.close()
    with pytest.raises(sql.InterfaceError, match="closed connection"):
        connection.cursor()


def test_transactions_are_ignored_unless_asked_for(connection: sql.Connection) -> None:
    connection.commit()
    connection.autocommit = False
    assert connection.autocommit
    with pytest.raises(sql.NotSupportedError):
        connection.rollback()


def test_transactions(warehouse: Path) -> None:
    with sql.connect(ignore_transactions=False) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE logs (id INT, text STRING)")
        with pytest.raises(sql.TransactionError):
            connection.commit()
        connection.rollback()
        connection.autocommit = False
        cursor.execute("INSERT INTO logs VALUES (1, 'event1')")
        with pytest.raises(sql.TransactionError):
            connection.autocommit = True
        connection.commit()
        cursor.execute("INSERT INTO logs VALUES (2, 'event2')")
        connection.rollback()
        connection.autocommit = True
        assert connection.session.log("logs").snapshot().version == 1
        assert connection.get_transaction_isolation() == sql.TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ
        connection.set_transaction_isolation("REPEATABLE_READ")
        with pytest.raises(sql.NotSupportedError, match="READ_COMMITTED"):
            connection.set_transaction_isolation("READ_COMMITTED")


def test_execute_async(connection: sql.Connection) -> None:
    cursor = connection.cursor()
    cursor.execute_async("SHOW SCHEMAS")
    assert cursor.is_query_pending() in {True, False}
    assert cursor.get_async_execution_result().fetchall() == [("default",)]
    cursor.execute_async("DESCRIBE missing")
    with pytest.raises(sql.ServerOperationError):
        cursor.get_async_execution_result()
    with pytest.raises(sql.ProgrammingError):
        connection.cursor().is_query_pending()


def told(value: Any) -> Any:
    return value.sql if isinstance(value, SqlValue) else value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (p.IntegerParameter(42), "CAST('42' AS INT)"),
        (p.StringParameter("it's"), "CAST('it\\'s' AS STRING)"),
        (p.VoidParameter(None), "NULL"),
        (p.DecimalParameter(Decimal("12.3456")), "CAST('12.3456' AS DECIMAL(6,4))"),
        (p.DecimalParameter(Decimal("12.3456"), scale=4, precision=2), "CAST('12.3456' AS DECIMAL(4,2))"),
        (p.DecimalParameter(Decimal("0.01")), "CAST('0.01' AS DECIMAL(2,2))"),
        (p.ArrayParameter([1, p.TinyIntParameter(2)]), "array(1, CAST('2' AS TINYINT))"),
        (p.MapParameter({"a": 1.5}), "map('a', 1.5D)"),
        (datetime(2012, 10, 15, 12, 57), "TIMESTAMP '2012-10-15 12:57:00'"),
        # An object of the connector's own.
        (SimpleNamespace(name=None, value=7, CAST_EXPR="SMALLINT"), "CAST('7' AS SMALLINT)"),
    ],
    ids=str,
)
def test_values_with_types(value: Any, expected: Any) -> None:
    text, args = bound("SELECT ?", [value], inline=False)
    assert text == "SELECT ?"
    assert [told(item) for item in args or ()] == [expected]


def test_names_of_parameters() -> None:
    assert bound("SELECT %(a)s, :b", {"a": 1, "b": 2}, inline=False) == ("SELECT :a, :b", {"a": 1, "b": 2})
    text, args = bound("SELECT :a", [p.IntegerParameter(1, "a")], inline=False)
    assert (text, list(args or ())) == ("SELECT :a", ["a"])
    assert bound("SELECT 1", None, inline=False) == ("SELECT 1", None)
    assert bound("SELECT %s, %s, 'a%%'", ["x", [1, 2]], inline=True) == ("SELECT 'x', (1, 2), 'a%'", None)
    assert bound("SELECT %(x)s", {"x": None}, inline=True) == ("SELECT NULL", None)
    with pytest.raises(sql.NotSupportedError, match="SimpleNamespace has no SQL type"):
        bound("SELECT %s", [SimpleNamespace()], inline=True)
