"""Names of our own: told apart from one another, and kept in one place."""

from __future__ import annotations

from pathlib import Path

import deltasql
from deltasql.plan import hidden_names
from deltasql.schema.checks import HIDDEN_PREFIX

SOURCES = Path(deltasql.__file__).parent


def test_no_two_are_the_same() -> None:
    texts = (value for name, value in vars(hidden_names).items() if name.isupper() and name != "HIDDEN_PREFIX")
    names = [text for text in texts if isinstance(text, str) and text.startswith(HIDDEN_PREFIX)]
    assert len(set(names)) == len(names) > 30


def test_no_other_module_spells_one() -> None:
    found = {path.name for path in SOURCES.rglob("*.py") if HIDDEN_PREFIX in path.read_text(encoding="utf-8")}
    # The schema refuses columns that are called so, and it is below the plan.
    assert found == {"checks.py"}
