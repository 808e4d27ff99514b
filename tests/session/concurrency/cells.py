"""Which cells of the matrices are run: cases by kinds of tables by isolation levels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.session.concurrency.play import LEVELS, SERIALIZABLE, Case

ALL_CELLS = "DELTASQL_ALL_CELLS"
"""Set it to run every case on every kind of table at both levels, which takes three times as long."""


def cells(cases: Iterable[Case], kinds: str) -> list[Any]:
    """Parameters (case, kind, level). A case is run on its first kind, at both levels where these make a difference.

    On the other kinds, and where the levels make none, it is run at one of them, in turn.
    """
    return [
        pytest.param(case, kind, level, id=f"{case.name}-{kind}-{level}")
        for number, case in enumerate(cases)
        for kind, level in _chosen(case, case.kinds or kinds, number)
    ]


def _chosen(case: Case, kinds: str, number: int) -> Iterator[tuple[str, str]]:
    for place, kind in enumerate(kinds.split()):
        own = SERIALIZABLE if case.comes_first else LEVELS[(number + place) % 2]
        both = ALL_CELLS in os.environ or (case.comes_first and place == 0)
        yield from ((kind, level) for level in LEVELS if both or level == own)
