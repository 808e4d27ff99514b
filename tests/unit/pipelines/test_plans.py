"""`deltasql pipeline` without rows: files, graph, dry run and each error with its place. Nothing here starts a JVM."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltasql.clients import cli

EVENTS = "CREATE TABLE events (id INT, name STRING, op STRING, at INT);"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def warehouse() -> None:
    assert cli.main(["--warehouse", "wh", "-e", EVENTS.rstrip(";")]) == cli.OK


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def graph(*args: str) -> int:
    return cli.main(["pipeline", "graph", *args, "--warehouse", "wh"])


def dry_run(*args: str) -> int:
    return cli.main(["pipeline", "run", *args, "--dry-run", "--warehouse", "wh"])


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The errors of a plan that fails."""
    capsys.readouterr()
    assert dry_run(*args) == cli.FAILED
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def test_files_of_sub_folders_and_notebooks_are_one_graph(warehouse: None, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "p/gold/by_name.sql",
        "CREATE MATERIALIZED VIEW `By Name` AS SELECT name, count(*) n FROM Customers GROUP BY name",
    )
    write(
        "p/silver.sql",
        "-- Databricks notebook source\n-- MAGIC %md # Silver\n\n-- COMMAND ----------\n\n"
        "CREATE OR REFRESH STREAMING TABLE customers AS SELECT id, name FROM STREAM(valid)",
    )
    cells = [
        {
            "cell_type": "code",
            "source": [
                "CREATE TEMPORARY VIEW Valid AS SELECT * FROM STREAM(raw) WITH (skipChangeCommits) WHERE id > 0"
            ],
        },
        {"cell_type": "markdown", "source": ["# raw"]},
    ]
    metadata = {"language_info": {"name": "sql"}}
    write("p/a/valid.ipynb", json.dumps({"cells": cells, "metadata": metadata}))
    write("p/raw.sql", "CREATE STREAMING TABLE RAW AS SELECT * FROM STREAM events WITH (startingVersion = 0);")
    write("p/.hidden/x.sql", "no statement")
    assert graph("p") == cli.OK
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "raw        streaming table    ← events",
        "valid      temporary view     ← raw",
        "customers  streaming table    ← valid",
        "`by name`  materialized view  ← customers",
    ]
    assert dry_run("p") == cli.OK
    assert "Planned 3 datasets; nothing was run." in capsys.readouterr().out
    assert not list(Path("wh").rglob("customers*"))


def test_a_dry_run_needs_no_warehouse() -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; CREATE MATERIALIZED VIEW b AS SELECT x FROM a")
    assert dry_run("p") == cli.OK
    assert not Path("wh").exists()


def test_a_cycle_names_all_places(capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "\nCREATE MATERIALIZED VIEW a AS SELECT * FROM b;")
    write("p/b.sql", "CREATE MATERIALIZED VIEW b AS SELECT * FROM c; CREATE MATERIALIZED VIEW c AS SELECT * FROM a;")
    write("p/d.sql", "CREATE MATERIALIZED VIEW d AS SELECT * FROM d;")
    text = refused(capsys, "p")
    assert "p/a.sql:2:" in text
    steps = "default.a (p/a.sql:2) → default.b (p/b.sql:1) → default.c (p/b.sql:1) → default.a (p/a.sql:2)"
    assert f"PIPELINE_CIRCULAR_DEPENDENCY] Datasets of the pipeline read each other: {steps}." in text
    assert "default.d (p/d.sql:1) → default.d (p/d.sql:1)." in text


