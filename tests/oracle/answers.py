"""What the oracle has said of each scenario, kept beside the scenarios: answers/<family>.jsonl, a line for each.

Scripts of tests/ways/differential are scenarios as well, of the family RANDOM, which stand in no file.

The same release says the same of the same SQL, so a kept answer judges as well as a new one, and in no time. One counts
while its key fits: the SQL, the oracle's settings, the releases of all engines, and what of a table is compared.

DELTASQL_ORACLE says who is asked: nothing or `kept` only those without an answer, `sample` besides a sixteenth,
which DELTASQL_TESTS_SEED chooses, `all` everybody, and `record` everybody, whose answers are then kept.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests import samples
from tests.oracle.client import ENGINE, Outcome
from tests.oracle.compare import condition_of
from tests.oracle.scenario import Scenario, scenarios
from tests.oracle.state import FORM, State

DIRECTORY = Path(__file__).with_name("answers")
MODE = "DELTASQL_ORACLE"
MODES = ("kept", "sample", "all", "record")
RANDOM = "random"
_SHARES = 16


@dataclass(frozen=True, slots=True)
class Said:
    """The oracle's outcome of each statement, and the tables that the scenario left."""

    outcomes: list[Outcome]
    tables: dict[str, State]


def mode() -> str:
    found = os.environ.get(MODE) or "kept"
    assert found in MODES, f"{MODE}={found}: it is one of {', '.join(MODES)}"
    return found


def is_due(scenario: Scenario) -> bool:
    """Whether the oracle is to be asked although its answer is kept."""
    match mode():
        case "all" | "record":
            return True
        case "sample":
            return samples.draws(scenario.id, _SHARES)
    return False


def kept(scenario: Scenario) -> Said | None:
    """The answer that is kept and still counts."""
    found = _read(scenario.family).get(scenario.name)
    if found is None or found["key"] != _key(scenario):
        return None
    return Said(found["outcomes"], found["tables"])


def as_kept(said: Said, directory: Path) -> Said:
    """An answer without what belongs to one run: where its tables lay, and the words of its errors."""
    outcomes = [
        {"condition": condition_of(item), "sqlstate": item["sqlstate"]} if "condition" in item else item
        for item in said.outcomes
    ]
    text = json.dumps([outcomes, said.tables])
    text = text.replace(str(directory), "{dir}").replace(str(directory.parent), "{root}")
    return Said(*json.loads(text))


def keep(answers: Mapping[Scenario, Said]) -> None:
    """Writes answers, as `as_kept` gives them, to their families' files; what no scenario asks any more goes."""
    for family in {scenario.family for scenario in answers}:
        lines = _read(family)
        for scenario, said in answers.items():
            if scenario.family == family:
                body = {"outcomes": said.outcomes, "tables": said.tables}
                lines[scenario.name] = {"name": scenario.name, "key": _key(scenario), **body}
        names = sorted(lines) if family == RANDOM else [item.name for item in scenarios() if item.family == family]
        texts = [json.dumps(lines[name], ensure_ascii=False, separators=(",", ":")) for name in names if name in lines]
        DIRECTORY.mkdir(exist_ok=True)
        _path(family).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def names(family: str) -> list[str]:
    """The scenarios of which something is kept."""
    return list(_read(family))


@functools.cache
def _read(family: str) -> dict[str, Any]:
    if not _path(family).exists():
        return {}
    lines = [json.loads(line) for line in _path(family).read_text(encoding="utf-8").splitlines()]
    return {line["name"]: line for line in lines}


def _path(family: str) -> Path:
    return DIRECTORY / f"{family}.jsonl"


def _key(scenario: Scenario) -> str:
    return _hash(_releases(), *(statement.text for statement in scenario.statements))


@functools.cache
def _releases() -> str:
    return _hash(ENGINE.read_text(encoding="utf-8"), FORM, version("pyspark"), version("deltalake"))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
