"""A position in a list of tokens: the base class of the hand-written readers of SQL.

A reader that must understand all tokens raises LeftToEngineError at the first one that it does not support.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from deltasql.base.errors.base import LeftToEngineError
from deltasql.sql.tokens import Token, closing

_T = TypeVar("_T")


def require_value(value: _T | None) -> _T:
    """`value`, which must be known. Raises LeftToEngineError."""
    if value is None:
        raise LeftToEngineError
    return value


class TokenCursor:
    """Reads `tokens` from left to right; `at` is the index of the next one, and may be set back."""

    def __init__(self, tokens: Sequence[Token], at: int = 0) -> None:
        self.tokens = tokens
        self.at = at

    @property
    def left(self) -> bool:
        """Whether there is a next token."""
        return self.at < len(self.tokens)

    @property
    def key(self) -> str:
        """The key of the next token; "" for strings and quoted names, and at the end."""
        return self.tokens[self.at].key if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        """The kind of the next token; "" at the end."""
        return self.tokens[self.at].kind if self.left else ""

    @property
    def is_name(self) -> bool:
        """Whether the next token is a word or a quoted name."""
        return self.is_name_at(0)

    def is_name_at(self, ahead: int) -> bool:
        """Whether the token that stands so many further on is a word or a quoted name."""
        index = self.at + ahead
        return 0 <= index < len(self.tokens) and self.tokens[index].is_name

    def peek(self, ahead: int) -> str:
        """The key of the token that stands so many further on, or before if negative; "" where there is none."""
        index = self.at + ahead
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def next(self) -> Token:
        """The next token, and a step over it. Raises LeftToEngineError at the end."""
        if not self.left:
            raise LeftToEngineError
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *keys: str) -> str:
        """The key of the next token, and a step over it, if it is one of `keys`; else ""."""
        key = self.key
        if not key or key not in keys:
            return ""
        self.at += 1
        return key

    def need(self, key: str) -> None:
        """A step over the next token, which must be this one: LeftToEngineError."""
        if not self.take(key):
            raise LeftToEngineError

    def end(self) -> None:
        """Nothing may follow: LeftToEngineError."""
        if self.left:
            raise LeftToEngineError

    def name(self) -> str:
        """The next token as a name without its quotes, and a step over it. Raises LeftToEngineError for no name."""
        token = self.next()
        if not token.is_name:
            raise LeftToEngineError
        return token.name

    def group(self) -> Sequence[Token]:
        """A step over the next token, or over the whole group that it opens; the tokens stepped over."""
        start = self.at
        self.at = closing(self.tokens, start) + 1 if self.key in {"(", "["} else start + 1
        return self.tokens[start : self.at]

    def listed(self, read: Callable[[], _T]) -> list[_T]:
        """The things between commas, each read by `read`: at least one."""
        found = [read()]
        while self.take(","):
            found.append(read())
        return found

    def before(self, *keys: str) -> Sequence[Token]:
        """A step up to the next of `keys` outside of brackets, or to the end; the tokens stepped over, at least one."""
        start = self.at
        while self.left and self.key not in keys:
            self.group()
        if self.at == start:
            raise LeftToEngineError
        return self.tokens[start : self.at]

    def sort_direction(self) -> tuple[bool, bool]:
        """[ASC | DESC] [NULLS FIRST | NULLS LAST], read: whether the order is descending, and whether NULL is first."""
        descending = self.take("ASC", "DESC") == "DESC"
        if not self.take("NULLS"):
            return descending, not descending
        side = self.take("FIRST", "LAST")
        if not side:
            raise LeftToEngineError
        return descending, side == "FIRST"

    def dotted(self) -> list[Token]:
        """The names of `a.b.c`, the first of which is next, and a step over them."""
        names = [self.next()]
        while self.key == "." and self.is_name_at(1):
            self.at += 1
            names.append(self.next())
        return names


def comma_separated(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens between the commas outside of brackets; after the last comma there may be none."""
    at, item = TokenCursor(tokens), list[Token]()
    while at.left:
        if at.take(","):
            yield item
            item = []
        else:
            item += at.group()
    yield item
