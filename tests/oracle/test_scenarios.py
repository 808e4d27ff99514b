"""Both engines run the same SQL: rows, columns, errors and the tables that are left must be the same.

Where they are not, a mark in the scenario names the reason in docs/differences.md; a mark that is not needed fails too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from tests.oracle.answers import Said
from tests.oracle.compare import Outcome, difference, ours
from tests.oracle.differences import KEYS, comparable_state
from tests.oracle.scenario import Scenario, Statement, scenarios
from tests.oracle.state import State, tables

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::deltasql.plan.base.StatementWarning"),
]


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario, said: Callable[[Scenario], Said], tmp_path: Path) -> None:
    own = played(scenario, tmp_path)
    if is_refused(own):
        pytest.skip("refused on Sail")
    found = defects(scenario, said(scenario), own, tables(tmp_path))
    assert not found, "\n" + "\n\n".join(found)


def is_refused(own: list[Outcome]) -> bool:
    """Whether one of our outcomes is that Sail cannot do this."""
    return any(item.get("condition", "").startswith("UNSUPPORTED_FEATURE.SAIL") for item in own)


def played(scenario: Scenario, directory: Path, engine: str | None = None) -> list[Outcome]:
    """Our outcome of each statement, on `engine`, or that of the environment (DELTASQL_ENGINE)."""
    with deltasql.connect(str(directory / "warehouse"), engine=engine) as session:
        session.sql("SET spark.sql.session.timeZone = UTC")
        return [ours(session, item.text.replace("{dir}", str(directory / "own"))) for item in scenario.statements]


def defects(scenario: Scenario, theirs: Said, own: list[Outcome], own_tables: dict[str, State]) -> list[str]:
    """What is otherwise than the scenario says."""
    wrong: list[str] = []
    for statement, first, second in zip(scenario.statements, theirs.outcomes, own, strict=True):
        found = _judged(statement, difference(statement.text, first, second), second.get("condition"))
        if found:
            wrong.append(f"{statement.text}\n  {found}")
    left = _state_difference(theirs.tables, own_tables)
    if scenario.state_differs is None:
        wrong += left
    else:
        assert scenario.state_differs in KEYS, scenario.state_differs
        assert left, "the state does not differ: take the mark away"
    return wrong


def _judged(statement: Statement, found: str, condition: str | None) -> str:
    """What is wrong, given the statement's mark."""
    if statement.differs is None:
        return found
    if statement.differs not in KEYS:
        return f"docs/differences.md has no key {statement.differs}"
    if not found:
        return "the engines agree: take the mark away"
    if statement.condition != condition:
        return f"marked as {statement.condition or 'no error'} of ours:\n  {found}"
    return ""


def _state_difference(theirs: dict[str, State], own: dict[str, State]) -> list[str]:
    theirs, own = (comparable_state(state) for state in json.loads(json.dumps([theirs, own])))
    if theirs.keys() != own.keys():
        return [f"tables\n  oracle: {sorted(theirs)}\n  ours:   {sorted(own)}"]
    return [
        f"{aspect} of {table}\n  oracle: {theirs[table][aspect]}\n  ours:   {own[table][aspect]}"
        for table in theirs
        for aspect in theirs[table]
        if theirs[table][aspect] != own[table][aspect]
    ]
