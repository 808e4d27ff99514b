"""How deep a text for Sail may be nested: its planner takes exponential time below CASE and CAST, and its stack ends.

Measured on Sail 0.7.2: 14 checked signs take 2 seconds and each further one doubles that, 12 pairs of casts take 2
seconds, and a sum of 1,000 terms ends the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltasql.base import errors
from deltasql.sql import Token, tokenize

MOST_TERMS = 256
"""Terms of one sum, or of one row of `||`."""
_MOST = {"CASE": 14, "CAST": 12, "(": 100}
_CASTS = frozenset({"CAST", "TRY_CAST"})
_SHORT = 100
"""A text of fewer characters cannot be nested too deep."""


def check_nesting(sql: str) -> str:
    """`sql`, unless Sail could not plan it in bounded time. Raises NotOnSailError."""
    if len(sql) < _SHORT:
        return sql
    depth = dict.fromkeys(_MOST, 0)
    for kind, change in _changes(tokenize(sql)):
        depth[kind] += change
        if depth[kind] > _MOST[kind]:
            what = {"CASE": "CASE, or operators that are checked,", "CAST": "casts", "(": "brackets"}[kind]
            raise errors.NotOnSailError(what=f"{what} nested more than {_MOST[kind]} deep")
    return sql


def _changes(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    opened = list[bool]()
    for at, token in enumerate(tokens):
        if token.key == "(":
            opened.append(at > 0 and tokens[at - 1].key in _CASTS)
            yield "(", 1
            if opened[-1]:
                yield "CAST", 1
        elif token.key == ")" and opened:
            yield "(", -1
            if opened.pop():
                yield "CAST", -1
        elif token.key in {"CASE", "END"}:
            yield "CASE", 1 if token.key == "CASE" else -1
