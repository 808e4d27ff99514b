"""No expression of the grid gives on Sail another answer than on Spark: the same, an error, or a refusal by name."""

from __future__ import annotations

import json

import pytest

from tests.sail.grid import ANSWERS, difference, expressions
from tests.sail.process import SailProcess

_KEPT = json.loads(ANSWERS.read_text(encoding="utf-8"))
_SHARES = 4


def test_all_is_kept() -> None:
    assert list(_KEPT) == expressions()


@pytest.mark.parametrize("share", range(_SHARES))
def test_no_other_answer(sail: SailProcess, share: int) -> None:
    found = {sql: difference(_KEPT[sql], sail.answer(sql)) for sql in expressions()[share::_SHARES]}
    told = [f"{sql}: {text}" for sql, text in found.items() if text]
    assert not told, f"{len(told)} answers\n" + "\n".join(told)
