"""Runs the selected scenarios that want an answer on the oracle in the background, while ours runs in front."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.oracle.answers import Said, as_kept, is_due, keep, kept, mode
from tests.oracle.client import NO_ORACLE, Oracle, Outcome, oracle
from tests.oracle.scenario import Scenario
from tests.oracle.state import tables


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The oracle speaks of times in UTC, wherever it was asked."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(scope="session")
def said(request: pytest.FixtureRequest) -> Iterator[Callable[[Scenario], Said]]:
    """The oracle's side of a scenario. All selected ones that are to be asked were handed over at once."""
    running: dict[str, _Asked] = {}
    for item in request.session.items:
        parameters = getattr(item, "callspec", None)
        scenario = parameters.params.get("scenario") if parameters is not None else None
        if (
            isinstance(scenario, Scenario)
            and not os.environ.get(NO_ORACLE)
            and (is_due(scenario) or not kept(scenario))
        ):
            running[scenario.id] = _asked(oracle(), scenario, len(running))
    new: dict[Scenario, Said] = {}

    def answer(scenario: Scenario) -> Said:
        if scenario.id not in running:
            known = kept(scenario)
            return known or pytest.skip(f"{NO_ORACLE} is set, and no answer is kept")
        asked = running[scenario.id]
        found = Said(asked.outcomes.result(600), tables(asked.directory))
        new[scenario] = as_kept(found, asked.directory)
        return found

    yield answer
    if mode() == "record":
        keep(new)


@dataclass(frozen=True, slots=True)
class _Asked:
    outcomes: Future[list[Outcome]]
    directory: Path


def _asked(engine: Oracle, scenario: Scenario, number: int) -> _Asked:
    directory = engine.root / f"scenario{number}"
    directory.mkdir()
    texts = [statement.text.replace("{dir}", str(directory / "own")) for statement in scenario.statements]
    return _Asked(engine.submit(texts, directory), directory)
