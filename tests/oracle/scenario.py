"""Scenario files: SQL in blocks. A block runs on both engines over tables of its own.

    -- name: values in the order of the columns
    CREATE TABLE t (a INT) USING delta;
    -- differs: insert-result
    INSERT INTO t VALUES (1);

`-- differs: key [CONDITION]` marks the next statement: the engines disagree there, for the reason that
docs/differences.md gives under that key, and ours fails with CONDITION if one is given. `-- state differs: key` says
the same of the tables that the block leaves. `{dir}` in the SQL is a directory of the engine's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from deltasql.sql.parser import split

DIRECTORY = Path(__file__).parent / "scenarios"
_NAME = re.compile(r"^-- name: (.*)$", re.MULTILINE)
_DIFFERS = re.compile(r"^-- differs: (\S+)(?: (\S+))?$", re.MULTILINE)
_STATE = re.compile(r"^-- state differs: (\S+)$", re.MULTILINE)
_COMMENT = re.compile(r"\A(?:\s*--[^\n]*(?:\n|\Z))*\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """`differs` is a key of docs/differences.md, `condition` the error that only we raise there."""

    text: str
    differs: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One block of a file."""

    family: str
    name: str
    statements: tuple[Statement, ...]
    state_differs: str | None = None

    @property
    def id(self) -> str:
        return f"{self.family}: {self.name}"


def scenarios() -> list[Scenario]:
    """All blocks of all files."""
    return [scenario for path in sorted(DIRECTORY.glob("*.sql")) for scenario in read(path)]


def read(path: Path) -> list[Scenario]:
    """The blocks of one file."""
    pieces = _NAME.split(path.read_text(encoding="utf-8"))[1:]
    return [_block(path.stem, name.strip(), body) for name, body in zip(pieces[::2], pieces[1::2], strict=True)]


def _block(family: str, name: str, body: str) -> Scenario:
    state = _STATE.search(body)
    statements = tuple(_statement(item.text) for item in split(body))
    return Scenario(family, name, tuple(item for item in statements if item.text), state[1] if state else None)


def _statement(text: str) -> Statement:
    comments = _COMMENT.match(text)
    assert comments is not None
    mark = _DIFFERS.search(comments[0])
    body = text[comments.end() :].strip()
    return Statement(body, mark[1], mark[2]) if mark else Statement(body)
