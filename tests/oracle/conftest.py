"""Runs every selected scenario on the oracle in the background while ours runs in front.

What the oracle said of a scenario is kept in pytest's cache: the same release says the same of the same SQL. To ask
again: pytest --cache-clear.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pytest

from oracle.client import ENGINE, Oracle, Outcome, oracle
from oracle.scenario import Scenario
from oracle.state import FORM, State, tables


@dataclass(frozen=True, slots=True)
class Said:
    """The oracle's outcome of each statement, and the tables that the scenario left."""

    outcomes: list[Outcome]
    tables: dict[str, State]


@pytest.fixture(scope="session")
def said(request: pytest.FixtureRequest) -> Callable[[Scenario], Said]:
    """The oracle's side of a scenario. All selected ones that are not in the cache were handed over at once."""
    cache = Path(request.config.cache.mkdir("oracle")) if request.config.cache else None
    running: dict[str, _Asked] = {}
    for item in request.session.items:
        parameters = getattr(item, "callspec", None)
        scenario = parameters.params.get("scenario") if parameters is not None else None
        if isinstance(scenario, Scenario):
            kept = cache / f"{_key(scenario)}.json" if cache else None
            if kept is None or not kept.exists():
                running[scenario.id] = _asked(oracle(), scenario, len(running))

    def answer(scenario: Scenario) -> Said:
        kept = cache / f"{_key(scenario)}.json" if cache else None
        if scenario.id not in running:
            assert kept is not None
            return Said(**json.loads(kept.read_text(encoding="utf-8")))
        asked = running[scenario.id]
        found = Said(asked.outcomes.result(600), tables(asked.directory))
        if kept is not None:
            kept.write_text(json.dumps({"outcomes": found.outcomes, "tables": found.tables}), encoding="utf-8")
        return found

    return answer


@dataclass(frozen=True, slots=True)
class _Asked:
    outcomes: Future[list[Outcome]]
    directory: Path


def _asked(engine: Oracle, scenario: Scenario, number: int) -> _Asked:
    directory = engine.root / f"scenario{number}"
    directory.mkdir()
    texts = [statement.text.replace("{dir}", str(directory / "own")) for statement in scenario.statements]
    return _Asked(engine.submit(texts, directory), directory)


def _key(scenario: Scenario) -> str:
    """Changes with the SQL, the oracle's release and settings, and what of a table is compared."""
    parts = [statement.text for statement in scenario.statements]
    parts += [ENGINE.read_text(encoding="utf-8"), FORM]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
