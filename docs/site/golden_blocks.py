"""Statements of the golden files and of the tables of refusals, with what came of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.refusals.table import FOLDER as REFUSALS
from tests.refusals.table import read

FOLDER = Path(__file__).parents[2] / "tests" / "golden"
_ERROR = re.compile(r"^-- error ([A-Z0-9_.]+) (\w{5})$")
_OUTCOME = re.compile(r"^-- (schema|error|log|metrics|warning|outcome)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A statement of a golden file and what came of it."""

    family: str
    file: str
    name: str
    sql: str
    outcome: str

    @property
    def condition(self) -> str:
        """The condition of its error, or nothing."""
        match = _ERROR.match(self.outcome.split("\n", 1)[0])
        return match[1] if match else ""


@functools.cache
def blocks() -> tuple[Block, ...]:
    """All statements of all golden files and of all tables of refusals."""
    goldens = tuple(block for path in sorted(FOLDER.rglob("*.out")) for block in _blocks(path))
    return goldens + tuple(block for path in sorted(REFUSALS.glob("*.txt")) for block in _refusals(path))


def _refusals(path: Path) -> Iterator[Block]:
    for section in read(path):
        for refusal in section.refusals:
            outcome = refusal.entry.rpartition("\n=> ")[2]
            yield Block(section.family, section.name, "", refusal.sql, f"-- error {' '.join(outcome.split(' ')[:2])}")


def _blocks(path: Path) -> Iterator[Block]:
    family, file = path.parent.name, path.stem
    for part in re.split(r"^-- statement", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        match = _OUTCOME.search(rest)
        sql, outcome = (rest, "") if match is None else (rest[: match.start()], rest[match.start() :])
        yield Block(family, file, head.removeprefix(":").strip(), sql.strip("\n"), outcome.strip("\n"))
