"""No expression of the grid gives on Sail another answer than on Spark: the same, an error, or a refusal by name.

DELTASQL_GRID=all asks all of them; else it is a sample, and the checks themselves are held by tests/unit/sql.
"""

from __future__ import annotations

import json
import os

from tests.sail.grid import ANSWERS, ZONES, difference, expressions, is_known
from tests.sail.process import SailProcess

_KEPT = json.loads(ANSWERS.read_text(encoding="utf-8"))
_EVERY = 1 if os.environ.get("DELTASQL_GRID") == "all" else 7


def test_all_is_kept() -> None:
    assert list(_KEPT) == [expression.key for expression in expressions()]


def test_no_other_answer(sail: SailProcess) -> None:
    asked = [item for item in expressions() if not is_known(item.sql, _KEPT[item.key])][::_EVERY]
    told = list[str]()
    for zone in ZONES:
        sail.rows(f"SET spark.sql.session.timeZone = {zone}")
        found = {item.key: difference(_KEPT[item.key], sail.answer(item.sql)) for item in asked if item.zone == zone}
        told += [f"{key}: {text}" for key, text in found.items() if text]
    sail.rows(f"SET spark.sql.session.timeZone = {ZONES[0]}")
    assert not told, f"{len(told)} answers\n" + "\n".join(told)
