"""Finds, runs, compares and accepts golden files."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from deltasql.base.errors.usage import NoGoldenFilesError
from deltasql.base.settings.session_settings import FSYNC
from deltasql.clients.golden.compare import SCHEDULE, TITLE, Change, changes, difference, hides
from deltasql.clients.golden.failures import OutputFailure
from deltasql.clients.golden.record import Block, Recorder
from deltasql.clients.golden.schedules.concurrency import ScenarioRun
from deltasql.clients.golden.schedules.schedule import Scenario, read_scenario
from deltasql.clients.golden.script import GoldenScript, read_script
from deltasql.session.opening import connect
from deltasql.session.session import Session

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
        raise NoGoldenFilesError(place=f"under {root}{note}")
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
    session = factory(str(warehouse))
    try:
        session.sql("SET spark.sql.session.timeZone = UTC")
        recorder = Recorder(warehouse, script=script.text)
        blocks: list[Block] = []
        starter = 0
        for statement in script.statements:
            blocks.append(recorder.record(statement, session))
            starter = starter or (statement.position.line if session.spark_started else 0)
        return blocks, starter
    finally:
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
    session.settings.set(FSYNC.name, "false")
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
