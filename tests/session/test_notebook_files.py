"""`deltasql run`: notebooks as files, with cells in several languages, that include and run each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltasql.clients import cli


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, *cells: str, mark: str = "--") -> str:
    """A notebook of cells; lines of one that begins with % get the mark of other languages."""
    blocks = [
        "\n".join(f"{mark} MAGIC {line}" for line in cell.splitlines()) if cell.startswith("%") else cell
        for cell in cells
    ]
    text = f"\n\n{mark} COMMAND ----------\n\n".join(blocks)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"{mark} Databricks notebook source\n{text}\n", encoding="utf-8")
    return path


def run(*args: str) -> int:
    return cli.main(["run", "--warehouse", "wh", "--format", "csv", *args])


def test_cells_run_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "inc/Set up.py", "def greeting(name):\n    return f'hello {name}'", "%sql CREATE TABLE t (a STRING)", mark="#"
    )
    main = write(
        "main.sql",
        "%md # Greetings",
        '%run "./inc/Set up" $who="you"',
        "INSERT INTO t VALUES (:who)",
        "SELECT a FROM t",
        "%python\nprint(greeting(dbutils.widgets.get('who')))\n1 + 1",
    )
    assert run(main) == cli.OK
    assert capsys.readouterr().out.splitlines() == [
        "# Greetings",
        "num_affected_rows,num_inserted_rows",
        "1,1",
        "a",
        "you",
        "hello you",
        "2",
    ]


def test_values_from_the_command_line_come_before_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    main = write("main.sql", "CREATE WIDGET TEXT n DEFAULT '1'", "CREATE TABLE t_${n} (a INT);\nSHOW TABLES")
    assert run("--widget", "n=7", main) == cli.OK
    assert "t_7" in capsys.readouterr().out


def test_errors_have_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    main = write(
        "main.sql",
        "CREATE TABLE t (a INT)",
        "%python\nx = 1\n\n1 / 0",
        "ALTER TABLE u ADD COLUMN b INT",
        "%scala val x",
    )
    assert run("--keep-going", main) == cli.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "main.sql:6:"
    assert lines[1].startswith("[CELL_FAILED] The cell failed in line 9: ZeroDivisionError: division by zero")
    assert "main.sql:13:" in lines
    assert any("%scala does not run here" in line for line in lines)
    with pytest.raises(SystemExit):
        cli.main(["run"])


def test_cells_of_jupyter_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        {"cell_type": "code", "source": text} for text in ("x = 1", "%sql\nCREATE TABLE t (a INT);\nALTER TABLE u x")
    ]
    Path("a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    assert run("a.ipynb") == cli.FAILED
    assert capsys.readouterr().err.startswith("a.ipynb, cell 2, line 3:")


def test_a_shell_is_allowed_by_the_user_alone(capsys: pytest.CaptureFixture[str]) -> None:
    main = write("main.sql", "%sh echo one > file.txt\ncat file.txt", "%fs ls .")
    assert run(main) == cli.FAILED
    assert "[CELL_NOT_RUN] %sh does not run here." in capsys.readouterr().err
    assert not Path("file.txt").exists()
    assert run("--allow-shell", main) == cli.OK
    out = capsys.readouterr().out
    assert out.startswith("one\n")
    assert "name='file.txt', size=4" in out


@pytest.mark.parametrize("included", ["./nothing", "", "'./no thing'"])
def test_included_files_that_are_missing(included: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("main.sql", f"%run {included}")) == cli.FAILED
    assert "[NOTEBOOK_NOT_FOUND] There is no notebook" in capsys.readouterr().err


def test_notebooks_in_a_circle_end(capsys: pytest.CaptureFixture[str]) -> None:
    write("b.sql", "%run ./a")
    assert run(write("a.sql", "%run ./b")) == cli.FAILED
    assert "[NOTEBOOKS_NESTED]" in capsys.readouterr().err


def test_a_notebook_runs_another(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "other.py",
        "dbutils.widgets.dropdown('n', '1', ['1', '2'])\nsecret = 5",
        "dbutils.notebook.exit(dbutils.widgets.get('n') + '!')",
        "raise SystemError('never reached')",
        mark="#",
    )
    text = "%python\nprint(dbutils.notebook.run('./other', 60, {'n': '2'}), 'secret' in globals())"
    assert run(write("main.sql", text, "%python dbutils.notebook.exit(3)", "SELECT never FROM reached")) == cli.OK
    got = capsys.readouterr()
    assert got.out == "2! False\n"
    assert got.err == "Notebook exited: 3\n"


def test_files_by_dbutils(capsys: pytest.CaptureFixture[str]) -> None:
    text = """%python
