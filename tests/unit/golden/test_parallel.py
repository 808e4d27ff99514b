"""Golden files in several processes: the same outcomes in the same order, and what happens when a process ends."""

from __future__ import annotations

import functools
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import GoldenWorkersNotStartedError, ScheduleError, UnknownDirectiveError
from deltasql.clients import cli
from deltasql.clients.golden import AUTO, GoldenOutcome, discover, parallel, run_file, run_files, temporary_sessions
from deltasql.clients.golden.parallel import run_suite
from deltasql.files.result import Result
from deltasql.schema import types as t

NO_JVM = "-- expect: no jvm\n\n"
TEXT = t.StructType((t.StructField("text", t.STRING),))
PATIENCE = 300.0


class Marks:
    """A session whose statements make marks in the file system, wait for them, or end the process."""

    spark_started = False

    def __init__(self, warehouse: str) -> None:
        self.warehouse = warehouse

    def sql(self, text: str) -> Result:
        word, _, mark = text.partition(" ")
        match word:
            case "MAKE":
                Path(mark).touch()
            case "WAIT":
                end = time.monotonic() + PATIENCE
                while not Path(mark).exists():
                    assert time.monotonic() < end, f"nobody made {mark}"
                    time.sleep(0.01)
            case "PID":
                return Result.of(TEXT, [(str(os.getpid()),)])
            case "TZ":
                return Result.of(TEXT, [(os.environ["TZ"],)])
            case "EXIT":
                os._exit(int(mark))
            case "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
        return Result.of(version=1)

    def close(self) -> None:
        pass


class Unwelcome:
    """Sessions that can be sent, but not be received."""

    def __reduce__(self) -> tuple[Any, ...]:
        return sys.exit, (5,)


def closure() -> Callable[[str], Marks]:
    def factory(warehouse: str) -> Marks:
        return Marks(warehouse)

    return factory


@pytest.fixture(autouse=True)
def _small_suites_have_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "STATEMENTS_PER_WORKER", 1)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where warehouses are made; afterwards all are gone."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def suite(tmp_path: Path, **files: str) -> list[Path]:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.sql").write_text(text)
    return discover(folder)


def ran(paths: list[Path], jobs: int = 2, factory: Any = Marks) -> list[GoldenOutcome]:
    return list(run_files(paths, factory, jobs))


def pids(outcomes: list[GoldenOutcome]) -> list[int]:
    return [int(re.findall(r"^\d+$", outcome.actual, re.MULTILINE)[0]) for outcome in outcomes]


def test_files_run_at_the_same_time_and_come_in_their_order(tmp_path: Path, scratch: Path) -> None:
    made = {name: tmp_path / f"{name}.mark" for name in "bcd"}
    files = suite(
        tmp_path,
        a=f"{NO_JVM}WAIT {made['b']};\nWAIT {made['d']};\nPID;\nTZ",
        b=f"{NO_JVM}MAKE {made['b']};\nPID",
        c=f"{NO_JVM}MAKE {made['c']};\nPID",
        d=f"WAIT {made['c']};\nMAKE {made['d']};\nPID",
        e="PID",
    )
    outcomes = ran(files)
    assert [outcome.path for outcome in outcomes] == files
    assert [outcome.defects for outcome in outcomes] == [()] * 5
    first, second, third, *ours = pids(outcomes)
    assert first != second == third
    assert ours == [os.getpid()] * 2
    assert os.getpid() not in {first, second}
    assert "\nUTC\n" in outcomes[0].actual


def test_what_workers_find_is_what_one_process_finds(tmp_path: Path, scratch: Path) -> None:
    ddl = "CREATE TABLE t (a INT);\nALTER TABLE t ADD COLUMN b INT;\nDESCRIBE DETAIL t;\nALTER TABLE t DROP COLUMN x"
    spark = f"{NO_JVM}SET spark.sql.session.timeZone;\nSHOW TABLES"
    files = suite(tmp_path, a=NO_JVM + ddl, b=spark, c=NO_JVM + ddl.replace(" t", " u"))
    alone = [run_file(path) for path in files]
    for factory in (None, temporary_sessions("sc://nowhere")):
        assert [outcome.actual for outcome in ran(files, factory=factory)] == [outcome.actual for outcome in alone]


