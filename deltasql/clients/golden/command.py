"""`deltasql test`: runs a suite and reports the differences.

The files of a suite that failed in its last run, stored in the user's cache outside of the project.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TextIO

from deltasql.base.errors.usage import ReportNotWrittenError
from deltasql.base.settings.engines import chosen_engine
from deltasql.clients.golden.parallel import run_files
from deltasql.clients.golden.report import Report, write_junit
from deltasql.clients.golden.suite import GoldenOutcome, SessionFactory, discover, stale_outputs, temporary_sessions


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


class LastFailed:
    """The failed files of the suite at a path; empty where the cache cannot be written."""

    def __init__(self, directory: Path) -> None:
        self._path = _record_path(directory)

    def read(self) -> set[Path]:
        """Resolved paths."""
        with suppress(OSError, ValueError, TypeError):
            if self._path is not None:
                return {Path(path) for path in json.loads(self._path.read_text(encoding="utf-8"))}
        return set()

    def write(self, ran: Iterable[Path], failed: Iterable[Path]) -> None:
        """Of the files that ran, `failed` are those that did; what is known of others stays."""
        paths = self.read().difference(path.resolve() for path in ran) | {path.resolve() for path in failed}
        if self._path is None:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(sorted(map(str, paths))), encoding="utf-8")


def _record_path(directory: Path) -> Path | None:
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:
        # There is no home directory.
        return None
    name = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return root / "deltasql" / "last-failed" / f"{name}.json" if root.is_absolute() else None
