"""Statements that ended in exceptions of Python: an answer, or a typed error. What other sessions drop is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors.base import DeltaSqlError

_THREADS = """
import sys, threading, deltasql
texts = ["CREATE TABLE a AS SELECT 1 AS x", "CREATE VIEW v AS SELECT 1", "CREATE TABLE c AS SELECT id FROM range(3)"]
barrier, failed = threading.Barrier(len(texts)), []
def work(text):
    session = deltasql.connect(sys.argv[1], engine="sail")
    barrier.wait()
    try:
        session.sql(text).collect()
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=work, args=(text,)) for text in texts]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit("; ".join(failed) or 0)
"""


@pytest.mark.sail
@pytest.mark.parametrize(
    "sql",
    [
        "EXECUTE IMMEDIATE 'SELECT :a' USING AS a",
        "WITH big\\ AS (SELECT1 AS k) UPDATE t SET a = 1",
        "WITHRECURSIVE n(id) AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT id FROM n)",
        f"ALTER TABLE {'x' * 300} ADD COLUMN x INT",
        "SET a.b = '\ud800'",
    ],
)
def test_a_typed_error(sql: str, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path), engine="sail") as session:
        session.sql("CREATE TABLE t (a INT)")
        with pytest.raises(DeltaSqlError):
            session.sql(sql)


@pytest.mark.sail
def test_null_is_null(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path), engine="sail") as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("INSERT INTO t VALUES (1)")
        assert len(session.sql("SELECT * FROM t WHERE NULL IS NULL").collect()) == 1
        assert session.sql("SELECT * FROM t WHERE NULL IS NOT NULL").collect() == []


def test_a_table_that_another_session_has_dropped(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as one, deltasql.connect(str(tmp_path)) as other:
        for text in ("CREATE TABLE t (x INT)", "CREATE OR REPLACE TABLE t (x INT)"):
            one.sql(text)
            other.sql("DROP TABLE t")
        one.sql("CREATE TABLE t (y INT)")
        assert one.log("t").snapshot().metadata.schema.names == ("y",)


def test_the_first_statements_of_several_threads(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _THREADS, str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
