"""Tests with the mark `sail`: a process of PySpark's speaks either to a JVM or to Sail, so these have one of their own.

All of a file run in one such process, when the first of them is due.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

VARIABLE = "DELTASQL_TESTS_ON_SAIL"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.+?)(?: - |$)", re.MULTILINE)
_LEFT_OUT = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "DELTASQL_ENGINE")


def runs_here() -> bool:
    """Whether this is the process for tests on Sail."""
    return VARIABLE in os.environ


def failure(path: Path, test: str) -> str:
    """Output of a file's tests in a process of their own, if `test` fails there; else an empty text."""
    code, printed = _run(path)
    failed = _FAILED.findall(printed)
    is_whole = code == 0 or (code == 1 and failed)
    return printed if test in failed or not is_whole else ""


@cache
def _run(path: Path) -> tuple[int, str]:
    environment = {key: value for key, value in os.environ.items() if key not in _LEFT_OUT}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "sail", str(path)],
        env={**environment, VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return done.returncode, done.stdout + done.stderr
