"""Which tests a worker gets together, and which come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scheduling import RANKS, SPLIT, TOGETHER, rank, scope

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/interop/test_clones.py::test_x[a::b]", "delta-spark"),
        ("tests/oracle/test_scenarios.py::test_scenario[a]", "delta-spark"),
        ("tests/oracle/test_answers.py::test_x", "tests/oracle/test_answers.py"),
        ("tests/test_goldens.py::test_golden[a::b/c]", "tests/test_goldens.py::test_golden[a::b/c]"),
        ("tests/unit/log/test_x.py::test_y[a::b]", "tests/unit/log/test_x.py"),
    ],
)
def test_what_stays_together(test: str, expected: str) -> None:
    assert scope(test) == expected


def test_the_long_ones_come_first() -> None:
    scopes = [
        "tests/unit/a.py",
        "tests/test_a.py::test_b[tests/unit/]",
        "tests/clusters/a.py",
        "connectors",
        "delta-spark",
    ]
    assert sorted(scopes, key=rank) == scopes[::-1]


def test_all_that_is_named_is_there() -> None:
    named = [*SPLIT, *(place for files in TOGETHER.values() for place in files), *(set(RANKS) - set(TOGETHER))]
    assert [place for place in named if not (ROOT / place).exists()] == []
