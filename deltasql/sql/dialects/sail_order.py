"""`FROM t SELECT a`, which Sail does not read, as `SELECT a FROM t`."""

from __future__ import annotations

import re

from deltasql.sql.cursor import Cursor
from deltasql.sql.tokens import tokenize

_FROM_FIRST = re.compile(r"\bfrom\b", re.IGNORECASE)
_BEHIND = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"}
    | {"LATERAL", "UNION", "INTERSECT", "EXCEPT", "MINUS"}
)
"""What may stand behind the list of a SELECT that has no FROM."""


def select_first(sql: str) -> str:
    """A query whose own FROM stands before its SELECT, the other way round; any other text as it is."""
    if not _FROM_FIRST.search(sql):
        return sql
    at, places = Cursor(tokenize(sql)), dict[str, int]()
    expected = ["FROM", "SELECT"]
    while at.left:
        token = at.tokens[at.at]
        if expected and token.key in {"SELECT", "VALUES", "TABLE"} and "FROM" not in places:
            return sql
        if expected and token.key == expected[0]:
            places[expected.pop(0)] = token.start
        elif not expected and token.key in _BEHIND and not _is_star_except(at):
            places.setdefault("BEHIND", token.start)
        at.group()
    if expected:
        return sql
    begin, list_begin = places["FROM"], places["SELECT"]
    end = places.get("BEHIND", len(sql))
    chosen, relation = sql[list_begin:end].rstrip(), sql[begin:list_begin].rstrip()
    return f"{sql[:begin]}{chosen}\n{relation}\n{sql[end:]}"


def _is_star_except(at: Cursor) -> bool:
    """Whether an EXCEPT belongs to a star: `* EXCEPT (a)`."""
    return at.key == "EXCEPT" and at.peek(-1) == "*" and at.peek(1) == "("
