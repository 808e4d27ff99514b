"""Temporary views: kept as text and bound when they are read, so that they see their tables as these are then."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from deltasql.errors.refused import WrongObjectError
from deltasql.plan.base import quote
from deltasql.planner.context import Context
from deltasql.planner.effects import View, ViewChange
from deltasql.planner.tokens import Token, closing, tokenize

_CREATE_WORDS = frozenset({"OR", "REPLACE", "TEMPORARY", "TEMP", "IF", "NOT", "EXISTS"})


def view_change(sql: str, context: Context) -> ViewChange | None:
    """What `CREATE [OR REPLACE] TEMPORARY VIEW v [(columns)] AS query` or `DROP VIEW v` comes to.

    None for every other statement: a permanent or global view, one with options, a view that only a running Spark may
    know. Raises WrongObjectError for DROP VIEW of a table.
    """
    words = _Words(tokenize(sql))
    if words.take("CREATE"):
        return _created(words, sql)
    if not (words.take("DROP") and words.take("VIEW")):
        return None
    if_exists = words.take("IF") and words.take("EXISTS")
    name = words.name()
    if name is None or words.left:
        return None
    if name.lower() not in context.views:
        if context.catalog.resolve((name,)) is not None:
            table = quote(name)
            raise WrongObjectError("DROP VIEW", "view", table, "table", f"DROP TABLE {table}")
        if context.analyst.started:
            return None
    return ViewChange(name, None, if_exists=if_exists)


def _created(words: _Words, sql: str) -> ViewChange | None:
    flags = set()
    while words.key in _CREATE_WORDS:
        flags.add(words.key)
        words.at += 1
    if not flags & {"TEMP", "TEMPORARY"} or not words.take("VIEW"):
        return None
    name = words.name()
    columns = words.columns()
    if words.take("COMMENT"):
        words.at += 1
    if name is None or not words.take("AS") or not words.left:
        return None
    query = sql[words.tokens[words.at].start :].rstrip().rstrip(";")
    return ViewChange(name, View(query, columns), or_replace="REPLACE" in flags)


@dataclass(slots=True)
class _Words:
    """Tokens read from left to right."""

    tokens: list[Token]
    at: int = 0

    @property
    def left(self) -> bool:
        return self.at < len(self.tokens) and self.key != ";"

    @property
    def key(self) -> str:
        return self.tokens[self.at].key if self.at < len(self.tokens) else ""

    def take(self, key: str) -> bool:
        """Steps over `key` if it is next."""
        found = self.key == key
        self.at += found
        return found

    def name(self) -> str | None:
        """A name of one part; None when it has more, or there is none."""
        if self.at >= len(self.tokens) or not self.tokens[self.at].is_name:
            return None
        self.at += 1
        return None if self.key == "." else self.tokens[self.at - 1].name

    def columns(self) -> tuple[str, ...]:
        """The names in `(a, b COMMENT 'text')`, if they are next."""
        if self.key != "(":
            return ()
        end = closing(self.tokens, self.at)
        inner = self.tokens[self.at : end]
        self.at = end + 1
        return tuple(token.name for before, token in pairwise(inner) if before.key in {"(", ","})
