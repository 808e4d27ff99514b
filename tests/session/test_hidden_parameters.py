"""Secrets and parameters in statements whose rows Spark makes. See tests/unit/test_secrets.py for the others."""

from __future__ import annotations

import io
import traceback
from pathlib import Path

import pytest

from deltasql import Session
from deltasql.base.errors import UnboundParameterError
from deltasql.base.errors.base import DeltaSqlError

pytestmark = pytest.mark.spark

CANARY = "c4n4ry-Value"


def _history(session: Session) -> dict[str, str]:
    last: dict[str, str] = session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0].operationParameters
    return last


def test_the_history_tells_parameters_by_name(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (id INT, email STRING)")
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    session.sql("UPDATE t SET id = id + 1 WHERE email <> :e AND id < :n", {"e": CANARY, "n": 100})
    assert _history(session) == {"predicate": '["email <> :e AND id < :n"]'}
    session.sql("DELETE FROM t WHERE id = ? OR email = ?", [2, CANARY])
    assert _history(session) == {"predicate": '["id = ? OR email = ?"]'}
    session.sql(
        "MERGE INTO t USING (SELECT 9 AS id) s ON t.id = s.id AND t.email = :e "
        "WHEN NOT MATCHED AND s.id <> length(:e) THEN INSERT (id) VALUES (s.id)",
        {"e": CANARY},
    )
    assert _history(session)["predicate"] == '["t.id = s.id AND t.email = :e"]'
    assert "length(:e)" in _history(session)["notMatchedPredicates"]
    session.sql("INSERT INTO t REPLACE WHERE id = :n SELECT :n, 'w'", {"n": 9})
    assert _history(session)["predicate"] == "id = :n"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert CANARY.encode() not in written
    assert session.sql("SELECT count(*) FROM t WHERE id = :n", {"n": 9}).collect() == [(1,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CAST(:e AS INT)",
        "SELECT * FROM t WHERE email = :e AND",
        "SELECT assert_true(false, :e)",
        "SELECT nope, :e FROM t",
        "UPDATE t SET id = CAST(:e AS INT)",
        "UPDATE t SET email = :e WHERE id = 1",
        "INSERT INTO t SELECT id, :e FROM t",
        "CREATE TEMPORARY VIEW v USING nothing OPTIONS (password :e, 'x' 'y')",
    ],
)
def test_no_error_of_spark_shows_the_value_of_a_parameter(session: Session, sql: str) -> None:
    session.sql("CREATE TABLE t (id INT, email STRING)")
    session.sql("INSERT INTO t VALUES (1, 'x')")
    session.sql("ALTER TABLE t ADD CONSTRAINT short CHECK (length(email) < 5)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql, {"e": CANARY}).collect()
    told = str(caught.value) + "".join(traceback.format_exception(caught.value)) + str(vars(caught.value))
    assert CANARY not in told
    assert session.sql("SELECT email FROM t").collect() == [("x",)]


def test_the_caret_of_a_late_error_stands_in_the_users_text(session: Session) -> None:
    result = session.sql("SELECT :name, 1 / (id - :one) FROM range(1, 2)", {"name": "a long value", "one": 1})
    with pytest.raises(DeltaSqlError) as caught:
        result.collect()
    assert caught.value.caret is not None
    assert caught.value.caret.draw().splitlines()[1] == "SELECT :name, 1 / (id - :one) FROM range(1, 2)"


@pytest.mark.parametrize(("sql", "name"), [("SELECT :id", ":id"), ("SELECT 1 WHERE 1 = ?", "?")])
def test_a_parameter_without_args_is_told_as_one_without_a_value(session: Session, sql: str, name: str) -> None:
    with pytest.raises(UnboundParameterError) as caught:
        session.sql(sql).collect()
    assert caught.value.name == name
    assert "session.sql(text, args=" in str(caught.value)


def test_a_plan_shows_parameters_by_name(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, email STRING)")
    out = io.StringIO()
    session.sql("EXPLAIN EXTENDED UPDATE t SET email = :e WHERE email <> :e", {"e": CANARY}).show(9, False, out)
    assert CANARY not in out.getvalue()
    assert "email <> :e" in out.getvalue()