def test_a_doubled_name_names_both_places(capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x;")
    write("p/b.sql", "\n\nCREATE MATERIALIZED VIEW DEFAULT.A AS SELECT 2 AS x;")
    write(
        "p/c.sql",
        "CREATE STREAMING TABLE t;\nCREATE FLOW f AS INSERT INTO t BY NAME SELECT * FROM STREAM(a);\n"
        "CREATE FLOW F AS INSERT INTO t BY NAME SELECT * FROM STREAM(b);",
    )
    text = refused(capsys, "p")
    assert "p/b.sql:3:\n[PIPELINE_DUPLICATE_IDENTIFIERS]" in text
    assert "dataset default.a. The first one is in p/a.sql:1." in text
    assert "p/c.sql:3:\n[PIPELINE_DUPLICATE_IDENTIFIERS]" in text
    assert "flow F. The first one is in p/c.sql:2." in text


def test_a_missing_table_and_a_wrong_column_have_places(warehouse: None, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "p/a.sql",
        "CREATE MATERIALIZED VIEW a AS\nSELECT id FROM event;\nCREATE MATERIALIZED VIEW b AS SELECT * FROM a;",
    )
    write(
        "p/c.sql", "CREATE TEMPORARY VIEW v AS SELECT id FROM events;\nCREATE MATERIALIZED VIEW c AS SELECT idd FROM v;"
    )
    text = refused(capsys, "p")
    assert "p/a.sql:2:\n[TABLE_OR_VIEW_NOT_FOUND]" in text
    # What reads a wrong dataset has no error of its own.
    assert text.count("SQLSTATE") == 2
    assert "p/c.sql:2:\n[UNRESOLVED_COLUMN" in text


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("INSERT INTO events VALUES (1)", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND] INSERT INTO is no"),
        ("SELECT 1", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND] SELECT 1 is no"),
        ("CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1 AS a", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND"),
        ("CREATE MATERIALIZED VIEW a AS SELECT ${x} AS b", "UNBOUND_VARIABLE"),
        ("CREATE STREAMING TABLE t", "PIPELINE_DATASET_WITHOUT_FLOW"),
        ("CREATE FLOW f AS INSERT INTO tt BY NAME SELECT 1 AS a", "PIPELINE_FLOW_WITHOUT_TARGET"),
        (
            "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a; APPLY CHANGES INTO m FROM STREAM(e) KEYS (a) SEQUENCE BY a",
            "it is a",
        ),
        (
            "CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM(e) KEYS (a) SEQUENCE BY a; "
            "AUTO CDC INTO t FROM STREAM(f) KEYS (a) SEQUENCE BY a",
            "AUTO CDC in p/a.sql:1 fills it already",
        ),
        ("CREATE MATERIALIZED VIEW a AS SELEC 1", "PARSE_SYNTAX_ERROR"),
        ("USE IDENTIFIER(upper('x'))", "NOT_A_CONSTANT_STRING"),
        ("USE CATALOG nowhere; CREATE MATERIALIZED VIEW a AS SELECT 1 AS x", "CATALOG_NOT_FOUND"),
        ("CREATE TABLE t AS SELECT 1 AS a", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND] CREATE TABLE"),
    ],
)
def test_statements_that_are_refused(sql: str, condition: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", sql)
    text = refused(capsys, "p")
    assert text.startswith("p/a.sql:1:\n")
    assert condition in text


def test_files_of_python_are_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x")
    write("p/helper.py", "def f(): return 1\n")
    assert dry_run("p") == cli.OK
    write("p/b.py", "from pyspark import pipelines as dp\n\n@dp.table\ndef b(): ...\n")
    write("p/c.py", "# Databricks notebook source\nprint(1)\n")
    write("p/d.sql", "-- Databricks notebook source\n-- MAGIC %sh ls\n")
    text = refused(capsys, "p")
    assert "p/b.py:\n[PIPELINE_UNSUPPORTED_DEFINITIONS_FILE_EXTENSION] b.py defines datasets" in text
    assert "p/c.py:2:\n[PIPELINE_UNSUPPORTED_DEFINITIONS_FILE_EXTENSION] A cell of Python" in text
    assert "p/d.sql:" in text
    assert "A pipeline reads cells of SQL and of Markdown." in text


def test_settings_and_namespaces_end_with_their_file(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "p/a.sql",
        "USE CATALOG main; USE SCHEMA s; SET least = 3; SET pipelines.trigger.interval = '1 minute';\n"
        "CREATE MATERIALIZED VIEW a AS SELECT ${least} AS x; CREATE TEMPORARY VIEW v AS SELECT x FROM a;",
    )
    write(
        "p/b.sql", "CREATE MATERIALIZED VIEW a AS SELECT x FROM v; CREATE MATERIALIZED VIEW main.s.b AS SELECT x FROM a"
    )
    assert dry_run("p") == cli.OK
    assert capsys.readouterr().out.splitlines()[:4] == [
        "main.s.a   materialized view",
        "v          temporary view     ← main.s.a",
        "default.a  materialized view  ← v",
        "b          materialized view  ← default.a",
    ]


def test_a_file_of_spark_names_files_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "p/spark-pipeline.yml",
        "name: shop\ncatalog: main\ndatabase: s\nstorage: file:///x\n"
        "configuration: {least: 4, spark.sql.ansi.enabled: true}\n"
        "libraries:\n- glob:\n    include: transformations/**\n",
    )
    write("p/transformations/deep/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT ${least} AS x")
    write("p/other.sql", "not read")
    assert dry_run("p") == cli.OK
    assert dry_run("p/spark-pipeline.yml") == cli.OK
    write("p/spark-pipeline.yml", "name: shop\nlibrarys: []\n")
    assert (
        "PIPELINE_SPEC_FILE_INVALID] p/spark-pipeline.yml describes no pipeline: it has a field librarys. "
        in refused(capsys, "p")
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [", "it is no YAML in line"),
        ("- a", "it has no fields"),
        ("catalog: a\ndatabase: b\nschema: c", "it has both database and schema"),
        ("libraries: [{file: x.sql}]", "its libraries have the item"),
        ("libraries: [{file: {path: x.sql}}]", "its libraries name x.sql, where no file is"),
        ("configuration: [1]", "its configuration is no mapping"),
        ("name: [1]", "its field name is no text"),
    ],
)
def test_wrong_files_of_spark(text: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("p/spark-pipeline.yml", text)
    write("p/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x")
    assert reason in refused(capsys, "p")


def test_a_bundle_names_files_catalog_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "b/databricks.yml",
        "bundle: {name: shop}\ninclude: [resources/*.yml]\nvariables:\n  catalog: {default: main}\n"
        "  who: {description: x}\n"
        "targets:\n  dev: {default: true}\n  prod: {variables: {catalog: other}}\n",
    )
    write(
        "b/resources/p.pipeline.yml",
        "resources:\n  pipelines:\n    first:\n      name: shop-${bundle.target}\n      catalog: ${var.catalog}\n"
        "      schema: s\n      serverless: true\n      libraries: [{notebook: {path: ../src/a}}]\n"
        "      configuration: {source: '${var.catalog}.raw'}\n"
        "    second: {libraries: [{glob: {include: ../src/*.sql}}], schema: '${var.who}'}\n",
    )
    write("b/src/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT '${source}' AS x")
    assert "several pipelines: first, second" in refused(capsys, "b")
    assert graph("b", "--pipeline", "first") == cli.OK
    assert graph("b/resources/p.pipeline.yml", "--pipeline", "first") == cli.OK
    assert "Did you mean first?" in refused(capsys, "b", "--pipeline", "frist")
    assert "${var.who} has no value. Give it by --var who=value." in refused(capsys, "b", "--pipeline", "second")
    assert graph("b", "--pipeline", "second", "--var", "who=me") == cli.OK
    assert "Did you mean prod?" in refused(capsys, "b", "--target", "prd")
    assert "CATALOG_NOT_FOUND" in refused(capsys, "b", "--pipeline", "first", "--target", "prod")


