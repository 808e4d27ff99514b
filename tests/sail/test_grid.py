"""No expression of the grid gives on Sail another answer than on Spark: the same, an error, or a refusal by name.

DELTASQL_GRID=all asks all of them; else it is a sample, and the checks themselves are held by tests/unit/sql.
"""

from __future__ import annotations

import json
import os

from tests.sail.grid import ANSWERS, difference, expressions, is_known
from tests.sail.process import SailProcess

_KEPT = json.loads(ANSWERS.read_text(encoding="utf-8"))
_EVERY = 1 if os.environ.get("DELTASQL_GRID") == "all" else 7


def test_all_is_kept() -> None:
    assert list(_KEPT) == expressions()


def test_no_other_answer(sail: SailProcess) -> None:
    asked = [sql for sql in expressions() if not is_known(sql, _KEPT[sql])][::_EVERY]
    found = {sql: difference(_KEPT[sql], sail.answer(sql)) for sql in asked}
    told = [f"{sql}: {text}" for sql, text in found.items() if text]
    assert not told, f"{len(told)} answers\n" + "\n".join(told)
