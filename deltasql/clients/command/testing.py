"""The options of `deltasql test`, and files of SQL that the command line names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deltasql.base import errors


def add_options(test: argparse.ArgumentParser) -> None:
    """The files to run, and the reports on them."""
    test.add_argument("directory", metavar="DIR", type=Path, help="a directory of .sql files, or one file")
    test.add_argument("-k", dest="only", metavar="TEXT", default="", help="only files whose path holds TEXT")
    test.add_argument("--accept", action="store_true", help="write what came out as the new .out files")
    test.add_argument("-x", "--exitfirst", dest="exit_first", action="store_true", help="stop at the first failure")
    test.add_argument("--last-failed", action="store_true", help="only files that failed in their last run, if any")
    test.add_argument("--durations", metavar="N", type=int, default=0, help="list the N slowest files")
    test.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit's XML, for CI servers")
    test.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        default="auto",
        help="processes for the files that expect no JVM, in suites with many of them; auto: one per CPU (%(default)s)",
    )


def _jobs(text: str) -> int:
    """A number of processes; 0 for auto. Raises ArgumentTypeError."""
    if text == "auto":
        return 0
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor auto")
    return int(text)


def read_script(path: str) -> str:
    """The text of a file, or of stdin for `-`. Raises ScriptUnreadableError."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise errors.ScriptUnreadableError(path=path, reason=reason) from None
    return text.removeprefix("\ufeff")


def shown_name(path: str) -> str:
    """The name of a file in messages."""
    return "<stdin>" if path == "-" else path
