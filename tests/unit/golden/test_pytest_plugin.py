"""The plugin in projects of users: which files are tests, what a failure shows, and the fixtures. No JVM starts."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import deltasql.clients.golden.record
import deltasql.clients.pytest_plugin

# What tests load in this process, pytester would load anew each time.
import deltasql.engines.spark.engine
import deltasql.log.actions.file_tables
import deltasql.schema.result_arrow

pytest_plugins = ["pytester"]

LOADED = (
    deltasql.engines.spark.engine,
    deltasql.clients.golden.record,
    deltasql.log.actions.file_tables,
    deltasql.schema.result_arrow,
)

ORDERS = (
    "-- expect: no jvm\n\n-- name: table\nCREATE TABLE t (a INT);\n-- name: column\nALTER TABLE t ADD COLUMN b INT;\n"
)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one golden file that no run has accepted. The plugin is there whether or not it is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makeini("[pytest]\naddopts = -p deltasql.clients.pytest_plugin -p no:cacheprovider")
    folder = pytester.mkdir("sql")
    (folder / "orders.sql").write_text(ORDERS)
    return pytester


def accept(project: pytest.Pytester) -> None:
    project.inline_run("sql", "--deltasql-accept").assertoutcome(passed=1)


def test_only_golden_files_are_collected(project: pytest.Pytester) -> None:
    (project.path / "migration.sql").write_text("DROP TABLE everything")
    (project.path / "migration.out").write_text("some other program's")
    assert project.runpytest("--collect-only").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    accept(project)
    project.runpytest("--collect-only", "-q").stdout.fnmatch_lines(["sql/orders.sql::orders", "1 test collected*"])


def test_without_a_named_path_nothing_becomes_a_golden_file(project: pytest.Pytester) -> None:
    assert project.runpytest("--deltasql-accept").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert not (project.path / "sql" / "orders.out").exists()


def test_the_setting_says_which_files_are_golden_ones(project: pytest.Pytester) -> None:
    (project.path / "other.sql").write_text(ORDERS)
    (project.path / "other.out").write_text("-- statement\n")
    result = project.runpytest("-o", "deltasql_suites=sql")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["sql/orders.sql:1: There is no .out file yet."])
    project.runpytest("-o", "deltasql_suites=sql", "--deltasql-accept").assert_outcomes(passed=1)
    project.runpytest("-o", "deltasql_suites=sql").assert_outcomes(passed=1)


def test_a_named_file_is_run(project: pytest.Pytester) -> None:
    project.runpytest("sql/orders.sql").stdout.fnmatch_lines(
        ["FAILED sql/orders.sql::orders - sql/orders.sql:1: There is no .out file yet."]
    )


def test_each_statement_that_differs_is_told_at_its_line(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(project)
    file = project.path / "sql" / "orders.sql"
    file.write_text(file.read_text().replace("b INT", "b STRING").replace("(a INT", "(a LONG"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    result = project.runpytest("sql", "--junitxml=report.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "sql/orders.sql:4: table",
            "-CREATE TABLE t (a INT)",
            "+CREATE TABLE t (a LONG)",
            "sql/orders.sql:6: column",
            "-ALTER TABLE t ADD COLUMN b INT",
            "+ALTER TABLE t ADD COLUMN b STRING",
            "::error file=sql/orders.sql,line=4,title=table::*%0A-CREATE TABLE t (a INT)%0A*",
            "::error file=sql/orders.sql,line=6,title=column::*",
            "FAILED sql/orders.sql::orders - sql/orders.sql:4: table, and 1 more",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    (failure,) = ET.parse(project.path / "report.xml").iter("failure")
    assert failure.get("message") == "sql/orders.sql:4: table, and 1 more"
    assert "+ALTER TABLE t ADD COLUMN b STRING" in (failure.text or "")


def test_accepting_tells_what_is_new(project: pytest.Pytester) -> None:
    project.runpytest("sql", "--deltasql-accept").stdout.fnmatch_lines(["new */sql/orders.out"])
    project.runpytest("sql", "--deltasql-accept").stdout.no_fnmatch_line("new *")


def test_an_output_without_its_script_is_told(project: pytest.Pytester) -> None:
    accept(project)
    (project.path / "sql" / "orders.sql").rename(project.path / "sql" / "renamed.sql")
    project.runpytest("sql").stdout.fnmatch_lines(["*orders.out: there is no orders.sql. Delete the .out file*"])


def test_files_are_chosen_and_run_by_workers(project: pytest.Pytester) -> None:
    (project.path / "sql" / "second.sql").write_text(ORDERS)
    (project.path / "sql" / "third.sql").write_text(ORDERS)
    project.inline_run("sql", "--deltasql-accept").assertoutcome(passed=3)
    (project.path / "sql" / "third.out").write_text("-- statement\n")
    project.inline_run("sql", "-k", "second").assertoutcome(passed=1)
    result = project.runpytest_subprocess("-p", "xdist", "-n", "2", "sql")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["sql/third.sql:4: table (new)", "+CREATE TABLE t (a INT)"])


def test_last_failed_runs_what_failed(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\naddopts = -p deltasql.clients.pytest_plugin")
    (project.path / "sql" / "second.sql").write_text(ORDERS)
    project.inline_run("sql", "--deltasql-accept").assertoutcome(passed=2)
    (project.path / "sql" / "second.out").write_text("-- statement\n")
    project.runpytest("sql").assert_outcomes(passed=1, failed=1)
    project.runpytest("sql", "--lf").assert_outcomes(failed=1)


def test_what_is_wrong_with_a_script_needs_no_traceback(project: pytest.Pytester) -> None:
    (project.path / "sql" / "orders.sql").write_text("-- log: maybe\nSELECT 1")
    result = project.runpytest("sql/orders.sql")
    result.stdout.fnmatch_lines(["[[]UNKNOWN_GOLDEN_DIRECTIVE] *orders.sql, line 1: -- log: maybe is no directive.*"])


def test_an_unknown_engine_is_refused(project: pytest.Pytester) -> None:
    result = project.runpytest("sql/orders.sql", "--deltasql-engine=presto")
    result.stdout.fnmatch_lines(["[[]UNKNOWN_ENGINE] There is no engine presto. *"])


def test_projects_without_golden_files_load_next_to_nothing() -> None:
    code = (
        "import deltasql.clients.pytest_plugin, sys;"
        "print(*(name for name in sys.modules if name.startswith('deltasql')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    packages = {"deltasql", "deltasql.base", "deltasql.base.doors", "deltasql.clients"}
    assert set(done.stdout.split()) == {*packages, "deltasql.base.version", "deltasql.clients.pytest_plugin"}


FIXTURES = """
from datetime import date, datetime
from decimal import Decimal

