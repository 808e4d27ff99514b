"""`deltasql test`: runs a suite and reports the differences."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

from deltasql.errors.usage import ReportNotWrittenError
from deltasql.golden.junit import write_junit
from deltasql.golden.last_failed import LastFailed
from deltasql.golden.parallel import run_files
from deltasql.golden.report import Report
from deltasql.golden.suite import GoldenOutcome, SessionFactory, discover, stale_outputs, temporary_sessions
from deltasql.settings.engines import chosen_engine


def run_suite(
    directory: Path,
    *,
    only: str = "",
    accept: bool = False,
    jobs: int = 1,
    spark: str | None = None,
    engine: str | None = None,
    sessions: SessionFactory | None = None,
    out: TextIO | None = None,
    exit_first: bool = False,
    last_failed: bool = False,
    durations: int = 0,
    junit: Path | None = None,
) -> bool:
    """Whether every file gave what it should; with `accept`, the `.out` files are rewritten and only defects fail.

    `jobs` as for `run_files`. `exit_first` ends with the first file that fails; `last_failed` runs those alone that
    failed when they ran last, or all if there are none. `durations` of the slowest files are listed, and `junit` is a
    file for JUnit's XML. Raises NoGoldenFilesError, UnknownDirectiveError, ScheduleError, ReportNotWrittenError.
    """
    report = Report(
        out or sys.stdout, accept, by_statement=chosen_engine(engine, has_spark=spark is not None) == "sail"
    )
    memory = LastFailed(directory)
    files = discover(directory, only)
    if last_failed:
        files = _failed(files, memory) or files
    # Closed at once whatever happens here, so that no worker outlives the command.
    with closing(run_files(files, sessions or temporary_sessions(spark, engine), jobs)) as outcomes:
        for outcome in outcomes:
            report.add(outcome, accept and _accepted(outcome))
            if exit_first and report.failed:
                break
    memory.write([outcome.path for outcome, _ in report.outcomes], report.failed)
    report.end(stale_outputs(directory, only), durations)
    if junit is not None:
        _write(junit, report)
    return not report.failed


def _failed(files: Sequence[Path], memory: LastFailed) -> list[Path]:
    failed = memory.read()
    return [path for path in files if path.resolve() in failed]


def _accepted(outcome: GoldenOutcome) -> bool:
    """Whether the `.out` file was rewritten, which no defect may be."""
    differs = outcome.expected != outcome.actual and not outcome.defects
    if differs:
        outcome.accept()
    return differs


def _write(junit: Path, report: Report) -> None:
    try:
        write_junit(junit, report.outcomes)
    except OSError as error:
        raise ReportNotWrittenError(path=str(junit), reason=error.strerror or str(error)) from None
