"""The words by which a statement is called, UPDATE or ALTER TABLE … ADD COLUMN, and what it declares, from its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from deltasql.sql.cursor import TokenCursor
from deltasql.sql.tokens import Token, tokenize

_MOST = 4
_CLONES = ("SHALLOW", "DEEP", "CLONE")


def statement_words(sql: str, start: int, end: int) -> str:
    """The keywords before the name of the statement's table, which is from `start` to `end`; "" without any.

    Of ALTER TABLE also the two behind it.
    """
    tokens = tokenize(sql)
    before = [token for token in tokens if token.end <= start]
    words = list(takewhile(_is_word, reversed(before)))[:_MOST][::-1]
    keys = [token.key for token in words if token.key != "EXPLAIN"]
    if keys[:2] == ["ALTER", "TABLE"]:
        behind = takewhile(_is_word, (token for token in tokens if token.start >= end))
        return " ".join(["ALTER TABLE …", *(token.key for token in list(behind)[:2])])
    return _shortened(keys)


def _shortened(keys: list[str]) -> str:
    """The words before a name without other names among them."""
    if keys[-1:] == ["CLONE"]:
        return " ".join(key for key in keys[-2:] if key in _CLONES)
    if keys == ["FOR", "TABLE"]:
        return "GENERATE"
    if keys[-1:] == ["LIKE"]:
        return "CREATE TABLE … LIKE"
    return " ".join(keys)


def _is_word(token: Token) -> bool:
    return token.kind == "word" and token.key.isalpha()


_BEFORE_SELECT = frozenset(
    {"UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS", "NAME", "AS", ".", ",", "|>", "=", "->"}
)


def second_query(sql: str) -> Token | None:
    """The SELECT of a query that begins where another one has not ended: `SELECT 1 SELECT 2`; None without one.

    A query that begins with FROM may have its SELECT at the end, and several of INSERT.
    """
    depth, first, previous = 0, None, None
    for token in tokenize(sql):
        if first is None and token.key == "FROM":
            return None
        if token.key == ";":
            first = None
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        if depth == 0 and token.key == "SELECT" and token.kind == "word":
            if first is not None and previous is not None and previous.key not in _BEFORE_SELECT:
                return token
            first = token
        previous = token
    return None


def declared_variables(sql: str) -> Iterator[str]:
    """The names of the session variables that a DECLARE creates; none for any other statement."""
    at = TokenCursor(tokenize(sql))
    if not at.take("DECLARE"):
        return
    at.take("OR")
    at.take("REPLACE")
    at.take("VARIABLE", "VAR")
    while at.left and at.is_name:
        yield at.dotted()[-1].name
        if not at.take(","):
            return
