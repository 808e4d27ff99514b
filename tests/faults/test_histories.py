"""A short history of processes, and histories that no order explains: see `tests.faults.histories`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .serial_order import Operation, Row, faults

_ROOT = Path(__file__).parents[2]
_ZERO: list[Row] = [("c", 0, 0, "")]
_ONE: list[Row] = [("c", 0, 1, "a")]
_ADDED: list[Row] = [("c", 0, 0, ""), ("l", 0, 0, "a")]


@pytest.mark.parametrize("troubles", [[], ["clock"], ["full-disk", "read-only"]])
def test_processes_that_are_killed(troubles: list[str]) -> None:
    if "full-disk" in troubles and (not hasattr(os, "geteuid") or os.geteuid() != 0):
        pytest.skip("only root mounts a disk")
    command = [sys.executable, "-m", "tests.faults.histories", "--minutes", "0.08", "--processes", "2", "--tables", "1"]
    command += ["--kill-every", "2", "--troubles", *troubles]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=240, check=False)
    if "full-disk" in troubles and "mount" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def _read(rows: list[Row], begin: float, end: float) -> Operation:
    return Operation("read", "r", begin, end=end, rows=tuple(rows))


_INCREMENT = Operation("increment", "a", 1, (0,), end=2, version=1)
_KILLED = Operation("append", "a", 1, (0,))


@pytest.mark.parametrize(
    ("operations", "versions"),
    [
        ([_INCREMENT], [_ZERO, _ONE]),
        ([_INCREMENT, _read(_ZERO, 0, 1.5), _read(_ONE, 1.2, 1.6)], [_ZERO, _ONE]),
        ([_KILLED, _read(_ADDED, 3, 4)], [_ZERO, _ADDED]),
        ([_KILLED], [_ZERO]),
        ([Operation("layout", "a", 1, end=2, version=1)], [_ZERO, _ZERO]),
    ],
)
def test_what_an_order_explains(operations: list[Operation], versions: list[list[Row]]) -> None:
    assert list(faults(operations, versions)) == []


@pytest.mark.parametrize(
    ("operations", "versions", "told"),
    [
        ([_INCREMENT], [_ZERO, _ZERO], "is not what"),
        ([_INCREMENT], [_ZERO], "is taken or not there"),
        ([], [_ZERO, _ADDED], "no statement explains version 1"),
        ([_INCREMENT, _read(_ZERO, 3, 4)], [_ZERO, _ONE], "had been told before it began"),
        ([_INCREMENT, _read(_ONE, 0, 0.5)], [_ZERO, _ONE], "before it was begun"),
        ([_INCREMENT, _read(_ADDED, 0, 5)], [_ZERO, _ONE], "fits no version"),
        ([_INCREMENT, _read(_ONE, 1.1, 1.3), _read(_ZERO, 1.4, 1.5)], [_ZERO, _ONE], "had been told before it began"),
        (
            [
                Operation("layout", "b", 5, end=6, version=1),
                Operation("append", "a", 1, (0,), end=2, version=2),
            ],
            [_ZERO, _ZERO, _ADDED],
            "of an earlier version began",
        ),
    ],
)
def test_what_no_order_explains(operations: list[Operation], versions: list[list[Row]], told: str) -> None:
    (fault,) = faults(operations, versions)
    assert told in fault