dbutils.fs.mkdirs('d/e')
dbutils.fs.put('d/a.txt', 'abc')
dbutils.fs.cp('d/a.txt', 'd/e')
dbutils.fs.mv('d/a.txt', 'd/b.txt')
print([file.name for file in dbutils.fs.ls('d')], dbutils.fs.head('d/e/a.txt', 2))
print(dbutils.fs.rm('d', True), dbutils.fs.rm('d', True))
dbutils.widgets.text('x', '1')
print(dbutils.widgets.getAll(), getArgument('x'), dbutils.widgets.getArgument('y', 'z'))
dbutils.widgets.removeAll()
dbutils.fs.ls('s3://bucket/x')"""
    assert run(write("main.sql", text)) == cli.FAILED
    got = capsys.readouterr()
    assert got.out.splitlines() == ["['b.txt', 'e/'] ab", "True False", "{'x': '1'} 1 z"]
    assert "A path of s3: does not run here." in got.err


@pytest.mark.parametrize(
    ("name", "text"), [("a.py", "print(1)"), ("a.ipynb", "{}"), ("a.ipynb", "no JSON"), ("missing.sql", None)]
)
def test_files_that_are_no_notebooks(name: str, text: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    if text is not None:
        Path(name).write_text(text, encoding="utf-8")
    assert run(name) == cli.USAGE
    assert f"The script {name} cannot be read" in capsys.readouterr().err


def test_check_follows_included_notebooks(capsys: pytest.CaptureFixture[str]) -> None:
    write("inc.sql", "CREATE TABLE known (a INT)")
    main = write(
        "main.sql",
        "%run ./inc",
        "USE CATALOG ${catalog};\nCREATE TABLE ${catalog}.s.t_${x} (a INT)",
        "CREATE SCHEMA IDENTIFIER(CONCAT(:catalog, '.s'))",
        "VACUUM known RETAIN ${hours} HOURS",
        "SELECT a FROM known LIMIT :n",
        "SELECT a FROM made_by_python",
        "%python spark.sql('CREATE TABLE made_by_python AS SELECT 1 AS a')",
    )
    assert cli.main(["check", main]) == cli.OK
    wrong = write("wrong.sql", "%run ./inc", "SELECT b FROM known", "CREATE TABEL ${x}", "SELECT 1 SELECT 2")
    assert cli.main(["check", wrong]) == cli.FAILED
    found = [line.split("]")[0] for line in capsys.readouterr().out.splitlines()]
    assert found == [
        "wrong.sql:6:8: [UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "wrong.sql:10:8: [PARSE_SYNTAX_ERROR",
        "wrong.sql:14:10: [PARSE_SYNTAX_ERROR",
    ]


@pytest.mark.spark
def test_cells_of_python_have_spark(capsys: pytest.CaptureFixture[str]) -> None:
    main = write(
        "main.sql",
        "CREATE TABLE t AS SELECT 1 AS a",
        "SELECT a + 1 AS b FROM t",
        "%python\nprint(_sqldf.collect()[0].b)\nspark.table('t').write.mode('append').saveAsTable('t')",
        "%python\nfrom delta.tables import DeltaTable\nDeltaTable.forName(spark, 't').delete('a > 5')",
        "%python\ndisplay(sql('SELECT count(*) AS n FROM t'))",
        "CREATE TEMPORARY VIEW v AS SELECT 'x' AS x",
        "%python\ndisplay(spark.table('v'))\ndisplay(5)",
    )
    assert run(main) == cli.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6:] == ["2", "n", "2", "x", "x", "5"]
