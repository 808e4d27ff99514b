"""DBeaver's driver, on a server in its own process: what a tool asks when it connects, and what a user does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.clusters.jdbc import columns, driver_jar, jvm_with, rows

pytestmark = pytest.mark.cluster

KINDS = (
    "i INT, b BIGINT, f DOUBLE, d DECIMAL(10,2), big DECIMAL(38,3), s STRING, x BINARY, bo BOOLEAN, day DATE, "
    "at TIMESTAMP, n TIMESTAMP_NTZ"
)


@pytest.fixture(scope="module")
def gateway(java: None, place: Path) -> Iterator[Any]:
    jar = driver_jar(place)
    if isinstance(jar, str):
        pytest.skip(jar)
    with jvm_with(jar) as found:
        yield found


@pytest.fixture(scope="module")
def url(disk: Path) -> Iterator[str]:
    """A server with a token, which is the password of any user."""
    command = [sys.executable, "-m", "deltasql", "serve", "--warehouse", str(disk / "warehouse"), "--port", "0"]
    environment = {**os.environ, "DELTASQL_SERVER_TOKEN": "hush", "DELTASQL_MASTER": "local[2]", "TZ": "UTC"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        told = re.search(r"grpc://(\S+?),", server.stdout.readline())
        assert told is not None
        yield f"jdbc:arrow-flight-sql://{told[1]}/?useEncryption=false"
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture
def connection(gateway: Any, url: str) -> Iterator[Any]:
    connected = gateway.jvm.java.sql.DriverManager.getConnection(url, "anybody", "hush")
    yield connected
    connected.close()


def run(connection: Any, *statements: str) -> None:
    for sql in statements:
        connection.createStatement().execute(sql)


def query(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    return rows(connection.createStatement().executeQuery(sql))


def failure(call: Any) -> str:
    """The message of the SQLException that a call throws."""
    from py4j import java_gateway, protocol

    with pytest.MonkeyPatch.context() as patch:
        # Once this process has started a Spark, PySpark has put something else there, which asks that Spark.
        patch.setattr(java_gateway, "get_return_value", protocol.get_return_value)
        with pytest.raises(protocol.Py4JJavaError) as raised:
            call()
    thrown = raised.value.java_exception
    assert "SQLException" in thrown.getClass().getName()
    return str(thrown.getMessage())


def test_what_a_tool_asks_of_a_server(connection: Any) -> None:
    told = connection.getMetaData()
    assert told.getDatabaseProductName() == "deltasql"
    assert (told.getIdentifierQuoteString(), told.getCatalogSeparator()) == ("`", ".")
    assert "MERGE" in told.getSQLKeywords().split(", ")
    functions = (told.getNumericFunctions(), told.getStringFunctions(), told.getTimeDateFunctions())
    assert all(name in names for name, names in zip(("ABS", "TRIM", "TO_DATE"), functions, strict=True))
    assert told.supportsOuterJoins()
    assert told.supportsFullOuterJoins()
    assert [told.isReadOnly(), told.supportsTransactions(), told.supportsConvert()] == [False] * 3
    assert [level for level in (0, 1, 2, 4, 8) if told.supportsTransactionIsolationLevel(level)] == [0]
    assert columns(told.getTableTypes(), "TABLE_TYPE") == [("TABLE",), ("VIEW",)]
    assert connection.isValid(5)


def test_the_tree_of_a_browser(connection: Any, gateway: Any) -> None:
    run(
        connection,
        "CREATE SCHEMA tree",
        "CREATE TABLE tree.owner (id BIGINT GENERATED ALWAYS AS IDENTITY, name STRING NOT NULL COMMENT 'in full', "
        "paid DECIMAL(10,2), tags ARRAY<STRING>, CONSTRAINT owners PRIMARY KEY (name))",
        "CREATE TABLE tree.pet (owner STRING, CONSTRAINT owned FOREIGN KEY (owner) REFERENCES tree.owner (name))",
        "CREATE VIEW tree.names AS SELECT name FROM tree.owner",
    )
    told = connection.getMetaData()
    assert columns(told.getCatalogs(), "TABLE_CAT") == [
        (name,) for name in ("hive_metastore", "main", "samples", "spark_catalog", "system")
    ]
    assert ("tree", "spark_catalog") in columns(told.getSchemas(), "TABLE_SCHEM", "TABLE_CATALOG")
    assert columns(told.getSchemas(None, "tr%"), "TABLE_SCHEM") == [("tree",)]
    kinds = gateway.new_array(gateway.jvm.java.lang.String, 1)
    kinds[0] = "TABLE"
    assert columns(told.getTables(None, "tree", "%", kinds), "TABLE_NAME") == [("owner",), ("pet",)]
    assert columns(told.getTables("spark_catalog", "tree", "na\\_es", None), "TABLE_NAME") == []
    assert columns(told.getTables(None, "TREE", "NAM_S", None), "TABLE_NAME", "TABLE_TYPE") == [("names", "VIEW")]
    names = ("COLUMN_NAME", "TYPE_NAME", "DATA_TYPE", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "REMARKS")
    assert columns(told.getColumns(None, "tree", "owner", "%"), *names, "IS_AUTOINCREMENT") == [
        ("id", "bigint", -5, 19, 0, "YES", None, "YES"),
        ("name", "string", 12, 65536, None, "NO", "in full", "NO"),
        ("paid", "decimal(10,2)", 3, 10, 2, "YES", None, "NO"),
        ("tags", "array<string>", 2003, None, None, "YES", None, "NO"),
    ]
    assert columns(told.getPrimaryKeys(None, "tree", "owner"), "COLUMN_NAME", "PK_NAME") == [("name", "owners")]
    assert columns(told.getPrimaryKeys(None, "tree", "nobody"), "COLUMN_NAME") == []
    keys = ("PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME", "PK_NAME")
    owned = [("owner", "name", "pet", "owner", "owned", "owners")]
    assert columns(told.getImportedKeys(None, "tree", "pet"), *keys) == owned
    assert columns(told.getExportedKeys(None, "tree", "owner"), *keys) == owned


def test_prepared_statements_take_values_of_the_columns_types(connection: Any, gateway: Any) -> None:
    sql, exact = gateway.jvm.java.sql, gateway.jvm.java.math.BigDecimal
    run(connection, f"CREATE TABLE kinds ({KINDS})")
    insert = connection.prepareStatement(f"INSERT INTO kinds VALUES ({', '.join('?' * 11)})")
    for number in (1, 2):
        insert.setInt(1, number)
        insert.setLong(2, 2**40)
        insert.setDouble(3, 1.5)
        insert.setBigDecimal(4, exact("12.3"))
        insert.setBigDecimal(5, exact("12345678901234567890.125"))
        insert.setString(6, "it's")
        insert.setBytes(7, bytearray(b"\x00\xff"))
        insert.setBoolean(8, True)
        insert.setDate(9, sql.Date.valueOf("2024-02-29"))
        insert.setTimestamp(10, sql.Timestamp.valueOf("2024-01-01 10:00:00.123"))
        insert.setTimestamp(11, sql.Timestamp.valueOf("2024-01-01 10:00:00.123"))
        insert.addBatch()
    assert list(insert.executeBatch()) == [2]
    for place in range(2, 12):
        insert.setNull(place, sql.Types.NULL)
    insert.setInt(1, 3)
    assert insert.executeUpdate() == 1
    when = "2024-01-01 10:00:00.123"
    values = (2**40, 1.5, Decimal("12.30"), Decimal("12345678901234567890.125"), "it's", b"\x00\xff", True)
    select = connection.prepareStatement("SELECT * FROM kinds WHERE i IN (?, ?) OR (d > ? AND day < ?) ORDER BY i")
    for ours in ((1, 3), (3, 2)):
        select.setInt(1, ours[0])
        select.setInt(2, ours[1])
        select.setBigDecimal(3, exact("99.5"))
        select.setDate(4, sql.Date.valueOf("2024-02-29"))
        first, second = sorted(
            [(number, *values, "2024-02-29", when, when) if number < 3 else (3, *[None] * 10) for number in ours]
        )
        assert rows(select.executeQuery()) == [first, second]
    update = connection.prepareStatement("UPDATE kinds SET s = ? WHERE i BETWEEN ? AND ?")
    update.setString(1, "new")
    update.setInt(2, 2)
    update.setInt(3, 9)
    assert update.executeUpdate() == 2
    for statement in (insert, select, update):
        statement.close()


def test_statements(connection: Any) -> None:
    statement = connection.createStatement()
    assert statement.executeUpdate("CREATE TABLE t (a INT, s STRUCT<x: ARRAY<INT>>, m MAP<STRING, INT>)") == 0
    assert statement.executeUpdate("INSERT INTO t VALUES (1, named_struct('x', array(1, NULL)), map('k', 1))") == 1
    assert statement.execute("DESCRIBE HISTORY t")
    assert columns(statement.getResultSet(), "version", "operation") == [(1, "WRITE"), (0, "CREATE TABLE")]
    assert query(connection, "SELECT *, TIMESTAMP '2024-01-01 12:00:00+02:00' AS at, NULL AS nothing FROM t") == [
        (1, '{"x":[1,null]}', '{"k":1}', "2024-01-01 10:00:00.0", None)
    ]
    run(connection, "CREATE SCHEMA near", "USE near", "CREATE TEMPORARY VIEW mine AS SELECT 7 AS seven")
    assert query(connection, "SELECT seven FROM mine") == [(7,)]
    assert query(connection, "SHOW CURRENT SCHEMA") == [("spark_catalog", "near")]


def test_errors(connection: Any, gateway: Any, url: str) -> None:
    def raised(sql: str) -> str:
        return failure(lambda: connection.createStatement().executeQuery(sql))

    assert re.search(r"\[UNRESOLVED_COLUMN(.|\n)*SQLSTATE: 42703(.|\n)*\^\^\^\^", raised("SELECT nope FROM range(1)"))
    assert "TABLE_OR_VIEW_NOT_FOUND" in raised("SELECT * FROM nowhere")
    assert "PARSE_SYNTAX_ERROR" in raised("SELEC 1")
    # These come with the rows.
    assert "DIVIDE_BY_ZERO" in failure(lambda: query(connection, "SELECT 1 / (id - id) FROM range(2)"))
    connect = gateway.jvm.java.sql.DriverManager.getConnection
    assert "AUTHENTICATION" in failure(lambda: connect(url, "anybody", "loud")).upper()


def test_times_are_those_of_the_sessions_clock(connection: Any, gateway: Any, url: str) -> None:
    """The driver has no value for times with a zone; a connection that wants them says so."""
    run(connection, "CREATE TABLE clock (at TIMESTAMP)", "SET spark.sql.session.timeZone = Asia/Kolkata")
    told = connection.getMetaData().getColumns(None, None, "clock", "%")
    assert columns(told, "TYPE_NAME", "DATA_TYPE") == [("timestamp", 93)]
    moment = "SELECT TIMESTAMP '2024-01-01 00:00:00Z' AS at"
    assert query(connection, moment) == [("2024-01-01 05:30:00.0",)]
    run(connection, "SET spark.sql.session.timeZone = UTC")
    other = gateway.jvm.java.sql.DriverManager.getConnection(f"{url}&zones=keep", "anybody", "hush")
    found = other.createStatement().executeQuery(moment)
    assert found.getMetaData().getColumnTypeName(1) == "TIMESTAMP_WITH_TIMEZONE"
    found.close()
    other.close()
