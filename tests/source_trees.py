"""Syntax trees of the package's modules, for the tests that check its source text."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "deltasql"


@cache
def trees() -> dict[str, ast.Module]:
    """The tree of each module, by its path in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def refuse(wrong: list[str]) -> None:
    """Fails with the list of violations, if there is one."""
    assert not wrong, "\n".join(wrong)
