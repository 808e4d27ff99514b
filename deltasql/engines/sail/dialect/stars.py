"""`* EXCEPT (…)`, GROUP BY ALL and ORDER BY ALL, which Sail does not parse, expanded to columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deltasql.base.errors.engine import NotOnSailError
from deltasql.engines.sail.dialect.scopes import scope_at
from deltasql.plan.base import quote
from deltasql.sql.cursor import comma_separated
from deltasql.sql.references import has_aggregate
from deltasql.sql.tokens import Token, closing, tokenize

_EXCEPT = re.compile(r"\*[^,)]*?\bexcept\b", re.IGNORECASE | re.DOTALL)
_ALL = re.compile(r"\border\b.*?\ball\b", re.IGNORECASE | re.DOTALL)
_GROUP_ALL = re.compile(r"\bgroup\b.*?\ball\b", re.IGNORECASE | re.DOTALL)
Columns = Callable[[str], Sequence[str]]
"""Gives the names of the columns of a query."""


def stars_named(sql: str, columns: Columns) -> str:
    """`sql` with column names in place of each star with EXCEPT. Raises NotOnSailError."""
    while _EXCEPT.search(sql):
        tokens = tokenize(sql)
        at = next((index for index in range(len(tokens)) if _is_star_except(tokens, index)), None)
        close = len(tokens) if at is None else closing(tokens, at + 2)
        if at is None or close >= len(tokens):
            return sql
        first = at
        while first > 1 and tokens[first - 1].key == "." and tokens[first - 2].is_name:
            first -= 2
        prefix = sql[tokens[first].start : tokens[at].start]
        names = columns(_probe(sql, tokens, at, f"{prefix}*"))
        listed = ", ".join(prefix + quote(name) for name in _left(names, tokens[at + 3 : close]))
        sql = sql[: tokens[first].start] + (listed or "NULL") + sql[tokens[close].end :]
    return sql


def _left(columns: Sequence[str], excepted: Sequence[Token]) -> Sequence[str]:
    """The columns without the excepted ones; only a missing one if there is any, so that the engine reports it."""
    items = list(filter(None, comma_separated(excepted)))
    left_out = [item[-1].name.lower() for item in items]
    folded = list(map(str.lower, columns))
    if len(set(folded)) < len(columns) or max(map(len, items)) > 3:
        raise NotOnSailError(what="* EXCEPT beside columns of one name, or of fields")
    missing = [name for name in left_out if name not in folded]
    return missing[:1] or [name for name in columns if name.lower() not in left_out]


def _is_star_except(tokens: Sequence[Token], at: int) -> bool:
    return (
        tokens[at].key == "*"
        and [token.key for token in tokens[at + 1 : at + 3]] == ["EXCEPT", "("]
        and len(tokens) > at + 3
        and tokens[at + 3].key not in {"SELECT", "WITH", "VALUES", "FROM", "TABLE", "(", ")"}
    )


def _probe(sql: str, tokens: Sequence[Token], at: int, star: str) -> str:
    """A query of all columns that the SELECT with the star at a token reads."""
    scope = scope_at(sql, tokens, at)
    if not scope.relation:
        raise NotOnSailError(what="* EXCEPT without FROM")
    return f"{scope.before}SELECT {star} {scope.relation}"


def _outside(tokens: Sequence[Token], start: int, end: int) -> list[int]:
    """The indexes of the tokens of a range outside of all brackets in it."""
    positions, at = list[int](), start
    while at < end:
        positions.append(at)
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return positions


def ordered_by_all(sql: str, columns: Columns) -> str:
    """`sql` with column numbers in place of the ALL of its own ORDER BY ALL."""
    if not _ALL.search(sql):
        return sql
    tokens = tokenize(sql)
    for index in _outside(tokens, 0, len(tokens)):
        if [token.key for token in tokens[index : index + 3]] == ["ORDER", "BY", "ALL"]:
            end = index + 3
            while end < len(tokens) and tokens[end].key in {"ASC", "DESC", "NULLS", "FIRST", "LAST"}:
                end += 1
            if end < len(tokens) and tokens[end].key not in {"LIMIT", "OFFSET", ";"}:
                return sql
            how = sql[tokens[index + 2].end : tokens[end - 1].end]
            count = len(columns(sql[: tokens[index].start].rstrip()))
            listed = ", ".join(f"{number}{how}" for number in range(1, count + 1))
            return f"{sql[: tokens[index + 2].start]}{listed}{sql[tokens[end - 1].end :]}"
    return sql


def grouped_by_all(sql: str) -> str:
    """`sql` with column numbers in place of each GROUP BY ALL: of the columns without an aggregate.

    Raises NotOnSailError beside a star.
    """
    if not _GROUP_ALL.search(sql):
        return sql
    tokens = tokenize(sql)
    for index in range(len(tokens) - 2, 0, -1):
        if [token.key for token in tokens[index - 1 : index + 2]] == ["GROUP", "BY", "ALL"]:
            chosen = _chosen_before(tokens, index)
            numbers = [str(number) for number, item in enumerate(chosen, 1) if _is_grouped(sql, item)]
            clause = f"GROUP BY {', '.join(numbers)}" if numbers else "GROUP BY ALL" * (not chosen)
            sql = sql[: tokens[index - 1].start] + clause + sql[tokens[index + 1].end :]
    return sql


def _chosen_before(tokens: Sequence[Token], at: int) -> list[Sequence[Token]]:
    """The items of the SELECT whose GROUP BY is at a token; none where that is not certain."""
    positions = [position for position in _outside(tokens, _group_begin(tokens, at), at) if position < at]
    select = max((position for position in positions if tokens[position].key == "SELECT"), default=at)
    end = next((position for position in positions if position > select and tokens[position].key == "FROM"), select)
    first = select + 1 + (tokens[select + 1].key in {"ALL", "DISTINCT"})
    return [item for item in comma_separated(tokens[first:end]) if item] if first < end else []


def _is_grouped(sql: str, item: Sequence[Token]) -> bool:
    if item[-1].key == "*":
        raise NotOnSailError(what="GROUP BY ALL beside *")
    return not has_aggregate(sql[item[0].start : item[-1].end])


def _group_begin(tokens: Sequence[Token], at: int) -> int:
    """The index of the first token in the innermost brackets around a token; 0 outside of all."""
    depth = 0
    for index in range(at - 1, -1, -1):
        depth += (tokens[index].key == ")") - (tokens[index].key == "(")
        if depth < 0:
            return index + 1
    return 0
