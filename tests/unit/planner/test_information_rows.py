"""Rows of the information schema: their columns, the logs that are read for them, tables that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog import store
from deltasql.planner import information
from deltasql.schema.types import DecimalType
from deltasql.session.session import Session
from deltasql.sql.queries.query_facts import named_columns


def _rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


@pytest.fixture
def logs(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables of the schema `shop` whose logs are opened."""
    session.sql("CREATE SCHEMA shop")
    for name in ("a", "b"):
        session.sql(f"CREATE TABLE shop.{name} (id INT)")
    session._logs.clear()
    opened, real = list[str](), session.open_log

    def open_log(location: str, name: str) -> Any:
        opened.append(name)
        return real(location, name)

    monkeypatch.setattr(session, "open_log", open_log)
    return opened


def test_every_view_has_rows() -> None:
    assert information._ROWS.keys() == store._DEFINITIONS.keys()


def test_rows_have_the_columns_of_their_view(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a ARRAY<INT>, m MAP<INT, DATE>, d DOUBLE, b BINARY)")
    for name in information._ROWS:
        found = session.sql(f"SELECT * FROM information_schema.{name}")
        assert found.schema == store.information_columns(name)
        assert len(found.collect()) >= 0
    kinds = _rows(session, "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 't'")
    assert dict(kinds) == {"id": "INT", "a": "ARRAY", "m": "MAP", "d": "DOUBLE", "b": "BINARY"}
    assert not session.spark_started


def test_logs_are_read_for_the_columns_that_need_them(session: Session, logs: list[str]) -> None:
    assert len(_rows(session, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'")) == 2
    assert logs == []
    _rows(session, "SELECT comment FROM information_schema.tables WHERE table_name = 'a'")
    assert [name.rpartition(".")[2] for name in logs] == ["a"]


def test_a_predicate_on_names_leaves_out_other_tables(session: Session, logs: list[str]) -> None:
    sql = "SELECT column_name FROM information_schema.columns AS c WHERE c.table_name IN ('b') AND ordinal_position = 1"
    assert _rows(session, sql) == [("id",)]
    assert [name.rpartition(".")[2] for name in logs] == ["b"]


def test_a_table_that_cannot_be_read_has_no_columns(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) COMMENT 'x'")
    session.sql("CREATE TABLE u (id INT)")
    log = Path(session.catalog.require("t").location) / "_delta_log"
    for path in log.iterdir():
        path.write_text("no JSON")
    session._logs.clear()
    with pytest.raises(DeltaSqlError):
        session.sql("DESCRIBE t")
    of_default = "WHERE table_schema = 'default'"
    assert _rows(session, f"SELECT table_name, comment FROM information_schema.tables {of_default}") == [
        ("t", None),
        ("u", None),
    ]
    assert _rows(session, f"SELECT table_name FROM information_schema.columns {of_default}") == [("u",)]
    assert _rows(session, "SELECT table_name FROM information_schema.table_tags WHERE table_name = 't'") == []


def test_rows_in_a_transaction(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("BEGIN TRANSACTION")
    session.sql("ALTER TABLE t ADD COLUMN more INT")
    found = _rows(session, "SELECT column_name FROM information_schema.columns WHERE table_name = 't'")
    assert found == [("id",), ("more",)]
    session.sql("ROLLBACK")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "TABLE t",
        "FROM t",
        "FROM t |> SELECT a",
        "SELECT a FROM t UNION ALL FROM t",
        "SELECT a FROM (FROM t)",
        "SELECT a FROM t NATURAL JOIN u",
        "SELECT count(*) FROM t",
        "WITH c AS (TABLE t) SELECT a FROM c",
        "",
    ],
)
def test_queries_that_may_use_all_columns(sql: str) -> None:
    assert named_columns(sql) is None


def test_named_columns() -> None:
    assert named_columns("SELECT `A b`, t.C FROM t") == frozenset({"select", "a b", "t", "c", "from"})
    assert named_columns("WITH c AS (SELECT a FROM t) SELECT b FROM c ORDER BY d") is not None


def test_types_in_function_texts() -> None:
    from deltasql.planner.information import text_facts, type_facts

    assert text_facts("DECIMAL(4, 1)") == type_facts(DecimalType(4, 1))
    assert text_facts("INTERVAL DAY TO SECOND")["data_type"] == "INTERVAL"
    assert text_facts("NOTYPE(3)") == {"data_type": "NOTYPE", "full_data_type": "NOTYPE(3)"}
    assert text_facts(None) == {}
