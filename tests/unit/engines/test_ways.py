"""Who computes the rows of a statement, and why: seen in EXPLAIN, in results and in the log; steered by a setting."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import NeedsEngineError
from deltasql.plan.base import ComputedBy


@pytest.fixture
def session(tmp_path: Path) -> deltasql.Session:
    found = deltasql.connect(str(tmp_path / "warehouse"))
    found.sql("CREATE TABLE t (id INT, name STRING, code CHAR(3)) PARTITIONED BY (id)")
    found.sql("CREATE TABLE u (id INT, name STRING)")
    found.sql("INSERT INTO u VALUES (1, 'a'), (2, 'b')")
    return found


IN_PROCESS = "its expressions need no engine, within the limit of memory"
WAYS = {
    "SELECT * FROM u": ("in this process", IN_PROCESS),
    "SELECT id FROM u WHERE name = 'a' ORDER BY id LIMIT 1": ("in this process", IN_PROCESS),
    "UPDATE u SET name = 'c' WHERE id = 1": ("in this process", IN_PROCESS),
    "DELETE FROM u WHERE id = 1": ("in this process", IN_PROCESS),
    "INSERT INTO u VALUES (3, 'c')": ("in this process", "the rows are literals, or in memory"),
    "INSERT INTO u SELECT * FROM u": ("in this process", IN_PROCESS),
    "MERGE INTO u USING (SELECT 1 AS k) ON id = k WHEN MATCHED THEN UPDATE SET name = 'c'": (
        "in this process",
        IN_PROCESS,
    ),
    "UPDATE u SET name = upper(name)": ("by the engine", "upper(name) is not evaluated in this process"),
    "DELETE FROM u WHERE length(name) = 1": ("by the engine", "length(name) = 1 is not evaluated in this process"),
    "DELETE FROM u WHERE id IN (SELECT id FROM t)": ("by the engine", "a condition or a value has a sub-query"),
    "SELECT upper(name) FROM u": (
        "by the engine",
        "the query is more than columns, WHERE, ORDER BY and LIMIT of one table",
    ),
    "SELECT a.id FROM u a JOIN u b ON a.id = b.id": ("by the engine", "the rows are not those of one table"),
    "SELECT code FROM t": ("by the engine", "the column code is of type CHAR(3)"),
}


@pytest.mark.parametrize("sql", WAYS)
def test_explain_names_the_way_and_its_reason(session: deltasql.Session, sql: str) -> None:
    by, because = WAYS[sql]
    plan = session.sql(f"EXPLAIN {sql}").collect()[0][0]
    assert f"== Rows ==\ncomputed {by}: {because}\n" in f"{plan}\n"
    assert not session.spark_started


@pytest.mark.parametrize("sql", [sql for sql, (by, _) in WAYS.items() if by == "in this process"])
def test_results_say_how_rows_were_computed(session: deltasql.Session, sql: str) -> None:
    (way,) = session.sql(sql).ways
    assert (way.by, way.because) == (ComputedBy.PROCESS, WAYS[sql][1])


def test_the_log_alone_computes_no_rows(session: deltasql.Session) -> None:
    assert session.sql("SELECT count(*) FROM u").ways == []
    assert session.sql("DELETE FROM u").ways == []


@pytest.mark.parametrize("sql", [sql for sql, (by, _) in WAYS.items() if by == "by the engine"])
def test_local_refuses_what_needs_an_engine(session: deltasql.Session, sql: str) -> None:
    version = session.log("u").snapshot().version
    session.sql("SET deltasql.compute = LOCAL")
    with pytest.raises(NeedsEngineError) as raised:
        session.sql(sql)
    assert WAYS[sql][1] in str(raised.value)
    assert session.log("u").snapshot().version == version
    assert not session.spark_started


def test_settings_are_named_as_the_reason(session: deltasql.Session) -> None:
    session.sql("SET spark.sql.parquet.int96RebaseModeInWrite = LEGACY")
    plan = session.sql("EXPLAIN UPDATE u SET name = 'c'").collect()[0][0]
    assert "computed by the engine: the session sets spark.sql.parquet.int96RebaseModeInWrite" in plan
    session.sql("RESET spark.sql.parquet.int96RebaseModeInWrite")
    session.sql("SET deltasql.compute = ENGINE")
    assert "by the engine: deltasql.compute is ENGINE" in session.sql("EXPLAIN SELECT * FROM u").collect()[0][0]


def test_the_log_has_a_line_for_each_way(session: deltasql.Session, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "deltasql.plan.base"):
        session.sql("UPDATE u SET name = 'c' WHERE id = 1")
    assert f"rows are computed in this process: {IN_PROCESS}" in caplog.messages
