"""The command line over a session of canned answers: what goes where, and the exit code."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.clients import cli
from tests.unit.cli.conftest import Canned


def test_rows_to_stdout(sessions: list[Canned], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-e", "SELECT 1; ALTER x;", "-e", "SELECT 2", "--format", "csv", "--warehouse", "wh"]) == 0
    assert capsys.readouterr() == ("n\n1\n2\nn\n1\n2\n", "")
    assert (sessions[0].texts, sessions[0].warehouse, sessions[0].spark) == (
        ["SELECT 1", "ALTER x", "SELECT 2"],
        "wh",
        None,
    )
    assert sessions[0].closed


def test_sources_run_in_the_order_given(
    sessions: list[Canned], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sql").write_text("\ufeffSELECT 2;\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 3"))
    args = ["-e", "SELECT 1", "-f", str(tmp_path / "a.sql"), "-f", "-", "-e", "SELECT 4", "--remote", "sc://h:1"]
    assert cli.main(args) == 0
    assert sessions[0].texts == ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"]
    assert sessions[0].spark == "sc://h:1"


def test_input_that_is_no_terminal_is_a_script(sessions: list[Canned], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1;\nALTER y"))
    assert cli.main([]) == 0
    assert sessions[0].texts == ["SELECT 1", "ALTER y"]


def test_a_failed_statement_ends_the_run_with_1(
    sessions: list[Canned], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = tmp_path / "a.sql"
    script.write_text("SELECT 1;\n\n-- why\nMISS t;\nSELECT 2;")
    assert cli.main(["-f", str(script), "--format", "jsonl"]) == 1
    out, err = capsys.readouterr()
    assert out == '{"n": 1}\n{"n": 2}\n'
    assert err.startswith(f"{script}:4:\n[TABLE_OR_VIEW_NOT_FOUND] There is no table t.")
    assert len(sessions[0].texts) == 2
    assert sessions[0].closed


def test_echo_shows_the_statements(sessions: list[Canned], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--echo", "-e", "-- why\nSELECT 1; ALTER x", "--format", "csv"]) == 0
    assert capsys.readouterr().out == "-- why\nSELECT 1;\nn\n1\n2\nALTER x;\n"


def test_keep_going_runs_the_rest_and_still_ends_with_the_code_of_the_failure(
    sessions: list[Canned], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--keep-going", "-e", "MISS t; ALTER x", "-e", "ALTER y"]) == 1
    assert sessions[0].texts == ["MISS t", "ALTER x", "ALTER y"]
    assert cli.main(["--keep-going", "-e", "RACE; MISS t"]) == 4
    assert capsys.readouterr().err.count("SQLSTATE") == 3


def test_a_lost_race_ends_with_4(sessions: list[Canned], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-e", "RACE"]) == 4
    assert "DELTA_CONCURRENT_APPEND" in capsys.readouterr().err


def test_an_interrupt_ends_with_130(sessions: list[Canned]) -> None:
    assert cli.main(["-e", "WAIT"]) == 130
    assert sessions[0].closed


def test_a_commit_before_the_interrupt_is_told(sessions: list[Canned], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-e", "LATE; ALTER x"]) == 130
    assert capsys.readouterr().err == "Version 7 of t was committed before Ctrl-C could stop the statement.\n"
    assert sessions[0].texts == ["LATE"]


@pytest.mark.parametrize(("option", "shown"), [([], False), (["--stack"], True)])
def test_the_stack_of_spark_is_shown_on_demand(
    sessions: list[Canned], capsys: pytest.CaptureFixture[str], option: list[str], shown: bool
) -> None:
    assert cli.main(["-e", "BREAK", *option]) == 1
    err = capsys.readouterr().err
    assert "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012" in err
    assert ("Some.java" in err) is shown


def test_a_defect_is_one_line_and_on_demand_a_traceback(
    sessions: list[Canned], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["-e", "BUG"]) == 1
    assert capsys.readouterr().err.startswith("ValueError: unexpected\nThis is not an error")
    with pytest.raises(ValueError, match="unexpected"):
        cli.main(["-e", "BUG", "--stack"])
    assert all(session.closed for session in sessions)


def test_timing_goes_to_stderr(sessions: list[Canned], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-e", "SELECT 1", "--timing", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out == "n\n1\n2\n"
    assert err.endswith(" s\n")


@pytest.mark.parametrize(
    "args", [["--nope"], ["--format", "xml"], ["surprise"], ["test"], ["-e"], ["-f", "/no/such.sql"]]
)
def test_usage_ends_with_2(sessions: list[Canned], args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: Any = cli.main(args)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert capsys.readouterr().err
    assert sessions == []


def test_a_script_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.sql").write_bytes(b"\xff\xfe\xff")
    assert cli.main(["-f", str(tmp_path / "x.sql")]) == 2
    assert "SCRIPT_UNREADABLE" in capsys.readouterr().err


def test_a_terminal_gets_the_shell(sessions: list[Canned], monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def start(session: Any, style: str, stack: bool, preferences: Any, args: Any) -> int:
        started.append((session, style, stack, preferences.value("progress"), args))
        return 0

    started: list[Any] = []
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("deltasql.clients.repl.start", start)
    assert cli.main(["--format", "vertical", "--stack"]) == 0
    assert cli.main(["--no-progress", "-D", "a=1"]) == 0
    assert started == [(sessions[0], "vertical", True, "on", None), (sessions[1], "auto", False, "off", {"a": 1})]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--frmat", "csv"], "there is no option --frmat; did you mean --format?"),
        (["--format", "csv", "-x"], "there is no option -x"),
        (["-eSELECT 1", "--zzz=1"], "there is no option --zzz"),
        (["file.sql"], "to run a file: deltasql run file.sql"),
        (
            ["--warehouse", "test", "tets"],
            "there is no command tets; there are run, demo, pipeline, check, lsp, test, serve, warehouse, completion",
        ),
    ],
)
def test_slips_are_told_by_their_names(
    sessions: list[Canned], args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(args)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err
    assert not sessions


def test_what_the_package_offers() -> None:
    assert set(deltasql.__all__) <= set(dir(deltasql))
    assert {name for name in dir(deltasql) if not name.startswith("__")} == {*deltasql.__all__} - {"__version__"}
    assert deltasql.__doc__ is not None
    assert all(name in deltasql.__doc__ for name in deltasql.__all__ if name not in {"__version__", "Row"})


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"deltasql {deltasql.__version__}\n"


def test_a_closed_pipe_is_no_traceback() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r});"
        "from types import SimpleNamespace; from deltasql.clients import cli; from test_cli import Canned;"
        "opening = SimpleNamespace(connect=lambda place, spark, **_: Canned(place, spark));"
        "sys.modules['deltasql.session.opening'] = opening;"
        "sys.exit(cli.main(['-e', 'SELECT 1;' * 20000, '--format', 'csv']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), errors) == (cli.BROKEN_PIPE, b"")


def test_start_up_loads_nothing_heavy() -> None:
    code = "import sys, deltasql.clients.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pyspark", "sqlglot", "pandas", "pyarrow", "rich", "prompt_toolkit", "lark"} & set(loaded)