def test_a_file_that_its_worker_dies_of_fails_alone(tmp_path: Path, scratch: Path) -> None:
    files = suite(
        tmp_path, a=f"{NO_JVM}EXIT 7", b=f"{NO_JVM}PID", c=f"{NO_JVM}KILL", d=f"{NO_JVM}PID", e=f"{NO_JVM}KILL"
    )
    files[2].with_suffix(".out").write_text("something")
    outcomes = ran(files)
    assert [outcome.ok or bool(outcome.defects) for outcome in outcomes] == [True, False, True, False, True]
    first, _, third, _, _ = outcomes
    assert first.defects == (
        f"[GOLDEN_WORKER_DIED] The process that ran {files[0]} died of it: exit code 7. "
        "To see more, run this file alone. SQLSTATE: 58000",
    )
    assert "signal 9, Killed" in third.defects[0]
    assert not third.ok
    assert third.diff == ""
    out = io.StringIO()
    assert not run_suite(files[0].parent, sessions=Marks, jobs=2, accept=True, out=out)  # type: ignore[arg-type]
    assert out.getvalue().endswith("5 files: 0 passed, 3 failed, 2 rewritten\n")
    assert not files[0].with_suffix(".out").exists()
    assert files[2].with_suffix(".out").read_text() == "something"


def test_workers_that_cannot_start_are_an_error(tmp_path: Path, scratch: Path) -> None:
    files = suite(tmp_path, a=f"{NO_JVM}PID", b=f"{NO_JVM}PID")
    with pytest.raises(GoldenWorkersNotStartedError, match="exit code 5") as refused:
        ran(files, factory=Unwelcome())
    assert "if __name__ == '__main__'" in refused.value.message


def test_an_error_of_a_file_comes_when_it_is_its_turn(tmp_path: Path, scratch: Path) -> None:
    files = suite(
        tmp_path,
        a=f"{NO_JVM}PID",
        b=f"{NO_JVM}PID",
        c=f"{NO_JVM}MAKE x;\n-- schedule: commit A\n-- session: A\nMAKE y",
        d="-- expect: jvm\n\nPID",
    )
    outcomes = run_files(files, Marks, 2)  # type: ignore[arg-type]
    assert [next(outcomes).path, next(outcomes).path] == files[:2]
    with pytest.raises(ScheduleError) as refused:
        next(outcomes)
    assert refused.value.file == str(files[2])
    outcomes = run_files([*files[:2], files[3]], Marks, 2)  # type: ignore[arg-type]
    assert [next(outcomes).path, next(outcomes).path] == files[:2]
    with pytest.raises(UnknownDirectiveError):
        next(outcomes)


def test_who_stops_early_ends_the_workers(tmp_path: Path, scratch: Path) -> None:
    files = suite(tmp_path, a=f"{NO_JVM}PID", b=f"{NO_JVM}WAIT {tmp_path}/never", c=f"{NO_JVM}PID")
    began = time.monotonic()
    outcomes = run_files(files, Marks, 2)  # type: ignore[arg-type]
    next(outcomes)
    outcomes.close()
    assert time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize(
    ("jobs", "per_worker", "factory"),
    [
        pytest.param(1, 1, Marks, id="one job"),
        pytest.param(2, 2, Marks, id="too few statements"),
        pytest.param(AUTO, 2, Marks, id="too few statements for auto"),
        pytest.param(2, 1, closure(), id="a closure"),
    ],
)
def test_without_gain_there_are_no_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, per_worker: int, factory: Callable[[str], Marks]
) -> None:
    monkeypatch.setattr(parallel, "STATEMENTS_PER_WORKER", per_worker)
    files = suite(tmp_path, a=f"{NO_JVM}PID", b=f"{NO_JVM}PID", c="PID;\nPID;\nPID;\nPID")
    assert pids(ran(files, jobs, factory)) == [os.getpid()] * 3


def test_one_file_of_many_statements_has_no_worker(tmp_path: Path) -> None:
    files = suite(tmp_path, a=NO_JVM + "PID;\n" * 10, b="PID")
    assert pids(ran(files)) == [os.getpid()] * 2


