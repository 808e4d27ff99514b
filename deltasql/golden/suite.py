"""Golden files of a directory: found, run, compared, accepted."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from deltasql.errors.usage import NoGoldenFilesError
from deltasql.golden.compare import difference, hides
from deltasql.golden.concurrency import ScenarioRun
from deltasql.golden.record import Block, Recorder
from deltasql.golden.scenario import Scenario, read_scenario
from deltasql.golden.script import GoldenScript, read_script
from deltasql.session import connect
from deltasql.settings.session_settings import FSYNC

if TYPE_CHECKING:
    from deltasql.session import Session

SessionFactory: TypeAlias = "Callable[[str], Session]"
"""A new session on the warehouse of this path."""


@dataclass(frozen=True, slots=True)
class GoldenOutcome:
    """What one file gave. `expected` is None without an `.out` file; `defects` fail the file whatever it expects.

    `warnings` say which statements will give something else in the next run; they fail nothing.
    """

    path: Path
    expected: str | None
    actual: str
    defects: tuple[str, ...] = ()
    statements: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    @property
    def is_outdated(self) -> bool:
        """Whether the `.out` file differs in nothing but values that it hides and this version does not."""
        return self.expected is not None and self.expected != self.actual and hides(self.expected, self.actual)

    @property
    def diff(self) -> str:
        """ "" when all is as expected, else what differs, per statement."""
        return difference(self.expected or "", self.actual)

    @property
    def ok(self) -> bool:
        return self.expected == self.actual and not self.defects

    def accept(self) -> None:
        """Makes what came out the expectation."""
        output_path(self.path).write_text(self.actual, encoding="utf-8")


def discover(directory: Path | str, only: str = "") -> list[Path]:
    """The `.sql` files under a directory (or the one file), sorted; only those whose path holds `only`.

    Raises NoGoldenFilesError when there is none.
    """
    root = Path(directory)
    found = [root] if root.is_file() else sorted(root.rglob("*.sql"))
    kept = [path for path in found if only in str(path)]
    if not kept:
        note = f" whose path holds '{only}'" if found else ""
        raise NoGoldenFilesError(place=f"under {root}{note}")
    return kept


def output_path(path: Path) -> Path:
    return path.with_suffix(".out")


def expectation(path: Path) -> str | None:
    """What the file should give; None without an `.out` file."""
    expected = output_path(path)
    return expected.read_text(encoding="utf-8") if expected.exists() else None


def run_file(path: Path | str, session_factory: SessionFactory | None = None) -> GoldenOutcome:
    """Runs one file in a warehouse of its own, which is removed afterwards.

    Raises UnknownDirectiveError, ScheduleError.
    """
    path = Path(path)
    script = read_script(path)
    scenario = read_scenario(script) if script.is_scenario else None
    factory = session_factory or temporary_sessions()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="deltasql-golden-") as name, _utc():
        place = Path(name).resolve()
        blocks, spark_started = _run(script, factory, place) if scenario is None else _play(scenario, factory, place)
    defects = [block.defect for block in blocks if block.defect]
    if not script.jvm and spark_started:
        defects.append("The file says 'expect: no jvm', but a statement started Spark.")
    return GoldenOutcome(
        path,
        expectation(path),
        "\n".join(block.text for block in blocks),
        tuple(defects),
        len(blocks),
        time.perf_counter() - began,
        tuple(block.warning for block in blocks if block.warning),
    )


def _run(script: GoldenScript, factory: SessionFactory, place: Path) -> tuple[list[Block], bool]:
    """The blocks of a script whose statements run one after another; whether Spark was started."""
    warehouse = place / "warehouse"
    warehouse.mkdir()
    session = factory(str(warehouse))
    try:
        session.sql("SET spark.sql.session.timeZone = UTC")
        recorder = Recorder(warehouse, script=script.text)
        blocks = [recorder.record(statement, session) for statement in script.statements]
        return blocks, session.spark_started
    finally:
        # Spark is shared with the files that follow.
        session.sql("RESET")
        session.close()


def _play(scenario: Scenario, factory: SessionFactory, place: Path) -> tuple[list[Block], bool]:
    run = ScenarioRun(scenario, factory, place)
    return list(run.blocks()), run.spark_started


def temporary_sessions(spark: str | None = None) -> SessionFactory:
    """Sessions that share one Spark; settings do not pass from one file to the next. `spark` as for `connect`."""
    # The same number of cores everywhere: it decides how many files a statement writes.
    os.environ.setdefault("DELTASQL_MASTER", "local[2]")

    return partial(_open_session, spark=spark)


def _open_session(warehouse: str, spark: str | None) -> Session:
    session = connect(warehouse=warehouse, spark=spark)
    # Nobody reads these tables after a crash of the machine.
    session.settings.set(FSYNC.name, "false")
    return session


@contextmanager
def _utc() -> Iterator[None]:
    """This process in UTC for a while: times in results must not depend on the machine."""
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
