"""The branches of UNION, INTERSECT and EXCEPT, each as a query of its own: Sail requires the same types of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from deltasql.engines.sail.dialect.scopes import SETS, divides
from deltasql.plan.base import quote
from deltasql.sql.tokens import Token, closing, tokenize

_SUSPECT = re.compile(rf"\b(?:{'|'.join(SETS)})\b", re.IGNORECASE)
_BEHIND = frozenset({"ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"})
"""Keywords behind the last branch whose clauses apply to the whole set operation."""
_BEGINS = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("})


class Branch(NamedTuple):
    """One branch: its offsets in the query, and its text with the WITH clause of the whole."""

    start: int
    end: int
    query: str


def set_operations(sql: str) -> list[list[Branch]]:
    """The branches of each set operation of a query, the innermost last."""
    if not _SUSPECT.search(sql):
        return []
    tokens = tokenize(sql)
    begin = behind_with(tokens)
    prefix = sql[: tokens[begin].start] if 0 < begin < len(tokens) else ""
    groups = [(index + 1, closing(tokens, index)) for index, token in enumerate(tokens) if token.key == "("]
    operations = [
        [
            Branch(tokens[first].start, tokens[end - 1].end, prefix + sql[tokens[first].start : tokens[end - 1].end])
            for first, end in _spans(tokens[start:stop], start)
            if end > first and tokens[first].key in _BEGINS
        ]
        for start, stop in [(begin, len(tokens)), *groups]
    ]
    return [branches for branches in operations if len(branches) > 1]


def is_of_one_kind(sql: str, branches: Sequence[Branch]) -> bool:
    """Whether all branches are joined by the same operator: INTERSECT binds stronger than the others."""
    between = (sql[first.end : second.start] for first, second in pairwise(branches))
    return len({next((token.key for token in tokenize(text) if token.key in SETS), "") for text in between}) == 1


def cast_branch(branch: str, names: Sequence[str], kinds: Sequence[str]) -> str:
    """A branch whose columns have these names, cast to types of SQL; "" leaves a column as it is."""
    tokens = tokenize(branch)
    if tokens[0].key == "(" and closing(tokens, 0) == len(tokens) - 1:
        branch = branch[tokens[0].end : tokens[-1].start]
    columns = [f"c{number}" for number in range(1, len(names) + 1)]
    listed = (
        f"{f'CAST({column} AS {kind})' if kind else column} AS {quote(name)}"
        for column, name, kind in zip(columns, names, kinds, strict=True)
    )
    return f"SELECT {', '.join(listed)} FROM ({branch}) AS branch({', '.join(columns)})"


def _spans(tokens: Sequence[Token], offset: int) -> Iterator[tuple[int, int]]:
    """The range of each branch, as indexes of all tokens."""
    at = first = 0
    while at < len(tokens) and not (tokens[at].key in _BEHIND and at > first):
        if divides(tokens, at):
            yield offset + first, offset + at
            at += 1
            at += at < len(tokens) and tokens[at].key in {"ALL", "DISTINCT"}
            first = at
        else:
            at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    yield offset + first, offset + min(at, len(tokens))


def behind_with(tokens: Sequence[Token]) -> int:
    """The index of the token behind the WITH clause of a query; 0 without one."""
    if not tokens or tokens[0].key != "WITH":
        return 0
    at = 1
    while at < len(tokens):
        if tokens[at].key in {"SELECT", "VALUES", "TABLE", "FROM"}:
            return at
        if tokens[at].key == "(":
            at = closing(tokens, at)
            # Behind the brackets of a common table expression another one, or the query, follows.
            if at + 1 < len(tokens) and tokens[at + 1].key == "(":
                return at + 1
        at += 1
    return 0
