"""A sample of `hostile_tables`, which is to be run at length by hand after changes of how a log is read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from . import hostile_tables
from .hostile_mutations import places

# The tables are made on Sail.
pytestmark = pytest.mark.sail
_CASES, _SECONDS = 60, 20


def test_damaged_tables_give_an_answer_or_an_error_in_time(tmp_path: Path) -> None:
    hunt = hostile_tables.Hunt(tmp_path)
    end = time.monotonic() + _SECONDS
    for number in range(_CASES):
        hunt.run(f"sample/{number}")
        if time.monotonic() > end:
            break
    hunt.close()
    assert not hunt.report.faults, "\n".join(hunt.report.faults)
    assert hunt.report.outcomes["answer"]


def test_a_text_that_only_begins_like_json_is_one_place() -> None:
    vector = {"storageType": "u", "pathOrInlineDv": "[2oYwGmuXDG.6glp4DR<", "tags": '{"a": [1]}'}
    assert len(list(places(vector))) == 5
