"""What PEP 249 asks of a driver. The checks are those of the public suite dbapi20, which is no longer kept up."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from deltasql.clients import dbapi

DRINKS = ["Carlton Cold", "Carlton Draft", "Mountain Goat", "Redback", "Victoria Bitter", "XXXX"]


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[dbapi.Connection]:
    with dbapi.connect(str(tmp_path / "warehouse")) as opened:
        yield opened


@pytest.fixture
def cursor(connection: dbapi.Connection) -> dbapi.Cursor:
    """With six schemas, whose names SHOW SCHEMAS lists without Spark."""
    opened = connection.cursor()
    for name in DRINKS:
        opened.execute(f"CREATE SCHEMA `{name.lower().replace(' ', '_')}`")
    return opened


SHOW = "SHOW SCHEMAS LIKE '*_*|xxxx|redback'"


def test_globals() -> None:
    assert dbapi.apilevel == "2.0"
    assert dbapi.threadsafety in {0, 1, 2, 3}
    assert dbapi.paramstyle in {"qmark", "numeric", "named", "format", "pyformat"}


def test_connect_takes_names(tmp_path: Path) -> None:
    parameters = inspect.signature(dbapi.connect).parameters
    names = {"warehouse", "spark", "storage_options", "catalog", "schema", "autocommit", "engine", "catalogs"}
    assert names == set(parameters)


def test_hierarchy_of_exceptions() -> None:
    assert issubclass(dbapi.Warning, Exception)
    assert issubclass(dbapi.Error, Exception)
    assert issubclass(dbapi.InterfaceError, dbapi.Error)
    assert issubclass(dbapi.DatabaseError, dbapi.Error)
    for name in ("Data", "Operational", "Integrity", "Internal", "Programming", "NotSupported"):
        assert issubclass(getattr(dbapi, f"{name}Error"), dbapi.DatabaseError)
    assert not issubclass(dbapi.InterfaceError, dbapi.DatabaseError)


def test_exceptions_are_attributes_of_connections(connection: dbapi.Connection) -> None:
    for name in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError"):
        assert getattr(connection, name) is getattr(dbapi, name)
    for name in ("IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):
        assert getattr(connection, name) is getattr(dbapi, name)


def test_type_objects_and_constructors() -> None:
    types = (dbapi.STRING, dbapi.BINARY, dbapi.NUMBER, dbapi.DATETIME, dbapi.ROWID)
    assert len(set(types)) == 5
    assert dbapi.NUMBER == "int"
    assert dbapi.NUMBER != "string"
    assert dbapi.STRING == "string"
    assert dbapi.DATETIME == "timestamp"
    assert dbapi.BINARY == "binary"
    assert dbapi.ROWID != "int"
    assert dbapi.Date(2002, 12, 25) == date(2002, 12, 25)
    assert dbapi.Time(13, 45, 30) == time(13, 45, 30)
    assert dbapi.Timestamp(2002, 12, 25, 13, 45, 30) == datetime(2002, 12, 25, 13, 45, 30)
    moment = datetime(2002, 12, 25, 13, 45, 30)
    assert dbapi.TimestampFromTicks(moment.timestamp()) == moment
    assert dbapi.DateFromTicks(moment.timestamp()) == moment.date()
    assert dbapi.TimeFromTicks(moment.timestamp()) == moment.time()
    assert dbapi.Binary(b"x") == b"x"


def test_commit_and_rollback_without_work(connection: dbapi.Connection) -> None:
    connection.commit()
    connection.rollback()


def test_cursors_of_a_connection_see_the_same(connection: dbapi.Connection) -> None:
    first, second = connection.cursor(), connection.cursor()
    first.execute("CREATE TABLE booze (name STRING)")
    second.execute("SHOW TABLES")
    assert [row["tableName"] for row in second.fetchall()] == ["booze"]


def test_description(cursor: dbapi.Cursor) -> None:
    assert cursor.execute("CREATE TABLE booze (name STRING)").description is None
    (column,) = cursor.execute("SHOW SCHEMAS").description or []
    assert len(column) == 7
    assert column[0] == "namespace"
    assert column[1] == dbapi.STRING
    # It is gone where a statement has no rows.
    assert cursor.execute("CREATE TABLE barflys (name STRING)").description is None


def test_rowcount(cursor: dbapi.Cursor) -> None:
    assert cursor.rowcount == -1
    assert cursor.execute("CREATE TABLE booze (name STRING)").rowcount == -1
    assert cursor.execute("INSERT INTO booze VALUES ('Victoria Bitter'), ('Redback')").rowcount == 2
    assert cursor.execute(SHOW).rowcount == 6


def test_a_closed_connection_is_of_no_use(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    connection.close()
    connection.close()
    for call in (connection.commit, connection.rollback, connection.cursor, lambda: cursor.execute("SHOW TABLES")):
        with pytest.raises(dbapi.InterfaceError, match="connection is closed"):
            call()


def test_a_closed_cursor_is_of_no_use(connection: dbapi.Connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW TABLES")
    for call in (cursor.fetchone, cursor.fetchall, cursor.fetchmany, lambda: cursor.execute("SHOW TABLES")):
        with pytest.raises(dbapi.InterfaceError, match="cursor is closed"):
            call()
    cursor.close()


def test_execute_with_parameters(cursor: dbapi.Cursor) -> None:
    cursor.execute("CREATE TABLE booze (name STRING, n INT)")
    assert cursor.execute("INSERT INTO booze VALUES (?, ?)", ["Cooper's", 1]).rowcount == 1
    assert cursor.execute("INSERT INTO booze VALUES (:beer, :n)", {"beer": "O'Neill", "n": None}).rowcount == 1
    assert cursor.execute("DESCRIBE booze", ()).rowcount == 2


def test_fetching_before_there_is_something(cursor: dbapi.Cursor) -> None:
    fresh = cursor.connection.cursor()
    for call in (fresh.fetchone, fresh.fetchmany, fresh.fetchall, fresh.fetchall_arrow, lambda: next(fresh)):
        with pytest.raises(dbapi.ProgrammingError, match="No statement was executed"):
            call()
    fresh.execute("CREATE TABLE booze (name STRING)")
    fresh.execute("INSERT INTO booze VALUES ('Redback')")
    with pytest.raises(dbapi.ProgrammingError, match="has no rows to fetch"):
        fresh.fetchone()


def test_fetchone(cursor: dbapi.Cursor) -> None:
    cursor.execute("SHOW SCHEMAS LIKE 'none'")
    assert cursor.fetchone() is None
    cursor.execute("SHOW SCHEMAS LIKE 'redback'")
    assert cursor.fetchone() == ("redback",)
    assert cursor.fetchone() is None


def test_fetchmany(cursor: dbapi.Cursor) -> None:
    assert len(cursor.execute(SHOW).fetchmany()) == 1
    cursor.arraysize = 10
    assert len(cursor.fetchmany(3)) == 3
    assert len(cursor.fetchmany(4)) == 2
    assert cursor.fetchmany(4) == []
    assert cursor.execute(SHOW).fetchmany(0) == []
    assert len(cursor.fetchmany()) == 6


def test_fetchall_and_mixed(cursor: dbapi.Cursor) -> None:
    cursor.execute(SHOW)
    first, two, three = cursor.fetchone(), cursor.fetchmany(2), cursor.fetchall()
    assert first is not None
    assert cursor.rownumber == 6
    names = sorted([first[0], *(row[0] for row in two), *(row[0] for row in three)])
    assert names == sorted(name.lower().replace(" ", "_") for name in DRINKS)
    assert cursor.fetchall() == []


def test_iteration(cursor: dbapi.Cursor) -> None:
    assert [row.namespace for row in cursor.execute("SHOW SCHEMAS LIKE 'carlton*'")] == [
        "carlton_cold",
        "carlton_draft",
    ]


def test_arrow(cursor: dbapi.Cursor) -> None:
    cursor.execute(SHOW)
    cursor.fetchone()
    assert cursor.fetchmany_arrow(2).column_names == ["namespace"]
    assert cursor.fetchall_arrow().num_rows == 3
    assert cursor.fetchall_arrow().num_rows == 0


def test_sizes_may_be_set(cursor: dbapi.Cursor) -> None:
    cursor.setinputsizes((25,))
    cursor.setoutputsize(1000)
    cursor.setoutputsize(2000, 0)


def test_rows_are_sequences_with_names(cursor: dbapi.Cursor) -> None:
    row: Any = cursor.execute("SHOW SCHEMAS LIKE 'redback'").fetchone()
    assert (len(row), row[0], row["namespace"], row.namespace, row.asDict()) == (
        1,
        *("redback",) * 3,
        {"namespace": "redback"},
    )
