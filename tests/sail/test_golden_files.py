"""Golden files that hold on Sail as they do on Spark, to the last character: one of each kind of statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sail.process import SailProcess

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = (
    "insert/insert_overwrite",
    "insert/replace_on",
    "merge/void_columns",
    "optimize/reorg",
    "table/truncate_table",
    "transaction/change_data_feed",
)


@pytest.mark.parametrize("name", FILES)
def test_the_same_as_on_spark(sail: SailProcess, name: str) -> None:
    difference = sail.golden(GOLDEN / f"{name}.sql")
    assert not difference, "\n" + difference