def test_what_is_no_pipeline(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    write("views/a.sql", "CREATE TEMPORARY VIEW a AS SELECT 1 AS x")
    write("x.txt", "")
    assert "RUN_EMPTY_PIPELINE" in refused(capsys, "empty")
    assert "RUN_EMPTY_PIPELINE" in refused(capsys, "views")
    assert "there is no such file or folder" in refused(capsys, "nowhere")
    assert "neither a folder nor a file of YAML" in refused(capsys, "x.txt")


def test_selected_datasets_must_be_there(capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW totals AS SELECT 1 AS x")
    assert dry_run("p", "--refresh", "default.totals", "--full-refresh") == cli.OK
    capsys.readouterr()
    assert dry_run("p", "--refresh", "total") == cli.FAILED
    assert "has no dataset total. Did you mean totals?" in capsys.readouterr().err


def test_a_name_of_another_table_is_refused(warehouse: None, capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW events AS SELECT 1 AS x")
    assert "events is a table that no pipeline made" in refused(capsys, "p")


def test_the_picture_has_boxes_and_lines(capsys: pytest.CaptureFixture[str]) -> None:
    write("p/a.sql", "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; CREATE MATERIALIZED VIEW `b<c` AS SELECT x FROM a")
    assert graph("p", "--svg", "g.svg") == cli.OK
    text = Path("g.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg xmlns=")
    assert text.count("<rect") == 2
    assert text.count('class="edge"') == 1
    assert "`b&lt;c`" in text
    assert graph("p", "--svg", "-") == cli.OK
    assert capsys.readouterr().out == text
