"""Statements through `deltasql.dbapi`: errors, transactions, many sets of parameters, and what is loaded for them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import pytest

import deltasql
from deltasql.clients import dbapi
from deltasql.clients.dbapi.cursor import bulk_insert
from deltasql.clients.dbapi.types import class_of

CLOCK = datetime(2024, 1, 2, 3, 4, 5)
MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[dbapi.Connection]:
    with dbapi.connect(str(tmp_path / "warehouse")) as opened:
        opened.cursor().execute("CREATE TABLE t (a INT, b STRING, c DECIMAL(10,2), d DATE)")
        yield opened


def versions(connection: dbapi.Connection, table: str = "t") -> int:
    return connection.session.log(table).snapshot().version


# Errors


def test_errors_keep_condition_sqlstate_and_place(connection: dbapi.Connection) -> None:
    with pytest.raises(dbapi.ProgrammingError) as caught:
        connection.cursor().execute("ALTER TABLE t ADD COLUMN a STRING")
    error = caught.value
    assert (error.condition, error.sqlstate) == ("FIELD_ALREADY_EXISTS", "42710")
    assert error.caret is not None
    assert error.caret.column == 26
    assert isinstance(error.__cause__, deltasql.DeltaSqlError)
    assert str(error) == str(error.__cause__)
    assert error.message == error.__cause__.message


def test_errors_can_be_sent_to_other_processes(connection: dbapi.Connection) -> None:
    with pytest.raises(dbapi.Error) as caught:
        connection.cursor().execute("DROP TABLE missing")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.sqlstate) == (type(caught.value), str(caught.value), "42P01")


@pytest.mark.parametrize(
    ("sqlstate", "kind"),
    [
        ("42P01", dbapi.ProgrammingError),
        ("22012", dbapi.DataError),
        ("22023", dbapi.ProgrammingError),
        ("22KD0", dbapi.OperationalError),
        ("23001", dbapi.IntegrityError),
        ("44000", dbapi.IntegrityError),
        ("2D521", dbapi.OperationalError),
        ("08001", dbapi.OperationalError),
        ("0AKDC", dbapi.NotSupportedError),
        ("56038", dbapi.NotSupportedError),
        ("KD00C", dbapi.OperationalError),
        ("KD00D", dbapi.InternalError),
        ("XXKDS", dbapi.InternalError),
        ("HY000", dbapi.InterfaceError),
        ("45000", dbapi.DatabaseError),
    ],
)
def test_class_of_a_sqlstate(sqlstate: str, kind: type[dbapi.Error]) -> None:
    assert class_of(sqlstate) is kind


def test_a_session_that_was_closed_below(tmp_path: Path) -> None:
    session = deltasql.connect(str(tmp_path))
    cursor = dbapi.connect(session).cursor()
    session.close()
    with pytest.raises(dbapi.InterfaceError, match="session was closed"):
        cursor.execute("SHOW TABLES")


def test_a_session_of_the_callers_stays_open(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        with dbapi.connect(session) as connection:
            connection.cursor().execute("CREATE TABLE t (a INT)")
        assert session.sql("SHOW TABLES").count() == 1


def test_connect_in_a_schema(tmp_path: Path) -> None:
    dbapi.connect(str(tmp_path)).cursor().execute("CREATE SCHEMA `my-schema`")
    with dbapi.connect(str(tmp_path), schema="my-schema") as connection:
        connection.cursor().execute("CREATE TABLE t (a INT)")
        assert connection.cursor().execute("SHOW TABLES").fetchall() == [("my-schema", "t", False)]
    with pytest.raises(dbapi.ProgrammingError, match="SCHEMA_NOT_FOUND"):
        dbapi.connect(str(tmp_path), schema="none")


def test_connect_in_a_catalog(tmp_path: Path) -> None:
    cursor = dbapi.connect(str(tmp_path)).cursor()
    cursor.execute("CREATE CATALOG main")
    cursor.execute("CREATE SCHEMA main.sales")
    with dbapi.connect(str(tmp_path), catalog="main", schema="sales") as connection:
        connection.cursor().execute("CREATE TABLE t (a INT)")
        assert connection.session.catalog.resolve(("main", "sales", "t")) is not None
    with pytest.raises(dbapi.ProgrammingError, match="CATALOG_NOT_FOUND"):
        dbapi.connect(str(tmp_path), catalog="none")


# Transactions


def test_autocommit_is_the_default(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    assert connection.autocommit
    cursor.execute("INSERT INTO t (a) VALUES (1)")
    connection.rollback()
    assert versions(connection) == 1


def test_statements_of_a_transaction_are_one_commit(connection: dbapi.Connection) -> None:
    connection.autocommit = False
    cursor = connection.cursor()
    cursor.execute("INSERT INTO t (a) VALUES (1)")
    cursor.execute("INSERT INTO t (a) VALUES (2)")
    assert connection.in_transaction
    connection.commit()
    assert (versions(connection), connection.in_transaction) == (1, False)
    cursor.execute("INSERT INTO t (a) VALUES (3)")
    connection.rollback()
    assert versions(connection) == 1


def test_what_can_be_in_no_transaction_runs_by_itself(connection: dbapi.Connection) -> None:
    connection.autocommit = False
    cursor = connection.cursor()
    cursor.execute("DESCRIBE t")
    cursor.execute("CREATE TABLE u (a INT)")
    assert versions(connection, "u") == 0
    cursor.execute("INSERT INTO u VALUES (1)")
    with pytest.raises(dbapi.NotSupportedError, match="CREATE TABLE cannot be part of a transaction"):
        cursor.execute("CREATE TABLE v (a INT)")
    with pytest.raises(dbapi.NotSupportedError, match="cannot write t as well"):
        cursor.execute("INSERT INTO t (a) VALUES (1)")
    connection.commit()
    assert (versions(connection, "u"), versions(connection)) == (1, 0)


def test_begin_by_hand(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    for connection.autocommit in (True, False):
        cursor.execute("BEGIN TRANSACTION")
        cursor.execute("INSERT INTO t (a) VALUES (1)")
        connection.rollback()
        assert versions(connection) == 0


def test_autocommit_is_not_changed_amid_changes(connection: dbapi.Connection) -> None:
    connection.autocommit = False
    cursor = connection.cursor()
    cursor.execute("DESCRIBE t")
    connection.autocommit = True
    assert not connection.in_transaction
    connection.autocommit = False
    cursor.execute("INSERT INTO t (a) VALUES (1)")
    with pytest.raises(dbapi.ProgrammingError, match="A transaction is open"):
        connection.autocommit = True


@pytest.mark.parametrize(("fails", "expected"), [(False, 1), (True, 0)])
def test_the_end_of_a_with_block(tmp_path: Path, fails: bool, expected: int) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")

        def work() -> None:
            with dbapi.connect(session, autocommit=False) as connection:
                connection.cursor().execute("INSERT INTO t VALUES (1)")
                if fails:
                    raise LookupError

        if fails:
            with pytest.raises(LookupError):
                work()
        else:
            work()
        assert session.log("t").snapshot().version == expected


# Many sets of parameters


def test_many_rows_are_one_commit(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    rows = [(1, "it's ? :x", Decimal("1.50"), date(2020, 1, 1)), (2, None, None, None)]
    cursor.executemany("INSERT INTO t VALUES (?, ?, ?, ?);", rows)
    assert (cursor.rowcount, cursor.description, versions(connection)) == (2, None, 1)
    cursor.executemany("insert into t (a) values /* one */ (:a)", ({"a": number} for number in range(3)))
    assert (cursor.rowcount, versions(connection)) == (3, 2)
    cursor.executemany("INSERT INTO t (a) VALUES (?)", [])
    assert (cursor.rowcount, versions(connection)) == (0, 2)
    assert not connection.session.spark_started


def test_many_rows_are_all_there_or_none(connection: dbapi.Connection) -> None:
    with pytest.raises(dbapi.ProgrammingError, match=r":b has no value") as caught:
        connection.cursor().executemany("INSERT INTO t (a) VALUES (:b)", [{"b": 1}, {"a": 2}])
    assert caught.value.caret is not None
    assert caught.value.caret.column == 27
    assert versions(connection) == 0


@pytest.mark.parametrize(
    ("operation", "row"),
    [
        ("INSERT INTO t VALUES (?, f(?))", "(?, f(?))"),
        ("INSERT INTO `values` (a) VALUES (:a) ;", "(:a)"),
        ("INSERT INTO a.b TABLE VALUES (?)", "(?)"),
        ("INSERT OVERWRITE t VALUES (?)", None),
        ("INSERT INTO t REPLACE WHERE a = ? VALUES (?)", None),
        ("INSERT INTO t VALUES (?), (?)", None),
        ("INSERT INTO t VALUES (?) -- (", "(?)"),
        ("INSERT INTO t SELECT ?", None),
        ("INSERT INTO t VALUES ?", None),
        ("INSERT INTO t VALUES", None),
        ("WITH v AS (SELECT 1) INSERT INTO t VALUES (?)", None),
        ("UPDATE t SET a = ?", None),
        ("", None),
    ],
)
def test_what_becomes_one_statement(operation: str, row: str | None) -> None:
    found = bulk_insert(operation)
    assert (None if found is None else operation[found.start : found.end]) == row


def test_what_is_no_insert_runs_once_for_each(connection: dbapi.Connection) -> None:
    connection.cursor().executemany("COMMENT ON TABLE t IS ?", [["a"], ["b"]])
    assert versions(connection) == 2


# Descriptions, and what is loaded


def test_description_has_sparks_names_of_types(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    description = cursor.execute("DESCRIBE HISTORY t").description or []
    assert [(item.name, item.type_code) for item in description[:2]] == [
        ("version", "bigint"),
        ("timestamp", "timestamp"),
    ]
    assert {item.type_code for item in description} >= {"map", "struct", "boolean", "string"}


def test_metadata_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from deltasql import dbapi; cursor = dbapi.connect(sys.argv[1]).cursor(); "
        "cursor.execute('CREATE TABLE t (a INT)'); assert cursor.execute('DESCRIBE t').fetchall(); "
        "print(*{name.split('.')[0] for name in sys.modules} & "
        "{'pyspark', 'py4j', 'sqlglot', 'pandas', 'numpy', 'pyarrow', 'rich', 'prompt_toolkit'})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("operation", "sets"),
    [
        ("INSERT INTO t (a, b) VALUES (?, ?)", [(number, f"{number}") for number in range(600)]),
        ("INSERT INTO TABLE default.t VALUES (:a, :b, :c, :d)", [{"a": 1, "b": "x", "c": Decimal(2), "d": None}] * 600),
    ],
)
def test_very_many_rows_are_written_in_columns(
    connection: dbapi.Connection, operation: str, sets: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deltasql.clients.dbapi.cursor.BulkInsert.statement", None)
    cursor = connection.cursor()
    cursor.executemany(operation, sets)
    assert (cursor.rowcount, versions(connection), connection.session.spark_started) == (600, 1, False)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("INSERT INTO t VALUES (?)", ("t", ())),
        ("INSERT INTO TABLE a.`b c` (x, `y z`) VALUES (?, ?)", ("a.`b c`", ("x", "y z"))),
        ("INSERT INTO delta.`/p` VALUES (?)", ("delta.`/p`", ())),
        ("INSERT INTO t PARTITION (d = 1) VALUES (?)", None),
        ("INSERT INTO t BY NAME VALUES (?)", None),
        ("INSERT INTO t (a.b) VALUES (?)", None),
    ],
)
def test_what_a_bulk_insert_names(operation: str, expected: object) -> None:
    found = bulk_insert(operation)
    assert found is not None
    assert found.target() == expected


@pytest.mark.parametrize(
    ("row", "sets", "expected"),
    [
        ("(?, ?)", [(1, "a"), (None, None)], [{"x": 1, "y": "a"}, {"x": None, "y": None}]),
        ("(:b, :a)", [{"a": 1, "b": 2}], [{"x": 2, "y": 1}]),
        ("(?, ? + 1)", [(1, 2)], None),
        ("(?, f(?))", [(1, 2)], None),
        ("(?, 'a')", [(1,)], None),
        ("(?, DEFAULT)", [(1,)], None),
        ("(?, ?)", [(1, 2), (1, "a")], None),
        ("(?, ?)", [(1, 2), (1,)], None),
        ("(?, ?)", [(1, CLOCK), (1, MOMENT)], None),
        ("(?, ?)", [(1, MOMENT), (2, None)], [{"x": 1, "y": MOMENT}, {"x": 2, "y": None}]),
        ("(?, ?)", [(1, [2])], None),
        ("(:a, :b)", [{"a": 1}], None),
        ("(?)", [(1,)], None),
    ],
)
def test_rows_of_a_bulk_insert(row: str, sets: list[object], expected: object) -> None:
    found = bulk_insert(f"INSERT INTO t (x, y) VALUES {row}")
    assert found is not None
    rows = found.rows(sets, ("x", "y"))
    assert (None if rows is None else rows.to_pylist()) == expected