def test_auto_is_the_number_of_usable_cpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "usable_cpus", lambda: 2)
    files = suite(tmp_path, a=f"{NO_JVM}PID", b=f"{NO_JVM}PID", c=f"{NO_JVM}PID")
    assert os.getpid() not in pids(ran(files, AUTO))
    monkeypatch.setattr(parallel, "usable_cpus", lambda: 1)
    assert pids(ran(files, AUTO)) == [os.getpid()] * 3


def test_a_suite_is_told_and_accepted_as_by_one_process(tmp_path: Path, scratch: Path) -> None:
    files = suite(tmp_path, a=f"{NO_JVM}TZ", b="TZ", c=f"{NO_JVM}TZ;\nTZ", d=f"{NO_JVM}TZ")

    def told(jobs: int, **options: Any) -> tuple[bool, str]:
        out = io.StringIO()
        same = run_suite(files[0].parent, sessions=Marks, jobs=jobs, out=out, **options)  # type: ignore[arg-type]
        return same, re.sub(r"[\d.]+ s\)", "0 s)", out.getvalue())

    assert told(2) == told(1)
    same, text = told(2, accept=True)
    assert same
    assert text.endswith("4 files: 0 passed, 0 failed, 4 rewritten\n")
    passed = told(2)
    assert passed == told(1)
    assert passed[0]


@pytest.mark.parametrize(
    ("options", "jobs"), [([], AUTO), (["-j", "auto"], AUTO), (["--jobs", "0"], AUTO), (["-j3"], 3)]
)
def test_the_option_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], jobs: int
) -> None:
    monkeypatch.setattr(parallel, "run_suite", lambda *_, **given: given["jobs"] == jobs)
    assert cli.main(["test", str(tmp_path), *options]) == cli.OK


@pytest.mark.parametrize("value", ["-1", "many", "1.5", ""])
def test_a_wrong_number_of_jobs(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["test", "x", f"--jobs={value}"])
    assert stopped.value.code == 2
    assert f"argument -j/--jobs: '{value}' is neither a number nor auto" in capsys.readouterr().err


ENDLESS = """
import os, signal, sys, time
from pathlib import Path
from deltasql.clients import cli
from deltasql.clients.golden import parallel

class Endless:
    spark_started = False
    def __init__(self, warehouse):
        pass
    def sql(self, text):
        if text.startswith("SLEEP"):
            Path(sys.argv[2], f"{os.getpid()}.pid").touch()
            time.sleep(600)
    def close(self):
        pass

if __name__ == "__main__":
    # Tests that a shell runs in the background have it ignored, and so has what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parallel.STATEMENTS_PER_WORKER = 1
    parallel.temporary_sessions = lambda *_, **__: Endless
    sys.exit(cli.main(["test", sys.argv[1], "-j", "2"]))
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Ctrl-C is sent to a process group")
def test_ctrl_c_ends_everything_at_once(tmp_path: Path) -> None:
    files = suite(tmp_path, a=f"{NO_JVM}SLEEP", b=f"{NO_JVM}SLEEP", c=f"{NO_JVM}SLEEP")
    script, scratch = tmp_path / "endless.py", tmp_path / "scratch"
    script.write_text(ENDLESS)
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(script), str(files[0].parent), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(Path(cli.__file__).parents[2])},
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE
    while len(found := list(tmp_path.glob("*.pid"))) < 2:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (cli.INTERRUPTED, "", "Interrupted.\n")
    assert list(scratch.iterdir()) == []
    for path in found:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.stem), 0)


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    files = suite(tmp_path, a=f"{NO_JVM}SHOW TABLES", b=f"{NO_JVM}SHOW TABLES")
    script.write_text(
        "from deltasql.clients.golden import parallel, run_files\n"
        "parallel.STATEMENTS_PER_WORKER = 1\n"
        f"list(run_files({[str(path) for path in files]}, jobs=2))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env=os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[2])},
    )
    assert done.returncode == 1
    assert "[GOLDEN_WORKERS_NOT_STARTED] No process could be started" in done.stderr


def test_sessions_of_the_command_can_be_sent() -> None:
    assert isinstance(temporary_sessions("sc://host:15002"), functools.partial)
