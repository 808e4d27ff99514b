"""The branches of UNION, INTERSECT and EXCEPT, each as a query of its own: their types must be alike on Sail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deltasql.sql.tokens import Token, closing, tokenize

_SETS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_SUSPECT = re.compile(rf"\b(?:{'|'.join(_SETS)})\b", re.IGNORECASE)
_BEHIND = frozenset({"ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"})
"""What stands behind the last branch and belongs to all of them."""
_BEGINS = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("})


def set_operations(sql: str) -> list[list[str]]:
    """The branches of each set operation of a query, at any depth, with the WITH clause of the whole."""
    if not _SUSPECT.search(sql):
        return []
    tokens = tokenize(sql)
    begin = behind_with(tokens)
    prefix = sql[: tokens[begin].start] if 0 < begin < len(tokens) else ""
    return [[prefix + branch for branch in branches] for branches in _operations(sql, tokens)]


def _operations(sql: str, tokens: Sequence[Token]) -> Iterator[list[str]]:
    groups = [(index + 1, closing(tokens, index)) for index, token in enumerate(tokens) if token.key == "("]
    for start, end in [(behind_with(tokens), len(tokens)), *groups]:
        branches = list(_branches(sql, tokens[start:end]))
        if len(branches) > 1:
            yield branches


def _branches(sql: str, tokens: Sequence[Token]) -> Iterator[str]:
    for first, end in _spans(tokens):
        if end > first and tokens[first].key in _BEGINS:
            yield sql[tokens[first].start : tokens[end - 1].end]


def _spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """From where to where each branch goes."""
    at = first = 0
    while at < len(tokens) and not (tokens[at].key in _BEHIND and at > first):
        if _divides(tokens, at):
            yield first, at
            at += 1
            at += at < len(tokens) and tokens[at].key in {"ALL", "DISTINCT"}
            first = at
        else:
            at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    yield first, min(at, len(tokens))


def _divides(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word stands between two branches, and not in `* EXCEPT (column)`."""
    return tokens[at].key in _SETS and not (tokens[at].key == "EXCEPT" and at > 0 and tokens[at - 1].key == "*")


def _is_set_operator(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is one, and no EXCEPT of a star."""
    key = tokens[at].key
    return key in _SETS and not (key == "EXCEPT" and at > 0 and tokens[at - 1].key == "*")


def behind_with(tokens: Sequence[Token]) -> int:
    """The index of what follows the WITH clause that a query begins with; 0 where it has none."""
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
