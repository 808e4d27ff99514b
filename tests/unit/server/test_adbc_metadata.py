"""The ADBC driver of Flight SQL, through its DB-API, on statements that need no Spark."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pytest

Connected = Callable[[], Any]
KEYS = (
    "CREATE TABLE owner (id INT NOT NULL COMMENT 'a number', name STRING, paid DECIMAL(10,2), PRIMARY KEY (id))",
    "CREATE TABLE pet (name STRING NOT NULL, owner INT, CONSTRAINT owned FOREIGN KEY (owner) REFERENCES owner (id))",
)


def fetched(connection: Any, sql: str, values: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def test_statements_and_their_rows(connected: Connected) -> None:
    connection = connected()
    assert fetched(connection, "CREATE TABLE t (a INT, s STRING)") == []
    assert fetched(connection, "INSERT INTO t VALUES (1, 'x'), (2, NULL)") == [(2, 2)]
    with connection.cursor() as cursor:
        cursor.execute("DESCRIBE TABLE t")
        assert [column[0] for column in cursor.description] == ["col_name", "data_type", "comment"]
        assert cursor.fetchall() == [("a", "int", None), ("s", "string", None)]
        assert cursor.rowcount == 2


def test_values_of_parameters(connected: Connected) -> None:
    connection = connected()
    fetched(connection, "CREATE TABLE t (a INT, s STRING, d DECIMAL(5, 2))")
    assert fetched(connection, "INSERT INTO t VALUES (?, ?, ?)", (1, "it's", Decimal("1.50"))) == [(1, 1)]
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (?, ?, ?)", [(2, None, None), (3, "?", Decimal("2.00"))])
        assert cursor.rowcount == 2
    # Many sets of values are one commit.
    assert len(fetched(connection, "DESCRIBE HISTORY t")) == 3


def test_each_connection_has_a_session(connected: Connected) -> None:
    first, second = connected(), connected()
    fetched(first, "CREATE SCHEMA other")
    fetched(first, "USE other")
    fetched(first, "SET deltasql.retry.maxAttempts = 3")
    assert fetched(first, "SHOW CURRENT SCHEMA") == [("spark_catalog", "other")]
    assert fetched(second, "SHOW CURRENT SCHEMA") == [("spark_catalog", "default")]
    assert fetched(first, "SET deltasql.retry.maxAttempts") != fetched(second, "SET deltasql.retry.maxAttempts")
    assert (first.adbc_current_catalog, first.adbc_current_db_schema) == ("spark_catalog", "other")
    second.adbc_current_db_schema = "other"
    assert fetched(second, "SHOW CURRENT SCHEMA") == [("spark_catalog", "other")]


def test_a_transaction_is_the_connections(connected: Connected) -> None:
    first, second = connected(), connected()
    fetched(first, "CREATE TABLE t (a INT)")
    fetched(first, "BEGIN TRANSACTION")
    fetched(first, "INSERT INTO t VALUES (1)")
    assert len(fetched(second, "DESCRIBE HISTORY t")) == 1
    fetched(first, "COMMIT")
    assert len(fetched(second, "DESCRIBE HISTORY t")) == 2


@pytest.mark.parametrize(
    ("sql", "kind", "told"),
    [
        (
            "DESCRIBE TABLE nope",
            adbc_driver_manager.ProgrammingError,
            ["[TABLE_OR_VIEW_NOT_FOUND]", "SQLSTATE: 42P01", "               ^^^^"],
        ),
        ("SELEC 1", adbc_driver_manager.ProgrammingError, ["[PARSE_SYNTAX_ERROR]", "Did you mean SELECT?"]),
        ("CREATE SCHEMA default", adbc_driver_manager.ProgrammingError, ["[SCHEMA_ALREADY_EXISTS]"]),
        ("INSERT INTO nope VALUES (?)", adbc_driver_manager.ProgrammingError, ["[TABLE_OR_VIEW_NOT_FOUND]"]),
        ("CREATE TABLE u (a INT) LOCATION '/dev/null'", adbc_driver_manager.OperationalError, ["SQLSTATE: "]),
    ],
)
def test_errors_tell_what_is_wrong(connected: Connected, sql: str, kind: type[Exception], told: list[str]) -> None:
    with pytest.raises(kind) as raised:
        fetched(connected(), sql, (1,) if "?" in sql else None)
    text = str(raised.value)
    assert [part for part in told if part not in text] == []
    assert ".py" not in text
    assert "Traceback" not in text


def test_objects_of_the_catalog(connected: Connected) -> None:
    connection = connected()
    fetched(connection, "CREATE SCHEMA a")
    fetched(connection, "USE a")
    for sql in KEYS:
        fetched(connection, sql)
    (catalog,) = (
        connection.adbc_get_objects(depth="all", catalog_filter="spark_catalog", db_schema_filter="a")
        .read_all()
        .to_pylist()
    )
    (schema,) = catalog["catalog_db_schemas"]
    assert (catalog["catalog_name"], schema["db_schema_name"]) == ("spark_catalog", "a")
    tables = {table["table_name"]: table for table in schema["db_schema_tables"]}
    assert sorted(tables) == ["owner", "pet"]
    columns = [(item["column_name"], item["xdbc_type_name"]) for item in tables["owner"]["table_columns"]]
    assert columns == [("id", "int"), ("name", "string"), ("paid", "decimal(10,2)")]
    found = connection.adbc_get_table_schema("owner", db_schema_filter="a")
    assert found.names == ["id", "name", "paid"]
    assert not found.field("id").nullable
    assert found.field("id").metadata[b"ARROW:FLIGHT:SQL:REMARKS"] == b"a number"
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
    assert connection.adbc_get_info()["vendor_name"] == "deltasql"


def test_who_asks_for_no_autocommit_is_told(uri: str) -> None:
    with pytest.warns(Warning, match="autocommit"):
        adbc.connect(uri).close()
