"""What a process loads for statements that need no rows, and that those need no Java."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "email",
    "pyspark",
    "py4j",
    "sqlglot",
    "pandas",
    "numpy",
    "pyarrow",
    "rich",
    "prompt_toolkit",
    "pygments",
    "pyiceberg",
}

METADATA_ONLY = """
import sys, deltasql, deltasql.clients.cli
with deltasql.connect(sys.argv[1]) as session:
    session.sql("CREATE TABLE t (a INT, p DATE) PARTITIONED BY (p)")
    session.sql("ALTER TABLE t ADD COLUMNS (b STRUCT<c: INT> FIRST)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')")
    session.sql("ALTER TABLE t ALTER COLUMN a SET NOT NULL")
    for text in ("DESCRIBE TABLE t", "SHOW TABLES", "SHOW CREATE TABLE t"):
        assert session.sql(text).collect()
print(*sys.modules)
"""


def test_statements_on_metadata_load_nothing_heavy(tmp_path: Path) -> None:
    """What every start of the command pays for: such a statement must be done in well under a second."""
    command = [sys.executable, "-c", METADATA_ONLY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert sorted(loaded & HEAVY) == []
    assert "deltasql.engines.spark" not in done.stdout


LITERAL_ROWS = """
import sys, deltasql
with deltasql.connect(sys.argv[1]) as session:
    session.sql("CREATE TABLE t (a INT, p STRING) PARTITIONED BY (p)")
    for number in range(1, 11):
        session.sql(f"INSERT INTO t VALUES ({number}, 'x')")
    session.sql("ALTER TABLE t ALTER COLUMN a SET NOT NULL")
    assert session.sql("SHOW PARTITIONS t").collect() == [("x",)]
print(*sys.modules)
"""


def test_literal_rows_and_checkpoints_load_no_pandas(tmp_path: Path) -> None:
    """pyarrow imports pandas with its first value of Python's: 0.3 s, which every tenth commit would pay."""
    command = [sys.executable, "-c", LITERAL_ROWS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "t" / "_delta_log").glob("*10.checkpoint.parquet"))
    assert "pandas" not in done.stdout.split()


FIRST_IMPORT = """
import sys, traceback, deltasql
class Importers:
    def find_spec(self, name, path=None, target=None):
        if name == "pyspark":
            print(any(frame.name == "load_pyspark" for frame in traceback.extract_stack()))
sys.meta_path.insert(0, Importers())
with deltasql.connect(sys.argv[1]) as session:
    session.sql("CREATE TABLE t (a INT, b STRING)")
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    session.sql(sys.argv[2]).collect()
"""


@pytest.mark.parametrize("statement", ["SELECT * FROM t", "UPDATE t SET b = 'z' WHERE a = 1", "SELECT max(a) FROM t"])
def test_pyspark_is_imported_under_its_lock(tmp_path: Path, statement: str) -> None:
    """Its packages import each other: two threads that begin at once would find half a module."""
    command = [sys.executable, "-c", FIRST_IMPORT, str(tmp_path), statement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) <= {"True"}


@pytest.fixture
def no_java(tmp_path: Path) -> dict[str, str]:
    """An environment in which no java can be found."""
    return {"PATH": str(tmp_path / "empty"), "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}


def run_sql(sql: str, environment: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deltasql", "-e", sql]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd)


def test_metadata_needs_no_java(no_java: dict[str, str], tmp_path: Path) -> None:
    sql = "CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMNS (b STRUCT<c: INT> AFTER a); DESCRIBE HISTORY t"
    done = run_sql(sql, no_java, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ADD COLUMNS" in done.stdout


def test_rows_of_literals_need_no_java(no_java: dict[str, str], tmp_path: Path) -> None:
    sql = "CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'x'), (2, NULL); DESCRIBE HISTORY t"
    done = run_sql(sql, no_java, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "numOutputRows" in done.stdout


def test_rows_without_java_get_one_clear_sentence(no_java: dict[str, str], tmp_path: Path) -> None:
    done = run_sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1 + 1)", no_java, tmp_path)
    assert done.returncode == 1
    assert "needs Java 17 or newer, and no java was found" in done.stderr
    assert "Traceback" not in done.stderr
