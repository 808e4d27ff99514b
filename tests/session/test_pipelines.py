"""`deltasql pipeline run`: updates of whole pipelines, what they leave in tables, and in the log of events."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deltasql.clients import cli
from deltasql.clients.pipelines.specification import pipeline_id
from deltasql.session import connect

pytestmark = pytest.mark.spark

EVENTS = "CREATE TABLE events (id INT, name STRING, op STRING, at INT)"
SHOP = """
CREATE OR REFRESH STREAMING TABLE valid (
  CONSTRAINT has_name EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW, CONSTRAINT small EXPECT (id < 3)
) AS SELECT * FROM STREAM(events);
CREATE TEMPORARY VIEW named AS SELECT id, upper(name) AS name, op, at FROM STREAM(valid) WHERE id > 0;
CREATE STREAMING TABLE customers;
CREATE FLOW customers_cdc AS AUTO CDC INTO customers FROM STREAM(named) KEYS (id) APPLY AS DELETE WHEN op = 'D'
  SEQUENCE BY at COLUMNS * EXCEPT (op, at) STORED AS SCD TYPE 1;
CREATE OR REFRESH STREAMING TABLE names AS SELECT n.name FROM STREAM(named) n;
CREATE MATERIALIZED VIEW `Counts` AS SELECT name, count(*) AS n FROM customers GROUP BY name;
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def rows(sql: str) -> list[tuple[object, ...]]:
    with connect("wh") as session:
        return [tuple(row) for row in session.sql(sql).collect()]


def run(*args: str) -> int:
    return cli.main(["pipeline", "run", "p", "--warehouse", "wh", "-j", "1", *args])


