"""The scope of a part of a query: the FROM of its SELECT, and the WITH clauses of the queries around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from deltasql.sql.tokens import Token, closing

_BEHIND_FROM = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"}
    | {"UNION", "INTERSECT", "EXCEPT", "MINUS"}
)
SETS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_QUERIES = frozenset({"SELECT", "WITH"})


class SailScope(NamedTuple):
    """The scope of an expression: a WITH clause `before` it or "", and the FROM clause, its `relation`, or "".

    `names` are the aliases of the SELECT, in upper case, where they hide columns of the FROM: in clauses behind it.
    Outside of any query `is_query` is False.
    """

    before: str = ""
    relation: str = ""
    names: frozenset[str] = frozenset()
    is_query: bool = False


def scope_at(sql: str, tokens: Sequence[Token], at: int) -> SailScope:
    """The scope of the token at an index."""
    groups = [(0, len(tokens)), *_groups_around(tokens, at)]
    queries = [(start, end) for start, end in groups if start < end and tokens[start].key in _QUERIES]
    lists = [text for start, end in queries for text in _common_tables(sql, tokens, start, end, at)]
    before = f"WITH {', '.join(lists)} " if lists else ""
    return _selected(sql, tokens, queries[-1], at)._replace(before=before) if queries else SailScope()


def _selected(sql: str, tokens: Sequence[Token], query: tuple[int, int], at: int) -> SailScope:
    """The scope within the SELECT of a query that contains a token."""
    positions, end = list(_outside(tokens, *query)), query[1]
    select = max((index for index in positions if index <= at and tokens[index].key == "SELECT"), default=None)
    if select is None:
        return SailScope()
    behind = [index for index in positions if index > select]
    stop = _first(behind, end, lambda index: divides(tokens, index))
    begin = _first(behind, stop, lambda index: index < stop and tokens[index].key == "FROM")
    if begin == stop:
        return SailScope(is_query=True)
    last = _first(behind, end, lambda index: index > begin and tokens[index].key in _BEHIND_FROM)
    relation = sql[tokens[begin].start : tokens[last - 1].end]
    return SailScope(relation=relation, names=_hiding(tokens, range(select + 1, begin), last, at), is_query=True)


def _hiding(tokens: Sequence[Token], chosen: range, last: int, at: int) -> frozenset[str]:
    """The aliases of the columns `chosen`, for a token behind the FROM that ends at `last`, except in a WHERE."""
    if at <= last or tokens[last].key == "WHERE":
        return frozenset()
    return frozenset(_aliases(tokens, list(_outside(tokens, chosen.start, chosen.stop))))


def _first(positions: Sequence[int], otherwise: int, holds: Callable[[int], bool]) -> int:
    return next(filter(holds, positions), otherwise)


def _groups_around(tokens: Sequence[Token], at: int) -> Iterator[tuple[int, int]]:
    """The token range of each pair of brackets around a token, from the outermost."""
    opened = list[int]()
    for index in range(at):
        if tokens[index].key == "(":
            opened.append(index)
        elif tokens[index].key == ")" and opened:
            opened.pop()
    for index in opened:
        yield index + 1, min(closing(tokens, index), len(tokens))


def _common_tables(sql: str, tokens: Sequence[Token], start: int, end: int, at: int) -> Iterator[str]:
    """The `name AS (…)` of a query's WITH that end before a token."""
    if tokens[start].key != "WITH":
        return
    first = start + 1
    for index in _outside(tokens, start + 1, end):
        if index < first:
            continue
        if tokens[index].key == "(" and tokens[index - 1].key in {"AS", "MATERIALIZED"}:
            close = closing(tokens, index)
            if close >= at:
                return
            yield sql[tokens[first].start : tokens[close].end]
            if close + 1 >= end or tokens[close + 1].key != ",":
                return
            first = close + 2


def _aliases(tokens: Sequence[Token], positions: Sequence[int]) -> Iterator[str]:
    """Names behind AS, and names that stand alone behind a value."""
    for index in positions:
        token, before = tokens[index], tokens[index - 1]
        if token.key == "AS":
            continue
        behind_value = before.kind in {"string", "number", "quoted"} or before.key in {"AS", ")"}
        if token.is_name and (behind_value or (before.is_name and before.key not in {"SELECT", "DISTINCT", "ALL"})):
            yield token.name.upper()


def lambda_spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The token range of each lambda from its arrow: names in it may be its parameters."""
    for at, token in enumerate(tokens):
        if token.key == "->":
            ends = (index for index in _outside(tokens, at + 1, len(tokens)) if tokens[index].key in {",", ")", "]"})
            yield at, next(ends, len(tokens))


def divides(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token divides two branches of a query, and is not the EXCEPT of `* EXCEPT (column)`."""
    return tokens[at].key in SETS and not (tokens[at].key == "EXCEPT" and at > 0 and tokens[at - 1].key == "*")


def _outside(tokens: Sequence[Token], start: int, end: int) -> Iterator[int]:
    """The indexes of the tokens of a range outside of all brackets in it."""
    at = start
    while at < end:
        yield at
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
