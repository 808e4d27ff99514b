"""`deltasql test`: runs a suite and tells what differs."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TextIO

from deltasql.golden.parallel import run_files
from deltasql.golden.suite import GoldenOutcome, SessionFactory, discover, temporary_sessions

OUTDATED = "The .out file hides values of your own, as earlier versions did. Run with --accept to renew it."


def run_suite(
    directory: Path,
    *,
    only: str = "",
    accept: bool = False,
    jobs: int = 1,
    spark: str | None = None,
    sessions: SessionFactory | None = None,
    out: TextIO | None = None,
) -> bool:
    """Whether every file gave what it should; with `accept`, the `.out` files are rewritten and only defects fail.

    `jobs` as for `run_files`. Raises NoGoldenFilesError, UnknownDirectiveError, ScheduleError.
    """
    stream = out or sys.stdout
    factory = sessions or temporary_sessions(spark)
    failed = changed = total = 0
    # Closed at once whatever happens here, so that no worker outlives the command.
    with closing(run_files(discover(directory, only), factory, jobs)) as outcomes:
        for outcome in outcomes:
            total += 1
            rewritten = accept and outcome.expected != outcome.actual and not outcome.defects
            if rewritten:
                outcome.accept()
                changed += 1
            failed += not outcome.ok and not rewritten
            _tell(outcome, rewritten, stream)
    passed = total - failed - changed
    counts = [f"{passed} passed", f"{failed} failed"] + ([f"{changed} rewritten"] if accept else [])
    stream.write(f"{total} file{'' if total == 1 else 's'}: {', '.join(counts)}\n")
    return failed == 0


def _tell(outcome: GoldenOutcome, rewritten: bool, stream: TextIO) -> None:
    state = "ok  " if outcome.ok else "new " if rewritten else "FAIL"
    stream.write(f"{state} {outcome.path} ({outcome.statements} statements, {outcome.seconds:.2f} s)\n")
    stream.writelines(f"     {defect}\n" for defect in outcome.defects)
    stream.writelines(f"     warning: {warning}\n" for warning in outcome.warnings)
    if outcome.is_outdated and not rewritten:
        stream.write(f"     {OUTDATED}\n")
    if outcome.expected is None and not rewritten and not outcome.defects:
        stream.write("     There is no .out file yet. Run with --accept to write it.\n")
    elif not outcome.ok and not rewritten:
        stream.write(outcome.diff + "\n")
    stream.flush()
