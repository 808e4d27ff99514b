"""Finds, runs, compares and accepts golden files, and reports the outcomes.

Each file is reported as it ends, then a summary; a failure is text, and an annotation in GitHub Actions. CI servers
read the outcomes as JUnit's XML.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TextIO, TypeAlias
from xml.etree import ElementTree as ET

from deltasql.base import counted, errors, session_settings
from deltasql.clients.golden.compare import SCHEDULE, TITLE, Change, changes, difference, hides, new_errors, summary
from deltasql.clients.golden.record import Block, GoldenScript, Recorder, read_script
from deltasql.clients.golden.schedules.concurrency import ScenarioRun
from deltasql.clients.golden.schedules.schedule import Scenario, read_scenario
from deltasql.session import Session, connect

FULL_ANNOTATION = 4000
"""Most characters of a message that GitHub shows."""


@dataclass(frozen=True, slots=True)
class OutputFailure:
    """A failure at `line` (from 1) of `file`; `message` is a sentence or a title, `diff` a unified diff or ""."""

    file: Path
    line: int
    message: str
    diff: str = ""

    def __str__(self) -> str:
        return "\n".join([f"{self.file}:{self.line}: {self.message}", *([self.diff] if self.diff else [])])

    @property
    def annotation(self) -> str:
        """The workflow command by which GitHub Actions annotate the line."""
        file = _property(_in_workspace(self.file))
        text = self.diff or self.message
        return f"::error file={file},line={self.line},title={_property(self.message)}::{_data(text[:FULL_ANNOTATION])}"


def wants_annotations() -> bool:
    """Whether this runs in GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _in_workspace(file: Path) -> str:
    """The path relative to the root of the checkout, as GitHub requires; absolute for a file outside of it."""
    absolute = file.resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return (absolute.relative_to(root) if root in absolute.parents else absolute).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


NO_EXPECTATION = "There is no .out file yet."
JVM_STARTED = "The file says 'expect: no jvm', but a statement started Spark."
OTHER_ENDING = "The .out file ends in other line breaks."

SessionFactory: TypeAlias = "Callable[[str], Session]"
"""A new session on the warehouse of this path."""


@dataclass(frozen=True, slots=True)
class GoldenOutcome:
    """Result of one file. `expected` is None without an `.out` file; `defects` fail the file whatever it expects.

    `warnings` name statements whose result will differ in the next run; they do not fail the file. `block_lines` are
    the lines, from 1, at which each statement begins: in `actual`, and in the file. `defect_lines` are lines of the
    file.
    """

    path: Path
    expected: str | None
    actual: str
    defects: tuple[str, ...] = ()
    statements: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    block_lines: tuple[tuple[int, int], ...] = ()
    defect_lines: tuple[int, ...] = ()

    @property
    def is_outdated(self) -> bool:
        """Whether the `.out` file only differs in values that it hides and this version does not."""
        return self.expected is not None and self.expected != self.actual and hides(self.expected, self.actual)

    @property
    def diff(self) -> str:
        """ "" if all is as expected, else a diff of each statement that differs."""
        return difference(self.expected or "", self.actual)

    @property
    def ok(self) -> bool:
        return self.expected == self.actual and not self.defects

    @property
    def failures(self) -> tuple[OutputFailure, ...]:
        """The failures, statement by statement; none if all is as expected."""
        lines = zip_longest(self.defects, self.defect_lines[: len(self.defects)], fillvalue=1)
        differences = [OutputFailure(self.path, int(line), str(text)) for text, line in lines]
        if self.expected is None:
            return tuple(differences) or (OutputFailure(self.path, 1, NO_EXPECTATION),)
        differing = [self._failure(change) for change in changes(self.expected, self.actual)]
        if self.expected != self.actual and not differing:
            differing = [OutputFailure(output_path(self.path), 1, OTHER_ENDING)]
        return (*differences, *differing)

    def _failure(self, change: Change) -> OutputFailure:
        if not change.after:
            return OutputFailure(output_path(self.path), change.before, change.heading, change.diff)
        line = max((mine for begin, mine in self.block_lines if begin <= change.after), default=1)
        return OutputFailure(self.path, line, change.heading, change.diff)

    def accept(self) -> None:
        """Writes the actual output as the expected one."""
        output_path(self.path).write_text(self.actual, encoding="utf-8")


def discover(directory: Path | str, only: str = "") -> list[Path]:
    """The `.sql` files under a directory (or the one file), sorted; only those whose path holds `only`.

    Raises NoGoldenFilesError when there is none.
    """
    root = Path(directory)
    paths = [root] if root.is_file() else sorted(root.rglob("*.sql"))
    selected = [path for path in paths if only in str(path)]
    if not selected:
        note = f" whose path holds '{only}'" if paths else ""
        raise errors.NoGoldenFilesError(place=f"under {root}{note}")
    return selected


