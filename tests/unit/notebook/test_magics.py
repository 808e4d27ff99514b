"""%sql in an IPython of this process, over statements that need no JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import deltasql
from deltasql.base.errors import MagicError, UnknownEngineError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.notebook import Call, NotebookVariables, read_call
from deltasql.files.result import Result


class Notebook:
    """Cells that are run one after another; what a cell displays is in `shown`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.shown: list[dict[str, str]] = []

    def run(self, cell: str) -> Any:
        """The value of the cell. Raises what it raises."""
        with capture_output() as captured:
            result = self.shell.run_cell(cell, store_history=False)  # type: ignore[no-untyped-call]
        self.shown = [dict(output.data) for output in captured.outputs]
        result.raise_error()
        return result.result


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    # A history would be a database and a thread.
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("load_ext", "deltasql")
    yield Notebook(shell)
    shell.run_line_magic("unload_ext", "deltasql")
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    ("line", "cell", "expected"),
    [
        ("SELECT 1", "", Call({}, "", "SELECT 1")),
        ("", "SELECT 1\n-- end", Call({}, "", "SELECT 1\n-- end")),
        ("SELECT", "1", Call({}, "", "SELECT\n1")),
        ("result << SELECT 1 << 2", "", Call({}, "result", "SELECT 1 << 2")),
        ("SELECT a << 2", "", Call({}, "", "SELECT a << 2")),
        ("result <<", "SELECT 1", Call({}, "result", "SELECT 1")),
        ("--out x --rows=5", "SELECT 1", Call({"out": "x", "rows": "5"}, "x", "SELECT 1")),
        ("--warehouse 'a b' SHOW TABLES", "", Call({"warehouse": "a b"}, "", "SHOW TABLES")),
        ("-- a comment", "SELECT 1", Call({}, "", "-- a comment\nSELECT 1")),
        ("SELECT {x} $y", "", Call({}, "", "SELECT {x} $y")),
    ],
)
def test_what_stands_behind_the_magic(line: str, cell: str, expected: Call) -> None:
    assert read_call(line, cell) == expected


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("--wharehouse x", "There is no option --wharehouse; did you mean --warehouse?"),
        ("--rows", "The option --rows needs a value."),
    ],
)
def test_a_slip_is_told(line: str, problem: str) -> None:
    with pytest.raises(MagicError) as refused:
        read_call(line)
    assert refused.value.problem == problem


def test_statements_of_a_cell_are_shown_and_the_last_is_its_value(notebook: Notebook) -> None:
    value = notebook.run("%%sql\nCREATE TABLE t (a INT);\nDESCRIBE t;\nSHOW TABLES")
    assert isinstance(value, Result)
    assert [row.tableName for row in value.collect()] == ["t"]
    assert [shown["text/plain"].splitlines()[-1] for shown in notebook.shown[:2]] == ["version 0", "1 row"]
    assert Path("warehouse/t/_delta_log").is_dir()


def test_parameters_are_the_variables(notebook: Notebook) -> None:
    notebook.run("%sql CREATE TABLE t (a INT, b STRING, c DOUBLE)")
    notebook.run('import numpy\nname, number, share = "it\'s", numpy.int64(3), 0.5')
    assert notebook.run("%sql INSERT INTO t VALUES (:number, :name, :share)").version == 1
    local = "get_ipython().run_line_magic('sql', 'INSERT INTO t VALUES (:number, :name, NULL)')"
    notebook.run(f"def f(number):\n    return {local}\nassert f(7).version == 2")
    with pytest.raises(DeltaSqlError) as refused:
        notebook.run("%sql INSERT INTO t VALUES (:nope, NULL, NULL)")
    assert "Or assign a value to the Python variable" in refused.value.message
    assert NotebookVariables({"a": 1})["a"] == 1
    assert len(NotebookVariables({"a": 1})) == len(list(NotebookVariables({"a": 1}))) == 1


def test_results_go_to_variables(notebook: Notebook) -> None:
    assert notebook.run("%sql tables << SHOW TABLES") is None
    assert notebook.run("%%sql --out other\nSHOW SCHEMAS") is None
    assert notebook.run("tables.columns") == ["namespace", "tableName", "isTemporary"]
    assert notebook.run("other.collect()") == [("default",)]
    assert not notebook.shown or "text/html" not in notebook.shown[0]


def test_a_change_of_schema_is_shown(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook.run("%sql CREATE TABLE t (a STRUCT<b: INT>)")
    # No version is read once more for it.
    monkeypatch.delattr("deltasql.log.replay.snapshot.build_segment")
    notebook.run("%sql ALTER TABLE t ADD COLUMN a.c INT")
    assert "schema of t, version 1" in notebook.shown[0]["text/html"]
    assert "+  |    |-- c: int" in notebook.shown[0]["text/html"]
    notebook.run("%sql ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')")
    assert notebook.shown == []


def test_options_choose_the_session(notebook: Notebook) -> None:
    first = notebook.run("%sql --warehouse one")
    assert repr(first) == f"Session({str(Path('one').resolve())!r}, Spark not started)"
    notebook.run("%sql CREATE TABLE t (a INT)")
    assert notebook.run("%sql --warehouse two SHOW TABLES").collect() == []
    assert notebook.run("%sql SHOW TABLES").collect() == []
    assert notebook.run("%sql --warehouse one") is first
    notebook.shell.user_ns["mine"] = mine = deltasql.connect("two")
    assert notebook.run("%sql --session mine") is mine
    with pytest.raises(MagicError):
        notebook.run("%sql --session nobody")
    with pytest.raises(UnknownEngineError):
        notebook.run("%sql --engine presto")
    with pytest.raises(MagicError):
        notebook.run("%sql --rows many SHOW TABLES")
    assert "the first 0 of 1 rows" in notebook.run("%sql --warehouse one --rows 0 SHOW TABLES")._repr_html_()
    mine.close()


def test_a_session_of_the_notebook_is_found(notebook: Notebook) -> None:
    notebook.shell.user_ns["session"] = session = deltasql.connect("mine")
    assert notebook.run("%sql") is session
    session.close()


def test_what_is_wrong_takes_few_lines(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.shell.run_cell("%%sql\nALTER TABLE nope\nDROP COLUMN a", store_history=False)  # type: ignore[no-untyped-call]
    told = capsys.readouterr().out
    assert "[TABLE_OR_VIEW_NOT_FOUND] There is no table nope." in told
    assert "Traceback" not in told
    assert len(told.splitlines()) <= 12


def test_leaving_takes_the_magic_away(notebook: Notebook) -> None:
    session = notebook.run("%sql --warehouse one")
    notebook.shell.run_line_magic("unload_ext", "deltasql")
    assert "closed" in repr(session)
    assert notebook.shell.find_cell_magic("sql") is None  # type: ignore[no-untyped-call]
    notebook.shell.run_line_magic("load_ext", "deltasql")