def versions(table: str) -> int:
    return len(rows(f"DESCRIBE HISTORY {table}"))


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of the datasets of the last update, without times."""
    found = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    return [" ".join(line.rpartition(", ")[0].split() if line.endswith(" s") else line.split()) for line in found]


def test_updates_add_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    rows(EVENTS)
    rows("INSERT INTO events VALUES (1, 'a', 'I', 1), (2, 'b', 'I', 1), (3, NULL, 'I', 1), (4, 'd', 'I', 1)")
    write("p/shop.sql", SHOP)
    assert run() == cli.OK
    assert lines(capsys) == [
        "valid COMPLETED append, 3 rows written, 1 of 4 violate has_name, 2 of 4 violate small",
        "customers COMPLETED full, 3 rows written",
        "names COMPLETED append, 3 rows written",
        "counts COMPLETED full, 3 rows written",
    ]
    before = {name: versions(name) for name in ("valid", "customers", "names", "counts")}
    assert run() == cli.OK
    assert "Nothing is new: 4 datasets up to date" in capsys.readouterr().out
    assert {name: versions(name) for name in before} == before
    rows("INSERT INTO events VALUES (2, 'b', 'D', 2), (1, 'z', 'U', 3)")
    assert run("-j", "3") == cli.OK
    assert rows("SELECT * FROM customers ORDER BY id") == [(1, "Z"), (4, "D")]
    assert rows("SELECT name FROM names ORDER BY name") == [("A",), ("B",), ("B",), ("D",), ("Z",)]
    assert rows("SELECT * FROM counts ORDER BY name") == [("D", 1), ("Z", 1)]
    assert versions("valid") == before["valid"] + 1
    expectations = rows(
        f"""SELECT e.name, sum(e.passed_records), sum(e.failed_records) FROM (
          SELECT explode(from_json(details:flow_progress.data_quality.expectations,
            'array<struct<name: string, dataset: string, passed_records: int, failed_records: int>>')) AS e
          FROM event_log('{pipeline_id("p")}') WHERE event_type = 'flow_progress') GROUP BY e.name ORDER BY e.name"""
    )
    assert expectations == [("has_name", 5, 1), ("small", 4, 2)]
    lineage = rows(
        "SELECT DISTINCT details:flow_definition.output_dataset, details:flow_definition.input_datasets "
        "FROM event_log(TABLE(counts)) WHERE event_type = 'flow_definition' ORDER BY 1"
    )
    assert lineage[1] == ("default.customers", '["default.valid"]')
    updates = "SELECT count(DISTINCT origin.update_id) FROM event_log(TABLE(valid)) WHERE event_type = 'create_update'"
    assert rows(updates) == [(3,)]


def test_a_failing_dataset_leaves_its_rows_and_stops_what_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    rows("CREATE TABLE events AS SELECT 1 AS id")
    write(
        "p/a.sql",
        "CREATE STREAMING TABLE a (CONSTRAINT small EXPECT (id < 5) ON VIOLATION FAIL UPDATE)\n"
        "AS SELECT id FROM STREAM(events);\nCREATE MATERIALIZED VIEW b AS SELECT id FROM a;\n"
        "CREATE MATERIALIZED VIEW c AS SELECT count(*) AS n FROM events",
    )
    assert run() == cli.OK
    rows("INSERT INTO events VALUES (7)")
    capsys.readouterr()
    assert run() == cli.FAILED
    printed = capsys.readouterr()
    assert [line.split()[:2] for line in printed.out.splitlines() if line.startswith("  ")] == [
        ["a", "FAILED"],
        ["c", "COMPLETED"],
        ["b", "SKIPPED"],
    ]
    assert "p/a.sql:1:\n[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES]" in printed.err
    assert rows("SELECT id FROM a") == [(1,)]
    assert rows("SELECT n FROM c") == [(2,)]
    failed = "SELECT level, error.exceptions[0].class_name FROM event_log(TABLE(a)) WHERE error IS NOT NULL"
    assert rows(failed) == [("ERROR", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")]
    write("p/a.sql", Path("p/a.sql").read_text(encoding="utf-8").replace("id < 5) ON VIOLATION FAIL UPDATE", "id < 9)"))
    # The table has its CHECK constraint, which only another table would not have.
    assert run("--full-refresh") == cli.OK
    assert rows("SELECT id FROM b ORDER BY id") == [(1,), (7,)]


def test_two_flows_fill_one_table_and_one_runs_once(capsys: pytest.CaptureFixture[str]) -> None:
    rows("CREATE TABLE x AS SELECT 1 AS id")
    rows("CREATE TABLE y AS SELECT 2 AS id")
    flows = (
        "CREATE STREAMING TABLE both;\nCREATE FLOW fx AS INSERT INTO both BY NAME SELECT id FROM STREAM(x);\n"
        "CREATE FLOW old AS INSERT INTO ONCE both BY NAME SELECT 100 AS id;\n"
    )
    write("p/a.sql", flows)
    assert run() == cli.OK
    write("p/b.sql", "CREATE FLOW fy AS INSERT INTO both BY NAME SELECT id FROM STREAM(y);")
    rows("INSERT INTO x VALUES (11)")
    assert run() == cli.OK
    assert rows("SELECT id FROM both ORDER BY id") == [(1,), (2,), (11,), (100,)]
    assert run("--full-refresh", "both") == cli.OK
    assert rows("SELECT id FROM both ORDER BY id") == [(1,), (2,), (11,), (100,)]


def test_selected_and_removed_datasets(capsys: pytest.CaptureFixture[str]) -> None:
    rows("CREATE TABLE t AS SELECT 1 AS id")
    tables = (
        "CREATE MATERIALIZED VIEW a AS SELECT id FROM t;\n"
        "CREATE MATERIALIZED VIEW b TBLPROPERTIES ('pipelines.reset.allowed' = 'false') AS SELECT id FROM t;"
    )
    write("p/a.sql", f"{tables}\nCREATE VIEW v AS SELECT id FROM a;")
    assert run() == cli.OK
    rows("INSERT INTO t VALUES (2)")
    assert run("--refresh", "A") == cli.OK
    assert rows("SELECT count(*) FROM v") == [(2,)]
    assert rows("SELECT count(*) FROM b") == [(1,)]
    assert run("--full-refresh", "b") == cli.FAILED
    assert "PIPELINE_FULL_REFRESH_NOT_ALLOWED" in capsys.readouterr().err
    write("p/a.sql", tables.splitlines()[0])
    assert run() == cli.OK
    notes = capsys.readouterr().err
    assert "materialized view default.b is in no file of the pipeline." in notes
    assert "DROP VIEW default.v removes it." in notes
    assert rows("SELECT count(*) FROM b") == [(1,)]
    Path("p").rename("q")
    assert cli.main(["pipeline", "run", "q", "--warehouse", "wh"]) == cli.FAILED
    assert "TABLE_ALREADY_MANAGED_BY_OTHER_PIPELINE" in capsys.readouterr().err


def test_updates_repeat_until_interrupted() -> None:
    rows("CREATE TABLE t AS SELECT 1 AS id")
    write("p/a.sql", "CREATE STREAMING TABLE a AS SELECT id FROM STREAM(t)")
    command = [
        sys.executable,
        "-m",
        "deltasql",
        "pipeline",
        "run",
        "p",
        "--warehouse",
        "wh",
        "--continuous",
        "0.1 seconds",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Update completed"):
            break
    rows("INSERT INTO t VALUES (2)")
    for line in process.stdout:
        if line.startswith("Update completed"):
            break
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == cli.INTERRUPTED
    assert rows("SELECT count(*) FROM a") == [(2,)]


def test_expectations_of_temporary_views(capsys: pytest.CaptureFixture[str]) -> None:
    rows(EVENTS)
    rows("INSERT INTO events VALUES (1, 'a', 'I', 1), (2, NULL, 'I', 1), (30, 'c', 'I', 1)")
    write(
        "p/a.sql",
        "CREATE TEMPORARY VIEW v (CONSTRAINT has_name EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW,\n"
        "  CONSTRAINT small EXPECT (id < 10), CONSTRAINT possible EXPECT (id > 0) ON VIOLATION FAIL UPDATE)\n"
        "AS SELECT id, name FROM STREAM(events);\nCREATE STREAMING TABLE t AS SELECT * FROM STREAM(v);\n"
        "CREATE TEMPORARY VIEW w (n, CONSTRAINT some EXPECT (n > 1) ON VIOLATION DROP ROW)\n"
        "AS SELECT count(*) FROM events GROUP BY op;\nCREATE MATERIALIZED VIEW m AS SELECT * FROM w",
    )
    assert run() == cli.OK
    counts = "1 of 3 violate has_name of v, 1 of 3 violate small of v, 0 of 3 violate possible of v"
    assert lines(capsys) == [
        f"t COMPLETED append, 2 rows written, {counts}",
        "m COMPLETED full, 1 rows written, 0 of 1 violate some of w",
    ]
    rows("INSERT INTO events VALUES (4, 'd', 'D', 2), (5, NULL, 'I', 2)")
    assert run() == cli.OK
    counts = "1 of 2 violate has_name of v, 0 of 2 violate small of v, 0 of 2 violate possible of v"
    shown = lines(capsys)
    assert shown[0] == f"t COMPLETED append, 1 rows written, {counts}"
    assert shown[1].endswith("1 of 2 violate some of w")
    assert rows("SELECT id FROM t ORDER BY id") == [(1,), (4,), (30,)]
    assert rows("SELECT n FROM m") == [(4,)]
    told = (
        "SELECT DISTINCT e.name, e.dataset, e.failed_records FROM (SELECT explode(from_json("
        "details:flow_progress.data_quality.expectations, 'array<struct<name: string, dataset: string, "
        "failed_records: int>>')) AS e FROM event_log(TABLE(t)) WHERE event_type = 'flow_progress') "
        "WHERE e.failed_records > 0 ORDER BY ALL"
    )
    assert rows(told) == [("has_name", "v", 1), ("small", "v", 1), ("some", "w", 1)]
    rows("INSERT INTO events VALUES (-1, 'e', 'I', 3)")
    assert run() == cli.FAILED
    assert "The expectation possible of the view v is violated." in capsys.readouterr().err
    assert rows("SELECT count(*) FROM t") == [(3,)]
