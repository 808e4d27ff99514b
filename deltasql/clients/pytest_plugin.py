"""pytest plugin: collects golden files as tests, and provides fixtures for sessions and tables.

Every pytest of an environment loads it, so it imports nothing of deltasql before a test needs that. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from deltasql.clients.golden.suite import OutputFailure
    from deltasql.session import Session

ACCEPT = "--deltasql-accept"
ENGINE = "--deltasql-engine"
SUITES = "deltasql_suites"

_GOLDEN_HEADS = (b"-- statement", b"-- schedule")
"""First bytes of `.out` files of golden runs, which distinguish them from those of other programs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("deltasql", "golden files of SQL (deltasql)")
    group.addoption(ACCEPT, action="store_true", help="write what .sql files give as their new .out files")
    group.addoption(ENGINE, metavar="ENGINE", help="what runs the rows: spark, sail, or sc://HOST of Spark Connect")
    parser.addini(
        SUITES,
        "folders or files: their .sql files are golden files, and no others are. "
        "Without it, those with an .out file of a golden run beside them are.",
        type="paths",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".sql" and _is_golden(file_path, parent):
        return GoldenFile.from_parent(parent, path=file_path)
    if file_path.suffix == ".out" and not file_path.with_suffix(".sql").exists() and _is_output(file_path):
        text = f"{file_path}: there is no {file_path.stem}.sql. Delete the .out file, or bring the script back."
        parent.warn(pytest.PytestWarning(text))
    return None


def _is_golden(path: Path, parent: pytest.Collector) -> bool:
    suites: list[Path] = parent.config.getini(SUITES) or []
    if suites:
        return any(suite == path or suite in path.parents for suite in suites)
    if parent.session.isinitpath(path) or _is_output(path.with_suffix(".out")):
        return True
    # What is to become one is named on the command line: a whole project may have .sql files of other kinds.
    named = parent.config.args_source is pytest.Config.ArgsSource.ARGS
    return bool(
        named and parent.config.getoption(ACCEPT) and any(parent.session.isinitpath(folder) for folder in path.parents)
    )


def _is_output(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as stream:
        return stream.read(len(_GOLDEN_HEADS[0])).startswith(_GOLDEN_HEADS)
    return False


class GoldenFile(pytest.File):
    """A `.sql` file: one test, since its statements build on each other."""

    def collect(self) -> Iterable[pytest.Item]:
        yield GoldenItem.from_parent(self, name=self.path.stem)


class GoldenMismatchError(Exception):
    """The output of a golden file differs from its `.out` file."""

    def __init__(self, failures: tuple[OutputFailure, ...]) -> None:
        self.failures = failures
        super().__init__("\n".join(map(str, failures)))


class GoldenItem(pytest.Item):
    """Runs one golden file in a separate warehouse. `accepted`: it has written an `.out` file."""

    accepted = False

    def runtest(self) -> None:
        from deltasql.clients.golden import run_file

        outcome = run_file(self.path, _sessions(self.config))
        for warning in outcome.warnings:
            self.warn(pytest.PytestWarning(f"{self.path}: {warning}"))
        if self.config.getoption(ACCEPT) and not outcome.defects:
            self.accepted = outcome.expected != outcome.actual
            if self.accepted:
                outcome.accept()
            return
        if not outcome.ok:
            raise GoldenMismatchError(tuple(map(self._relative, outcome.failures)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from deltasql.base import DeltaSqlError

        if isinstance(excinfo.value, GoldenMismatchError):
            return _FailureReport(excinfo.value.failures)
        if isinstance(excinfo.value, DeltaSqlError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name

    def _relative(self, failure: OutputFailure) -> OutputFailure:
        """The failure with its path relative to the directory in which pytest was invoked."""
        from deltasql.clients.golden.suite import OutputFailure

        root = self.config.invocation_params.dir
        with suppress(ValueError):
            return OutputFailure(failure.file.relative_to(root), failure.line, failure.message, failure.diff)
        return failure


class _FailureReport:
    """Representation of a failed golden file, with the attributes that pytest's terminal report expects."""

    def __init__(self, failures: tuple[OutputFailure, ...]) -> None:
        self._failures = failures
        self.reprcrash = _Crash(failures)

    def toterminal(self, writer: Any) -> None:
        for failure in self._failures:
            head, *lines = str(failure).splitlines()
            writer.line(head, bold=True)
            for line in lines:
                writer.line(line, red=line.startswith("-"), green=line.startswith("+"))

    def __str__(self) -> str:
        return "\n".join(map(str, self._failures))


class _Crash:
    """Position of a failure and its message in pytest's summary, with the attributes that pytest expects."""

    def __init__(self, failures: tuple[OutputFailure, ...]) -> None:
        first, others = failures[0], len(failures) - 1
        self.path = str(first.file)
        self.lineno = first.line
        self.message = f"{first.file}:{first.line}: {first.message}" + (f", and {others} more" if others else "")

    def __str__(self) -> str:
        return self.message


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if isinstance(item, GoldenItem) and call.when == "call":
        # Attributes travel with the report where another process runs the test.
        error = call.excinfo.value if call.excinfo else None
        failures = error.failures if isinstance(error, GoldenMismatchError) else ()
        vars(report)["deltasql_annotations"] = [failure.annotation for failure in failures]
        vars(report)["deltasql_accepted"] = str(item.path.with_suffix(".out")) if item.accepted else ""
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("passed"):
        if accepted := getattr(report, "deltasql_accepted", ""):
            terminalreporter.write_line(f"new {accepted}")
    failed = [text for report in terminalreporter.getreports("failed") for text in _annotations(report)]
    if failed:
        from deltasql.clients.golden.suite import wants_annotations

        for text in failed if wants_annotations() else ():
            terminalreporter.write_line(text)


def _annotations(report: object) -> list[str]:
    return getattr(report, "deltasql_annotations", [])


def _sessions(config: pytest.Config) -> Callable[[str], Session]:
    from deltasql.base import requested_engine
    from deltasql.clients.golden import temporary_sessions

    return temporary_sessions(*requested_engine(config.getoption(ENGINE)))


@pytest.fixture
def deltasql_session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A deltasql session on a new warehouse, in UTC; Spark starts when a statement needs it, once for all tests."""
    from deltasql.base.errors import SessionClosedError

    session = _sessions(request.config)(str(tmp_path / "warehouse"))
    session.sql("SET spark.sql.session.timeZone = UTC")
    try:
        yield session
    finally:
        # Spark is shared with the tests that follow. The test may have closed the session.
        with suppress(SessionClosedError):
            session.sql("RESET")
        session.close()


@pytest.fixture
def deltasql_table(deltasql_session: Session) -> Callable[..., str]:
    """Creates a table: `deltasql_table(name, rows, schema="id INT, …")` returns its name. See docs/pytest.md."""
    from deltasql.clients.golden.record import create_table

    return partial(create_table, deltasql_session)
