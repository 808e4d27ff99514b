"""No error shows a name that deltasql made up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hidden_names import hidden_names

GOLDEN = Path(__file__).parent / "golden"
_BLOCK = re.compile(r"^-- statement.*?$\n(.*?)(?=^-- statement|\Z)", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*.out")), ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_golden_errors(path: Path) -> None:
    for block in _BLOCK.findall(path.read_text(encoding="utf-8")):
        statement, error, rest = block.partition("-- error ")
        message = rest.partition("\n== SQL")[0]
        assert not error or not hidden_names(message, statement), block


def test_what_counts() -> None:
    assert hidden_names("cannot cast __deltasql_1", "INSERT INTO t SELECT 1") == ["__deltasql_1"]
    assert hidden_names("DELTASQL_CAST|a|b", "") == ["DELTASQL_CAST|"]
    assert not hidden_names("no column __x1", "SELECT __x1")
