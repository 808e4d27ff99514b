"""Statements that need no rows: no JVM starts, and what they return is there at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql import DeltaSqlError, Session


@pytest.fixture(autouse=True)
def _no_spark(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("this statement started Spark")

    monkeypatch.setattr("deltasql.engines.spark.session.spark.start_local", refuse)


def test_a_table_is_made_changed_and_described(session: Session) -> None:
    assert session.sql("CREATE TABLE t (id INT) COMMENT 'first'").columns == []
    added = session.sql("ALTER TABLE t ADD COLUMNS (name STRING COMMENT 'who' FIRST)")
    assert (added.version, added.attempts, added.columns) == (1, 1, [])
    described = session.sql("DESCRIBE t")
    assert described.columns == ["col_name", "data_type", "comment"]
    assert described.collect() == [("name", "string", "who"), ("id", "int", None)]
    assert described.count() == 2
    assert described.to_arrow().to_pydict()["col_name"] == ["name", "id"]


def test_a_script_yields_a_result_per_statement(session: Session) -> None:
    results = list(session.run("CREATE TABLE a (x INT); -- one\n CREATE TABLE b (y INT);\nSHOW TABLES"))
    assert [result.version for result in results] == [0, 0, None]
    assert [row.tableName for row in results[-1].collect()] == ["a", "b"]


def test_statements_of_a_script_share_values_by_name(session: Session) -> None:
    script = "CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (:a, :b), (2, :b); SELECT a, b FROM t WHERE a > 0"
    *_, rows = session.run(script, {"a": 1, "b": "x;y"})
    assert sorted(rows.collect()) == [(1, "x;y"), (2, "x;y")]


def test_a_dropped_table_can_come_back(session: Session) -> None:
    for _ in range(2):
        session.sql("CREATE TABLE t (id INT)")
        session.sql("DROP TABLE t")
    assert session.sql("SHOW TABLES").collect() == []


def test_two_sessions_see_each_others_tables(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE s.t (id INT)")
    with deltasql.connect(str(tmp_path / "warehouse")) as other:
        other.sql("ALTER TABLE s.t ADD COLUMN b INT")
        assert session.sql("SHOW COLUMNS IN s.t").collect() == [("id",), ("b",)]


def test_settings_are_set_shown_and_reset(session: Session) -> None:
    key = "spark.databricks.delta.schema.autoMerge.enabled"
    assert session.sql(f"SET {key}").collect() == [(key, "false")]
    assert session.sql(f"SET {key} = true").collect() == [(key, "true")]
    assert session.sql(f"SET {key}").collect() == [(key, "true")]
    assert session.sql(f"RESET {key}").columns == []
    assert session.sql(f"SET {key}").collect() == [(key, "false")]


def test_an_error_carries_condition_state_and_place(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("ALTER TABLE t\n  ADD COLUMN ID STRING")
    error = caught.value
    assert (error.condition, error.sqlstate) == ("FIELD_ALREADY_EXISTS", "42710")
    assert error.caret is not None
    assert (error.caret.line, error.caret.column) == (2, 14)
    assert session.sql("DESCRIBE HISTORY t").count() == 1


def test_the_place_of_an_error_is_in_the_users_text_also_with_parameters(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    text = "ALTER TABLE t SET TBLPROPERTIES ('a' = :value) nonsense"
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(text, args={"value": "a much longer text than the marker"})
    assert caught.value.caret is not None
    assert text[caught.value.caret.start :].startswith("nonsense")


def test_a_row_statement_without_java_says_what_is_missing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("deltasql.engines.spark.session.spark.active_session", lambda: None)
    monkeypatch.setattr("deltasql.engines.spark.session.local._STARTED", [])
    monkeypatch.setattr("shutil.which", lambda name: None)
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("INSERT INTO t SELECT 1 + rand(7)")
    assert "Java 17" in str(caught.value)


def test_a_table_that_needs_an_unknown_feature_is_refused_by_its_name(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    log = Path(session.log("t").location) / "_delta_log" / "00000000000000000001.json"
    log.write_text(
        '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,'
        '"readerFeatures":["warpDrive"],"writerFeatures":["warpDrive"]}}\n'
    )
    for statement in ("SELECT * FROM t", "ALTER TABLE t ADD COLUMN b INT"):
        with pytest.raises(DeltaSqlError, match="warpDrive"):
            session.sql(statement)
    assert session.sql("DESCRIBE t").count() == 1