import pytest


def test_session(deltasql_session, tmp_path):
    deltasql_session.sql("CREATE TABLE t (a INT)")
    assert (tmp_path / "warehouse" / "t" / "_delta_log").is_dir()
    assert not deltasql_session.spark_started
    deltasql_session.close()


def test_isolation(deltasql_session):
    assert deltasql_session.sql("SHOW TABLES").collect() == []


def types(session, name):
    assert not session.spark_started
    return {row.col_name: row.data_type for row in session.sql(f"DESCRIBE {name}").collect()}


def test_dicts(deltasql_session, deltasql_table):
    rows = [
        {"id": 1, "at": datetime(2024, 5, 1, 12), "day": date(2024, 5, 1), "sum": Decimal("1.50")},
        {"id": 2, "name": "it's", "share": 0.5, "ok": True, "raw": b"x"},
    ]
    assert deltasql_table("rows", rows) == "rows"
    assert types(deltasql_session, "rows") == {
        "id": "bigint", "at": "timestamp", "day": "date", "sum": "decimal(3,2)", "name": "string", "share": "double",
        "ok": "boolean", "raw": "binary",
    }
    last = deltasql_session.sql("DESCRIBE HISTORY rows").head(1)[0]
    assert (last.operation, last.operationMetrics["numOutputRows"]) == ("CREATE TABLE AS SELECT", "2")


def test_schema(deltasql_session, deltasql_table):
    deltasql_table("a", schema="id INT NOT NULL, tags ARRAY<STRING>")
    assert types(deltasql_session, "a") == {"id": "int", "tags": "array<string>"}
    deltasql_table("b", [(1, "x"), (2, None)], schema="id SMALLINT, name STRING")
    deltasql_table("c", [{"name": "x"}], schema="id SMALLINT, name STRING")
    assert deltasql_session.sql("DESCRIBE DETAIL c").collect()[0].numFiles == 1
    with pytest.raises(ValueError, match="Without a schema, rows must be mappings"):
        deltasql_table("d", [(1, "x")])


def test_arrow(deltasql_session, deltasql_table):
    import pyarrow as pa

    table = pa.table({"id": pa.array([1, 2], pa.int16()), "at": pa.array([0, None], pa.timestamp("us"))})
    deltasql_table("a", table)
    assert types(deltasql_session, "a") == {"id": "smallint", "at": "timestamp_ntz"}
    assert not deltasql_session.spark_started
"""


def test_fixtures(project: pytest.Pytester) -> None:
    project.makepyfile(FIXTURES)
    project.inline_run("test_fixtures.py").assertoutcome(passed=5)
