"""Writers that die: each is a process of its own, forked from one that has imported what they need.

To start Python and import PyArrow takes ten times longer than what a writer does before it dies.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]

_NURSERY = """
import json, os, signal, sys, traceback
import pyarrow.parquet
import pytest
import deltasql.log.replay.snapshot
import deltasql.log.upkeep.checkpoint_writer
from deltasql.sql.parser import parse

parse("SELECT 1")
for line in sys.stdin:
    script, *arguments = json.loads(line)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        # One that hangs is killed by another signal than it is to die of.
        signal.alarm(60)
        sys.argv = ["-c", *arguments]
        code = 0
        try:
            exec(compile(script, "writer", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class _Nursery:
    """The process that they are forked from; it ends with this one."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - open as long as the process runs
        self._process = subprocess.Popen(
            [sys.executable, "-c", _NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )

    def close(self) -> None:
        self._process.communicate(timeout=60)
        self._errors.close()

    def ended(self, script: str, *arguments: str) -> tuple[int, str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        begin = self._errors.seek(0, os.SEEK_END)
        self._process.stdin.write(json.dumps([script, *arguments]) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        self._errors.seek(begin)
        errors = self._errors.read()
        assert told, errors
        return int(told), errors


@cache
def _nursery() -> _Nursery:
    nursery = _Nursery()
    atexit.register(nursery.close)
    return nursery


def die_at(moment: str, part: str, folder: str = "") -> None:
    """Has this process die when a file whose path holds `part` is stored, in a folder whose path holds `folder`.

    `moment` is before, staging (the bytes are there, and not the name), or after.
    """
    from deltasql.log.storage.local_store import LocalLogStore

    original = LocalLogStore.put_if_absent

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def fatal(self: LocalLogStore, path: str, data: bytes) -> bool:
        if folder not in self.root or part not in path:
            return original(self, path, data)
        if moment == "staging":
            setattr(os, "link", die)  # noqa: B010 - mypy allows no other way
            original(self, path, data)
        if moment == "after":
            original(self, path, data)
        die()
        return False

    setattr(LocalLogStore, "put_if_absent", fatal)  # noqa: B010 - mypy allows no other way


def ended(script: str, *arguments: str) -> tuple[int, str]:
    """How a process that ran a script of Python ended: its exit code, or minus its signal; and its stderr."""
    return _nursery().ended(script, *arguments)
