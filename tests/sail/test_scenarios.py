"""Scenarios of tests/oracle on Sail, against what delta-spark has said of them: a sample, one of each family or so.

All of them: DELTASQL_ENGINE=sail DELTASQL_NO_ORACLE=1 python -m pytest -m oracle tests/oracle/test_scenarios.py
"""

from __future__ import annotations

import pytest

from tests.oracle.scenario import scenarios
from tests.sail.process import SailProcess

_SHARE = 24
_DIFFER = {
    "optimize: bins are not filled above the largest size": "files have other sizes",
    "vacuum: files that nobody needs": "files have other sizes",
    "widening: every pair, by ALTER COLUMN, with rows of before and after": "zeros at the end of a DECIMAL",
}
"""Scenarios that give something else there, and why: docs/sail.md tells it."""
SAMPLE = [item.id for item in scenarios() if item.id not in _DIFFER][::_SHARE]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_same_as_delta_spark(sail: SailProcess, name: str) -> None:
    answer = sail.scenario(name)
    if answer["refused"]:
        pytest.skip("refused on Sail")
    assert not answer["defects"], "\n" + "\n\n".join(answer["defects"])
