"""Short histories of transactions over several tables, and made-up ones that no order explains."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .group_histories import Row, Work, faults

_ROOT = Path(__file__).parents[2]
_ZERO: list[Row] = [("c", 0, 0, ""), ("c", 1, 0, "")]


@pytest.mark.parametrize(
    "command",
    [
        ["tests.faults.group_histories", "--histories", "4", "--seed", "10", "--processes"],
        ["tests.faults.transfers", "--seconds", "8", "--processes", "3", "--kill-every", "2"],
    ],
)
def test_processes_and_threads(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=_ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def _rows(n: int, tag: str) -> list[Row]:
    return [("c", 0, n, tag), ("c", 1, 0, "")]


def _told(works: list[Work], order: dict[str, list[str]], final: dict[str, list[Row]], *, strict: bool = True) -> str:
    return "; ".join(faults(works, order, final, strict=strict))


_BOTH = Work("t", 1, 2, raises=[("m0", 0), ("m1", 0)])
_FINAL = {"m0": _rows(1, "t"), "m1": _rows(1, "t")}
_ORDER = {"m0": ["t"], "m1": ["t"]}


def test_what_an_order_explains() -> None:
    before = Work("b", 1.5, 3, reads={"m0": _ZERO, "m1": _ZERO})
    after = Work("a", 1.5, 3, reads={"m0": _rows(1, "t"), "m1": _rows(1, "t")})
    assert _told([_BOTH, before, after], _ORDER, _FINAL) == ""


@pytest.mark.parametrize(
    ("works", "order", "final", "told"),
    [
        ([_BOTH], {"m0": ["t"], "m1": []}, {"m0": _rows(1, "t"), "m1": _ZERO}, "t is not in"),
        ([Work("t", 1, 2, failed=True)], {"m0": ["t"]}, {"m0": _ZERO}, "has failed"),
        ([_BOTH], _ORDER, {"m0": _rows(1, "t"), "m1": _ZERO}, "has lost a change"),
        ([_BOTH, Work("r", 1, 3, reads={"m0": _rows(1, "t"), "m1": _ZERO})], _ORDER, _FINAL, "in some tables only"),
        ([_BOTH, Work("r", 3, 4, reads={"m0": _ZERO})], _ORDER, _FINAL, "no order explains"),
        ([_BOTH, Work("r", 1, 4, reads={"m0": _rows(1, "x")})], _ORDER, _FINAL, "has read"),
        (
            [
                Work("t", 1, 2, raises=[("m0", 0)], reads={"m1": _ZERO}),
                Work("u", 1, 2, raises=[("m1", 0)], reads={"m0": _ZERO}),
            ],
            {"m0": ["t"], "m1": ["u"]},
            {"m0": _rows(1, "t"), "m1": _rows(1, "u")},
            "no order explains",
        ),
    ],
)
def test_what_no_order_explains(
    works: list[Work], order: dict[str, list[str]], final: dict[str, list[Row]], told: str
) -> None:
    assert told in _told(works, order, final)
