"""`deltasql check`: files in, a line for each error out."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import deltasql
from deltasql.clients import cli

FILE = "CREATE TABLE t (a INT);\nSELECT b\nFROM t;\nSELEC 1;\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.sql").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_errors_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "f.sql"]) == cli.FAILED
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("f.sql:2:8: [UNRESOLVED_COLUMN.WITH_SUGGESTION] There is no column b")
    assert lines[1].startswith("f.sql:4:1: [PARSE_SYNTAX_ERROR] No statement starts with 'SELEC'.")
    assert len(lines) == 2


def test_errors_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "f.sql", "--report", "json"]) == cli.FAILED
    first, second = json.loads(capsys.readouterr().out)
    assert {key: first[key] for key in ("path", "line", "column", "end_line", "end_column", "sqlstate")} == {
        "path": "f.sql",
        "line": 2,
        "column": 8,
        "end_line": 2,
        "end_column": 9,
        "sqlstate": "42703",
    }
    assert second["condition"] == "PARSE_SYNTAX_ERROR"


def test_files_that_are_right_print_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "tables")) as session:
        session.sql("CREATE TABLE there (x INT)")
    Path("g.sql").write_text("SELECT x FROM there", encoding="utf-8")
    assert cli.main(["check", "g.sql", "--warehouse", "tables"]) == cli.OK
    assert cli.main(["check", "g.sql", "--report", "json", "--warehouse", "tables"]) == cli.OK
    assert capsys.readouterr().out == "[]\n"


def test_a_file_of_definitions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tables.sql").write_text("CREATE TABLE u (x INT); CREATE TABLE u (x INT)", encoding="utf-8")
    Path("g.sql").write_text("SELECT x FROM u; DROP TABLE u;", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT y FROM u"))
    # Each file sees the tables as they are defined, and what is wrong with the definitions is told once.
    assert cli.main(["check", "--schema", "tables.sql", "g.sql", "g.sql", "-"]) == cli.FAILED
    assert [line.split("]")[0] for line in capsys.readouterr().out.splitlines()] == [
        "tables.sql:1:38: [TABLE_OR_VIEW_ALREADY_EXISTS",
        "<stdin>:1:8: [UNRESOLVED_COLUMN.WITH_SUGGESTION",
    ]


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "none.sql"]) == cli.USAGE
    assert "none.sql" in capsys.readouterr().err
