"""What `deltasql test` tells of a suite: pairs of statements, places, reports for machines, and what failed last."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import ReportNotWrittenError
from deltasql.clients import cli
from deltasql.clients.golden import GoldenOutcome, run_file
from deltasql.clients.golden.compare import changes, difference
from deltasql.clients.golden.parallel import run_suite
from deltasql.clients.golden.suite import OutputFailure
from deltasql.files.result import Result


class Told:
    """A session that commits nothing and refuses nothing, but for BUG."""

    spark_started = False

    def __init__(self, warehouse: str) -> None:
        pass

    def sql(self, text: str) -> Result:
        if text.startswith("BUG"):
            raise ValueError("unexpected")
        self.spark_started = self.spark_started or text.startswith("SPARK")
        return Result.of()

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def no_annotations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(folder: Path, **options: Any) -> tuple[bool, str]:
    out = io.StringIO()
    return run_suite(folder, sessions=Told, out=out, **options), out.getvalue()  # type: ignore[arg-type]


def suite(tmp_path: Path, **files: str) -> Path:
    """A suite that passes."""
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.sql").write_text(text)
    assert run(folder, accept=True)[0]
    return folder


def block(sql: str, rows: str = "", name: str = "") -> str:
    return f"-- statement{': ' + name if name else ''}\n{sql}\n-- schema: a:int\n{rows}\n"


def headings(old: list[str], new: list[str]) -> list[tuple[str, int, int]]:
    return [(item.heading, item.before, item.after) for item in changes("\n".join(old), "\n".join(new))]


def test_a_changed_statement_is_shown_once() -> None:
    old, new = block("VALUES (1)", "1"), block("VALUES (2)", "2")
    assert difference(old, new).splitlines() == [
        "@@ VALUES (2)",
        " -- statement",
        "-VALUES (1)",
        "+VALUES (2)",
        " -- schema: a:int",
        "-1",
        "+2",
    ]


def test_a_statement_is_known_by_its_name_then_by_its_place() -> None:
    old = [block("A 1", name="first"), block("B 1"), block("C"), block("D 1", name="last")]
    new = [block("X"), block("A 2", name="first"), block("B 2"), block("C"), block("D 2", name="last")]
    assert headings(old, new) == [("X (new)", 0, 1), ("first", 1, 6), ("B 2", 6, 11), ("last", 16, 21)]


def test_of_more_statements_in_one_place_those_alike_are_pairs() -> None:
    old = [block("A"), block("SELECT a FROM t"), block("Z")]
    new = [block("A"), block("DROP VIEW v"), block("SELECT a, b FROM t"), block("Z")]
    assert headings(old, new) == [("DROP VIEW v (new)", 0, 6), ("SELECT a, b FROM t", 6, 11)]
    assert headings(new, old) == [("DROP VIEW v (only in the golden file)", 6, 0), ("SELECT a FROM t", 11, 6)]


def test_two_statements_of_one_name_are_known_by_their_sql() -> None:
    old = [block("A", "1", "same"), block("B", "1", "same")]
    new = [block("B", "1", "same"), block("A", "1", "same")]
    assert [heading for heading, _, _ in headings(old, new)] == ["same (new)", "same (only in the golden file)"]


def test_failures_have_their_places(tmp_path: Path) -> None:
    folder = suite(tmp_path, x="-- About it.\n\nONE;\n\n-- name: two\nTWO;\nTHREE;\n")
    (folder / "x.sql").write_text("-- About it.\n\nONE 1;\n\n-- name: two\nTWO 2;\n")
    same, text = run(folder)
    assert not same
    script, output = folder / "x.sql", folder / "x.out"
    assert f"{script}:3: ONE 1\n" in text
    assert f"{script}:6: two\n" in text
    assert f"{output}:9: THREE (only in the golden file)\n" in text


def test_defects_have_their_places(tmp_path: Path) -> None:
    folder = suite(tmp_path, x="ONE;\n")
    (folder / "x.sql").write_text("-- expect: no jvm\n\nONE;\nBUG;\nSPARK;\nONE;\n")
    text = run(folder)[1]
    assert f"{folder / 'x.sql'}:4: ValueError: unexpected\n" in text
    assert f"{folder / 'x.sql'}:5: The file says 'expect: no jvm', but a statement started Spark.\n" in text


def test_an_output_that_ends_otherwise_fails_with_a_reason(tmp_path: Path) -> None:
    folder = suite(tmp_path, x="ONE;\n")
    output = folder / "x.out"
    output.write_text(output.read_text() + "\n")
    assert f"{output}:1: The .out file ends in other line breaks.\n" in run(folder)[1]


def test_an_output_without_its_script_is_told(tmp_path: Path) -> None:
    folder = suite(tmp_path, x="ONE;\n", y="ONE;\n")
    (folder / "y.sql").unlink()
    (folder / "nohup.out").write_text("another program's")
    same, text = run(folder)
    assert same
    assert f"stale {folder / 'y.out'}: there is no y.sql. Delete it, or bring the script back.\n" in text
    assert "nohup" not in text
    assert "stale" not in run(folder, only="x.sql")[1]


def test_it_stops_at_the_first_failure_and_goes_on_with_the_last(tmp_path: Path) -> None:
    folder = suite(tmp_path, a="ONE;\n", b="ONE;\n", c="ONE;\n")
    for name in "bc":
        (folder / f"{name}.out").write_text("-- statement\nTWO\n")
    same, text = run(folder, exit_first=True)
    assert not same
    assert text.endswith("2 files: 1 passed, 1 failed\n")
    assert run(folder, last_failed=True)[1].endswith("1 file: 0 passed, 1 failed\n")
    assert run(folder)[1].endswith(
        f"failed:\n     {folder / 'b.sql'}\n     {folder / 'c.sql'}\n3 files: 1 passed, 2 failed\n"
    )
    assert run(folder, last_failed=True, accept=True)[1].endswith("2 files: 0 passed, 0 failed, 2 rewritten\n")
    assert run(folder, last_failed=True)[1].endswith("3 files: 3 passed, 0 failed\n")


def test_the_slowest_files_are_listed(tmp_path: Path) -> None:
    folder = suite(tmp_path, a="ONE;\n", b="ONE;\n")
    lines = run(folder, durations=1)[1].splitlines()
    assert lines[2] == "slowest:"
    assert lines[3].endswith(".sql")
    assert lines[4] == "2 files: 2 passed, 0 failed"


def test_junit(tmp_path: Path) -> None:
    folder = suite(tmp_path, a="ONE;\n", b="ONE;\n")
    (folder / "b.sql").write_text("TWO \x07;\n")
    target = tmp_path / "reports" / "junit.xml"
    run(folder, junit=target)
    root = ET.parse(target).getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    good, bad = root.iter("testcase")
    assert (good.get("name"), len(good)) == ("a", 0)
    assert (bad.get("name"), bad.get("file"), bad.get("line")) == ("b", (folder / "b.sql").as_posix(), "1")
    (failure,) = bad
    assert failure.get("message") == "TWO \ufffd"
    assert "-ONE\n+TWO" in (failure.text or "")
    with pytest.raises(ReportNotWrittenError):
        run(folder, junit=folder / "a.sql" / "report.xml")


def test_github_is_told_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = suite(tmp_path, a="ONE;\n")
    (folder / "a.sql").write_text("TWO;\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert "\n::error file=suite/a.sql,line=1,title=TWO:: -- statement%0A-ONE%0A+TWO%0A" in run(folder)[1]
    failure = OutputFailure(tmp_path / "a,b.sql", 3, "50%: a\nb", "")
    assert failure.annotation == "::error file=a%2Cb.sql,line=3,title=50%25%3A a%0Ab::50%25: a%0Ab"


def test_a_terminal_has_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    folder = suite(tmp_path, a="ONE;\n")
    (folder / "a.sql").write_text("TWO;\n")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    run_suite(folder, sessions=Told, out=out)  # type: ignore[arg-type]
    assert "\x1b[31m-ONE\x1b[0m\n\x1b[32m+TWO\x1b[0m\n" in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    run_suite(folder, sessions=Told, out=out)  # type: ignore[arg-type]
    assert "\x1b[" not in out.getvalue()


def test_the_command_takes_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.sql").write_text("-- expect: no jvm\n\nSHOW TABLES;\n")
    target = tmp_path / "report.xml"
    options = ["-x", "--last-failed", "--durations", "2", "--junit", str(target)]
    assert cli.main(["test", str(tmp_path), *options]) == cli.MISMATCH
    assert f"{tmp_path / 'a.sql'}:1: There is no .out file yet.\n     Run with --accept" in capsys.readouterr().out
    assert target.exists()


def test_an_outcome_without_places_can_be_told() -> None:
    outcome = GoldenOutcome(Path("x.sql"), block("A"), block("B"), defects=("died",))
    assert [(failure.line, failure.message) for failure in outcome.failures] == [(1, "died"), (1, "B")]


def test_places_are_known_to_callers(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    path.write_text("ONE;\n\n\nTWO\n2;\n")
    assert run_file(path, Told).block_lines == ((1, 1), (5, 4))  # type: ignore[arg-type]


class Failing(Told):
    """A session that refuses what begins with DROP."""

    def sql(self, text: str) -> Result:
        if text.startswith("DROP"):
            raise ReportNotWrittenError("x", "y")
        return super().sql(text)


def test_accepting_says_how_many_results_are_errors(tmp_path: Path) -> None:
    folder, out = tmp_path / "suite", io.StringIO()
    folder.mkdir()
    (folder / "a.sql").write_text("SELECT 1;")
    (folder / "b.sql").write_text("SELECT 1; DROP x; DROP y;")
    assert run_suite(folder, sessions=Failing, out=out, accept=True)  # type: ignore[arg-type]
    assert f"     2 errors accepted: {ReportNotWrittenError.condition}\n" in out.getvalue()
    assert out.getvalue().count("accepted") == 1
    (folder / "b.sql").write_text("SELECT 1; DROP x; DROP y; DROP z;")
    assert run_suite(folder, sessions=Failing, out=out, accept=True)  # type: ignore[arg-type]
    assert "     1 error accepted: " in out.getvalue()
