"""Kept answers and scenarios belong together. What they say is for test_scenarios.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle import answers
from tests.oracle.answers import Said, as_kept, is_due, keep, kept
from tests.oracle.scenario import Scenario, Statement, scenarios


def test_each_answer_has_its_scenario() -> None:
    for family in {scenario.family for scenario in scenarios()}:
        asked = [scenario.name for scenario in scenarios() if scenario.family == family]
        assert answers.names(family) == asked, f"keep them with {answers.MODE}=record python -m pytest -m oracle"


def test_no_answer_tells_where_it_was_given() -> None:
    for path in answers.DIRECTORY.glob("*.jsonl"):
        assert "/tmp/" not in path.read_text(encoding="utf-8"), path.name


def test_an_answer_counts_for_its_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DIRECTORY", tmp_path)
    scenario = scenarios()[0]
    asked = Said([{"columns": [], "rows": [["/here/1/t", "/here/x"]]}, _failed("NAME", "at /here")], {})
    keep({scenario: as_kept(asked, Path("/here/1"))})
    answers._read.cache_clear()
    found = kept(scenario)
    assert found is not None
    assert found.outcomes[0]["rows"] == [["{dir}/t", "{root}/x"]]
    assert found.outcomes[1] == {"condition": "NAME", "sqlstate": "42000"}
    other = Scenario(scenario.family, scenario.name, (*scenario.statements, Statement("SELECT 1")))
    assert kept(other) is None
    answers._read.cache_clear()


@pytest.mark.parametrize(
    ("mode", "least", "most"), [("", 0, 0), ("kept", 0, 0), ("sample", 1, 200), ("all", 400, 9999)]
)
def test_who_is_asked(mode: str, least: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(answers.MODE, mode)
    assert least <= sum(map(is_due, scenarios())) <= most


def test_a_mode_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(answers.MODE, "some")
    with pytest.raises(AssertionError, match="it is one of kept, sample"):
        is_due(scenarios()[0])


def _failed(condition: str, message: str) -> dict[str, str]:
    return {"condition": condition, "sqlstate": "42000", "message": message}