def stale_outputs(directory: Path | str, only: str = "") -> list[Path]:
    """The `.out` files under a directory that a golden run wrote and whose `.sql` file is gone, sorted."""
    root = Path(directory)
    outputs = sorted(root.rglob("*.out")) if root.is_dir() else []
    return [path for path in outputs if only in str(path) and is_stale(path)]


def is_stale(path: Path) -> bool:
    """Whether an `.out` file is of a golden run, and has no `.sql` file beside it."""
    return not path.with_suffix(".sql").exists() and is_golden_output(path)


def is_golden_output(path: Path) -> bool:
    """Whether a file begins like the output of golden runs: other programs have `.out` files, too."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(TITLE)).startswith((TITLE.encode(), SCHEDULE.encode()))
    except OSError:
        return False


def output_path(path: Path) -> Path:
    return path.with_suffix(".out")


def expectation(path: Path) -> str | None:
    """The expected output of a `.sql` file; None without an `.out` file."""
    expected = output_path(path)
    return expected.read_text(encoding="utf-8") if expected.exists() else None


def run_file(path: Path | str, session_factory: SessionFactory | None = None) -> GoldenOutcome:
    """Runs one file in a temporary warehouse.

    Raises UnknownDirectiveError, ScheduleError.
    """
    path = Path(path)
    script = read_script(path)
    scenario = read_scenario(script) if script.is_scenario else None
    factory = session_factory or temporary_sessions()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="deltasql-golden-") as name, _utc():
        warehouse = Path(name).resolve()
        blocks, starter = _run(script, factory, warehouse) if scenario is None else _play(scenario, factory, warehouse)
    started_by = 0 if script.jvm else starter
    return _outcome(path, blocks, started_by, time.perf_counter() - began)


def _outcome(path: Path, blocks: Sequence[Block], started_by: int, seconds: float) -> GoldenOutcome:
    """The outcome of these blocks. `started_by` is the line of a statement that started Spark unexpectedly, or 0."""
    defects = [(block.defect, block.line) for block in blocks if block.defect]
    if started_by:
        defects.append((JVM_STARTED, started_by))
    return GoldenOutcome(
        path,
        expectation(path),
        "\n".join(block.text for block in blocks),
        tuple(text for text, _ in defects),
        len(blocks),
        seconds,
        tuple(block.warning for block in blocks if block.warning),
        tuple(_block_lines(blocks)),
        tuple(line for _, line in defects),
    )


def _block_lines(blocks: Iterable[Block]) -> Iterator[tuple[int, int]]:
    """The line of each block in the joined text, and the line of its statement."""
    begin = 1
    for block in blocks:
        yield begin, block.line
        begin += block.text.count("\n") + 1


def _run(script: GoldenScript, factory: SessionFactory, directory: Path) -> tuple[list[Block], int]:
    """The blocks of a script without schedules, and the line of the statement that started Spark, or 0."""
    warehouse = directory / "warehouse"
    warehouse.mkdir()
    session, recorder = factory(str(warehouse)), Recorder(warehouse, script=script.text)
    try:
        session.sql("SET spark.sql.session.timeZone = UTC")
        blocks: list[Block] = []
        starter = 0
        for statement in script.statements:
            blocks.append(recorder.record(statement, session))
            starter = starter or (statement.position.line if session.spark_started else 0)
        return blocks, starter
    finally:
        recorder.close()
        # Spark is shared with the files that follow.
        session.sql("RESET")
        session.close()


def _play(scenario: Scenario, factory: SessionFactory, warehouse: Path) -> tuple[list[Block], int]:
    """The blocks of a scenario, and 1 if Spark was started, else 0."""
    run = ScenarioRun(scenario, factory, warehouse)
    return list(run.blocks()), int(run.spark_started)


def temporary_sessions(spark: str | None = None, engine: str | None = None) -> SessionFactory:
    """A factory of sessions that share one Spark, but no settings. `spark` as for `connect`."""
    # The same number of cores everywhere: it decides how many files a statement writes.
    os.environ.setdefault("DELTASQL_MASTER", "local[2]")

    return partial(_open_session, spark=spark, engine=engine)


def _open_session(warehouse: str, spark: str | None, engine: str | None) -> Session:
    session = connect(warehouse=warehouse, spark=spark, engine=engine)
    # These tables need not survive a crash of the machine.
    session.settings.set(session_settings.FSYNC.name, "false")
    return session


@contextmanager
def _utc() -> Iterator[None]:
    """Context: sets the time zone of this process to UTC, so that results do not depend on the machine."""
    before = os.environ.get("TZ")
    _set_zone("UTC")
    try:
        yield
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    if hasattr(time, "tzset"):
        time.tzset()


OUTDATED = "The .out file hides values of your data, as earlier versions did. Run with --accept to renew it."
HOW_TO_ACCEPT = "Run with --accept to write it."

_RED, _GREEN, _BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


class Report:
    """Writes the report to `stream`, coloured in a terminal; `by_statement` adds counts of statements by verdict."""

    def __init__(self, stream: TextIO, accept: bool, *, by_statement: bool = False) -> None:
        self._by_statement = by_statement
        self._stream = stream
        self._accept = accept
        self._coloured = stream.isatty() and not os.environ.get("NO_COLOR")
        self._annotated = wants_annotations()
        self.outcomes: list[tuple[GoldenOutcome, bool]] = []
        self._rewritten = 0

    @property
    def failed(self) -> list[Path]:
        return [outcome.path for outcome, passed in self.outcomes if not passed]

    def add(self, outcome: GoldenOutcome, rewritten: bool) -> None:
        """Reports one file; `rewritten`: its output was accepted as expected."""
        passed = outcome.ok or rewritten
        self.outcomes.append((outcome, passed))
        self._rewritten += rewritten
        state = "ok  " if outcome.ok else "new " if rewritten else self._painted("FAIL", _RED + _BOLD)
        self._write(f"{state} {outcome.path} ({outcome.statements} statements, {outcome.seconds:.2f} s)")
        if rewritten:
            self._print_accepted(new_errors(outcome.expected or "", outcome.actual))
        for warning in outcome.warnings:
            self._write(f"     warning: {warning}")
        if not passed:
            self._print_failures(outcome)
        self._stream.flush()

    def end(self, stale: list[Path], durations: int) -> None:
        """Reports the summary of all files, with the `durations` slowest ones and the stale `.out` files."""
        for path in stale:
            self._write(
                f"stale {path}: there is no {path.with_suffix('.sql').name}. Delete it, or bring the script back."
            )
        if durations:
            self._print_durations(durations)
        failed = self.failed
        if len(failed) > 1:
            self._write("failed:")
            for path in failed:
                self._write(f"     {path}")
        total = len(self.outcomes)
        counts = [f"{total - len(failed) - self._rewritten} passed", f"{len(failed)} failed"]
        counts += [f"{self._rewritten} rewritten"] if self._accept else []
        self._write(f"{counted(total, 'files')}: {', '.join(counts)}")
        if self._by_statement:
            self._write(summary((outcome.expected or "", outcome.actual) for outcome, _ in self.outcomes))

    def _print_accepted(self, accepted: list[str]) -> None:
        """Reports the errors in accepted output, as a statement that was meant to succeed may be among them."""
        if accepted:
            self._write(f"     {counted(len(accepted), 'errors')} accepted: {', '.join(sorted(set(accepted)))}")

    def _print_failures(self, outcome: GoldenOutcome) -> None:
        if outcome.is_outdated:
            self._write(f"     {OUTDATED}")
        for failure in outcome.failures:
            self._write(self._failure_text(failure))
            if outcome.expected is None and not outcome.defects:
                self._write(f"     {HOW_TO_ACCEPT}")
            if self._annotated:
                self._write(failure.annotation)

    def _failure_text(self, failure: OutputFailure) -> str:
        head, *lines = str(failure).splitlines()
        return "\n".join([self._painted(head, _BOLD), *map(self._coloured_change, lines)])

    def _coloured_change(self, line: str) -> str:
        return self._painted(line, {"-": _RED, "+": _GREEN}.get(line[:1], ""))

    def _painted(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_END}" if self._coloured and colour else text

    def _print_durations(self, most: int) -> None:
        slowest = sorted((outcome for outcome, _ in self.outcomes), key=lambda outcome: -outcome.seconds)
        self._write("slowest:")
        for outcome in slowest[:most]:
            self._write(f"     {outcome.seconds:.2f} s  {outcome.path}")

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(target: Path, outcomes: Sequence[tuple[GoldenOutcome, bool]]) -> None:
    """Writes one test case per file; with each outcome, whether it passed. Raises OSError."""
    failed = sum(not passed for _, passed in outcomes)
    seconds = f"{sum(outcome.seconds for outcome, _ in outcomes):.3f}"
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0", "skipped": "0", "time": seconds}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "deltasql", **counts})
    for outcome, passed in outcomes:
        suite.append(_case(outcome, passed))
    ET.indent(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(target, encoding="utf-8", xml_declaration=True)


def _case(outcome: GoldenOutcome, passed: bool) -> ET.Element:
    path = outcome.path
    failures = () if passed else outcome.failures
    line = str(failures[0].line if failures else 1)
    case = ET.Element(
        "testcase",
        classname=_text(".".join(part for part in path.parent.parts if part not in {"/", ".", ".."})),
        name=_text(path.stem),
        file=_text(path.as_posix()),
        line=line,
        time=f"{outcome.seconds:.3f}",
    )
    for failure in failures:
        ET.SubElement(case, "failure", message=_text(failure.message)).text = _text(str(failure))
    return case


def _text(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
