"""Commands of the shell over real tables, none of which needs Spark."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import deltasql
from deltasql.base.errors import UnknownPreferenceError, WrongPreferenceError
from deltasql.clients.repl.commands import Preferences, schema_changes
from deltasql.clients.repl.prompt import asker, is_whole
from deltasql.clients.repl.shell import Shell, Terminal, pager_command, show
from deltasql.schema import types as t
from deltasql.session.session import Session


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as made:
        made.sql(
            "CREATE TABLE stock (id INT NOT NULL COMMENT 'key', place STRUCT<hall: INT, shelf: STRING>, "
            "tags ARRAY<STRUCT<k: STRING>>, day DATE) PARTITIONED BY (day) COMMENT 'what is there' "
            "TBLPROPERTIES ('who' = 'me')"
        )
        made.sql("CREATE TABLE plain (a INT, b STRING)")
        made.sql("INSERT INTO plain VALUES (1, 'x'), (2, 'y')")
        yield made


def shell(session: Session, answers: str = "", **options: Any) -> tuple[Shell, io.StringIO, list[str]]:
    """A shell whose questions get one letter of `answers` each."""
    out, asked, given = options.pop("out", None) or io.StringIO(), [], iter(answers)

    def ask(question: str) -> bool:
        asked.append(question)
        return next(given) == "y"

    preferences = Preferences(timing=False, **options)
    return Shell(session, preferences=preferences, terminal=Terminal(ask, out)), out, asked


def said(session: Session, *inputs: str, answers: str = "", **options: Any) -> str:
    made, out, _ = shell(session, answers, **options)
    for text in inputs:
        assert made.run(text)
    return out.getvalue()


def test_a_table_is_described(session: Session) -> None:
    session.sql("ALTER TABLE stock ADD CONSTRAINT pk PRIMARY KEY (id)")
    lines = said(session, "\\d stock").splitlines()
    assert lines[0].startswith("Table stock, version 1 of ")
    assert lines[1] == "what is there"
    assert lines[2].startswith("0 rows in 0 files, 0 B, ")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    assert cells == [
        ["column", "type", "rules", "comment"],
        ["id", "int", "NOT NULL", "key"],
        ["place", "struct", "", ""],
        ["place.hall", "int", "", ""],
        ["place.shelf", "string", "", ""],
        ["tags", "array<struct>", "", ""],
        ["tags.element.k", "string", "", ""],
        ["day", "date", "", ""],
    ]
    assert lines[-5:-1] == [
        "+--------------------+---------------+----------+---------+",
        "Partitioned by: day",
        "Key pk: PRIMARY KEY (id)",
        "Property who = me",
    ]
    assert "2 rows in 1 file," in said(session, "\\d `plain`;")
    assert "There is no table nope" in said(session, "\\d nope")


def test_the_history_takes_a_hundred_columns(session: Session) -> None:
    lines = said(session, "\\history plain").splitlines()
    assert max(map(len, lines)) <= 100
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    assert cells[0] == ["version", "time", "operation", "who", "files", "rows"]
    assert [cells[1][index] for index in (0, 2, 4, 5)] == ["1", "WRITE", "+1", "+2"]
    assert len(cells) == 3
    assert said(session, "\\history plain 1").count("WRITE") == 1
    assert "CREATE TABLE" not in said(session, "\\history plain 1")
    assert "needs a table. Write: \\history TABLE" in said(session, "\\history")


def test_a_file_is_run(session: Session, tmp_path: Path) -> None:
    script = tmp_path / "my script.sql"
    script.write_text("\ufeffCREATE TABLE made (a INT);\nDROP TABLE plain; SHOW TABLES;")
    made, out, asked = shell(session)
    assert made.run(f"\\i {script}")
    assert "made" in out.getvalue()
    assert "plain" not in out.getvalue()
    assert not asked
    assert "cannot be read" in said(session, f"\\i {tmp_path}/none.sql")
    script.write_text("SELEC 1; SHOW TABLES;")
    assert said(session, f"\\i '{script}'").endswith("Not run: the statement after it.\n")
    script.write_text("SHOW TABLES;\n\nDROP TABLE\n  nope;")
    assert f"{script}:4:\n[TABLE_OR_VIEW_NOT_FOUND]" in said(session, f"\\i '{script}'")


def test_rows_go_into_a_file(session: Session, tmp_path: Path) -> None:
    session.sql("ALTER TABLE plain SET TBLPROPERTIES ('k' = 'v')")
    file = tmp_path / "out put.csv"
    file.write_text("old")
    show = "SHOW COLUMNS IN plain;"
    told = said(session, "\\format csv", f"\\o '{file}'", show, "DESCRIBE TABLE nope;", f"{show} {show}", "\\o", show)
    assert file.read_text() == "col_name\na\nb\n" * 3
    assert told.count(f"2 rows into {file}") == 3
    assert told.count("col_name\na\nb\n2 rows\n") == 1
    assert "There is no table nope" in told
    assert f"Rows go into {file}." in told
    assert "cannot be written" in said(session, f"\\o {tmp_path}", show)
    assert "col_name" in said(session, f"\\o {tmp_path}/none/x", show)


def test_an_input_runs_again(session: Session, tmp_path: Path) -> None:
    assert said(session, "\\g") == "There is nothing to run again.\n"
    shown = said(session, "SHOW COLUMNS IN plain", "\\g", "SHOW SCHEMAS \\g", "\\g;")
    assert [shown.count(word) for word in ("col_name", "namespace")] == [2, 2]
    file = tmp_path / "columns"
    made, out, _ = shell(session)
    for text in ("\\format tsv", f"SHOW COLUMNS IN plain\n\\g {file}", "SHOW SCHEMAS;", f"\\g '{file}'"):
        assert made.run(text)
    assert file.read_text() == "namespace\ndefault\n"
    assert "col_name" not in out.getvalue()
    assert is_whole("SELECT 1\n\\g")
    assert is_whole("SELECT 1 \\g my file")
    assert not is_whole("SELECT '\\g")
    assert not is_whole("SELECT 1 -- \\g")
    session.sql("CREATE TABLE full (a INT)")
    session.sql("INSERT INTO full VALUES (1)")
    asking, out, asked = shell(session, answers="nn")
    assert asking.run("DROP TABLE full \\g")
    assert asking.run("\\g")
    assert len(asked) == 2


def test_the_last_input_is_edited(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('plain', 'stock'))"
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    made, _, _ = shell(session)
    defaults = []

    class Reader:
        def prompt(self, *, default: str = "") -> str:
            defaults.append(default)
            return ["SHOW COLUMNS IN plain;", "\\e", "\\q"][len(defaults) - 1]

    assert made.loop(Reader()) == 0
    assert defaults == ["", "", "SHOW COLUMNS IN stock;"]
    monkeypatch.setenv("EDITOR", str(tmp_path / "nothing"))
    assert "cannot be read" in said(session, "\\e")


@pytest.mark.parametrize(
    ("sql", "question"),
    [
        ("DELETE FROM plain", "DELETE without WHERE takes all 2 rows of plain."),
        ("delete from `PLAIN` as p", "DELETE without WHERE takes all 2 rows of PLAIN."),
        ("UPDATE plain SET a = 1", "UPDATE without WHERE changes all 2 rows of plain."),
        ("/* all */ TRUNCATE TABLE plain", "TRUNCATE TABLE takes all 2 rows of plain."),
        ("DROP TABLE plain", "DROP TABLE takes plain with all 2 rows."),
        ("DROP SCHEMA default CASCADE", "DROP SCHEMA … CASCADE takes all tables of the schema."),
        ("DROP CATALOG c CASCADE", "DROP CATALOG … CASCADE takes all schemas of the catalog, and their tables."),
    ],
)
def test_what_takes_everything_is_asked(session: Session, sql: str, question: str) -> None:
    made, out, asked = shell(session, "n")
    assert made.run(f"{sql}; SHOW TABLES;")
    assert asked == [question]
    assert out.getvalue() == "Not run.\nNot run: the statement after it.\n"
    assert session.log("plain").snapshot().version == 1


def test_what_is_not_asked(session: Session) -> None:
    made, out, asked = shell(session, "y")
    assert made.run("DELETE FROM stock; DELETE FROM nope;")
    assert made.run("DELETE FROM plain WHERE false; DROP TABLE IF EXISTS nope;")
    assert not asked
    assert made.run("DROP TABLE plain;")
    assert len(asked) == 1
    assert "There is no table nope" in out.getvalue()
    assert session.catalog.resolve(("plain",)) is None
    made, _, asked = shell(session, confirm=False)
    assert made.run("DROP TABLE stock;")
    assert not asked


def test_answers() -> None:
    for keys, expected in (
        ("y\r", True),
        ("Yes\r", True),
        ("\r", False),
        ("no\r", False),
        ("\x03", False),
        ("\x04", False),
    ):
        with create_pipe_input() as terminal:
            terminal.send_text(keys)
            assert asker(terminal, DummyOutput())("All?") is expected


def test_changes_of_columns_are_told(session: Session) -> None:
    assert said(session, "ALTER TABLE stock ADD COLUMN place.row INT AFTER hall;") == "+ place.row INT\nversion 1\n"
    assert said(session, "ALTER TABLE plain ALTER COLUMN b COMMENT 'it';") == "~ b is now COMMENT 'it'\nversion 2\n"
    assert said(session, "ALTER TABLE plain SET TBLPROPERTIES ('a' = 'b');") == "version 3\n"


def field(name: str, kind: t.DataType, number: int = 0, *, nullable: bool = True) -> t.StructField:
    return t.StructField(name, kind, nullable, {"delta.columnMapping.id": number} if number else {})


def test_schema_changes() -> None:
    place = t.StructType((field("hall", t.INTEGER, 2),))
    old = t.StructType((field("place", place, 1), field("b", t.INTEGER, 3), field("c", t.STRING, 4)))
    new_place = t.StructType((field("aisle", t.INTEGER, 2), field("shelf", t.STRING, 5)))
    new = t.StructType((field("spot", new_place, 1), field("b", t.LONG, 3, nullable=False), field("d", place, 6)))
    assert schema_changes(old, new) == [
        "~ place is now spot",
        "~ place.hall is now spot.aisle",
        "+ spot.shelf STRING",
        "~ b INT is now BIGINT NOT NULL",
        "+ d STRUCT<hall: INT>",
        "- c STRING",
    ]
    assert schema_changes(old, old) == []
    moved = t.StructType(old.fields[::-1])
    assert schema_changes(old, moved) == ["~ order: c, b, place"]
    many = t.StructType(tuple(field(f"x{number}", t.INTEGER) for number in range(15)))
    assert schema_changes(t.StructType(), many)[-1] == "… and 3 more"


def test_preferences(session: Session) -> None:
    assert said(session, "\\pset").splitlines()[0] == "pager     on"
    assert said(session, "\\pset confirm off", "\\pset confirm", "\\pset rows 5") == (
        "Confirm is off.\nConfirm is on.\nRows is 5.\n"
    )
    assert said(session, "\\pset rows ALL", "\\pset rows").startswith("Rows is all.\n[INVALID_SHELL_PREFERENCE]")
    assert "did you" not in said(session, "\\pset nope on")
    assert said(session, "\\x", "\\x", "\\x off", "\\x auto") == (
        "Format is vertical.\nFormat is auto.\nFormat is table.\nFormat is auto.\n"
    )
    assert "\\x [on|off|auto]" in said(session, "\\x maybe")
    with pytest.raises(UnknownPreferenceError):
        Preferences().with_value("nope", "on")
    with pytest.raises(WrongPreferenceError):
        Preferences().with_value("pager", "perhaps")


def test_other_shells_commands_are_no_sql(session: Session) -> None:
    assert said(session, ".tables").startswith("[UNKNOWN_SHELL_COMMAND] There is no command .tables.")


def test_long_results_go_through_the_pager(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "10")
    # The text itself would be told by less; a program that takes it stands for that.
    pager = tmp_path / "pager.py"
    pager.write_text("import sys; print('paged', len(sys.stdin.read().splitlines()))")
    monkeypatch.setenv("DELTASQL_PAGER", f"{sys.executable} {pager}")
    short = said(session, "SHOW TABLES;", out=Screen())
    assert "stock" in short
    out = said(session, "SHOW TBLPROPERTIES stock; DESCRIBE DETAIL stock;", "\\pset pager off", out=Screen())
    assert "numFiles" not in out
    assert capfd.readouterr().out.startswith("paged ")
    assert "numFiles" in said(session, "DESCRIBE DETAIL stock;", out=Screen(), pager=False)
    assert "numFiles" in said(session, "DESCRIBE DETAIL stock;")


def test_pagers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_PAGER", f"{sys.executable} -c pass")
    assert pager_command() == [sys.executable, "-c", "pass"]
    # One that leaves at once does not read it all.
    show("x" * 1_000_000, pager_command())
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("DELTASQL_PAGER")
    monkeypatch.setenv("PAGER", "no-such-pager")
    assert pager_command() == []


def test_progress_is_told_on_a_terminal_alone(session: Session) -> None:
    said(session, "SHOW TABLES;")
    assert session.on_progress is None
    said(session, "SHOW TABLES;", out=Screen())
    assert session.on_progress is not None
    said(session, "SHOW TABLES;", out=Screen(), progress=False)
    assert session.on_progress is None


def test_parameters(session: Session) -> None:
    out = io.StringIO()
    made = Shell(session, preferences=Preferences(timing=False), args={"t": "plain"}, terminal=Terminal(None, out))
    assert made.run("SHOW COLUMNS IN IDENTIFIER(:t);")
    assert out.getvalue().count("|") == 6


def test_the_cells_of_a_notebook_are_run(session: Session, tmp_path: Path) -> None:
    made, out, _ = shell(session)
    notebook = tmp_path / "n.sql"
    text = "-- Databricks notebook source\n-- MAGIC %md Title\n-- COMMAND ----------\nSHOW COLUMNS IN plain\n"
    notebook.write_text(f"{text}-- COMMAND ----------\n-- MAGIC %python print('from', 'Python')\n-- MAGIC 1 / 0\n")
    made.run(f"\\i {notebook}")
    shown = out.getvalue()
    assert "Title" in shown
    assert "col_name" in shown
    assert f"{notebook}:6:" in shown
    assert "ZeroDivisionError" in shown
