"""Where the parts of a text end, over its tokens: values, calls, intervals, types, the branches of CASE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from deltasql.engines.sail.dialect.words import CALLED, KEYWORDS
from deltasql.sql.tokens import closing, tokenize

SIGNS = frozenset("+-~")
_UNITS = re.compile(r"(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|(?:MILLI|MICRO|NANO)SECOND)S?|TO")


class MapPart(NamedTuple):
    """Tokens `start` to `end` of the text, and their replacement."""

    start: int
    end: int
    safe: str


class Parts:
    """One text and its tokens. Unterminated elements end with the text."""

    def __init__(self, sql: str) -> None:
        self.sql, self.tokens = sql, tokenize(sql)

    def raw(self, part: MapPart) -> str:
        """The text of a part as it was given."""
        return self.sql[self.tokens[part.start].start : self.tokens[part.end - 1].end]

    def key(self, at: int) -> str:
        return self.tokens[at].key if at < len(self.tokens) else ""

    def begins_value(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind in {"string", "quoted", "number"}:
            return True
        if token.kind == "word":
            is_called = token.key in CALLED and (self.key(at + 1) == "(" or token.key == "CASE")
            return is_called or token.key not in KEYWORDS
        return token.key in {"(", "*", *SIGNS}

    def expects(self, at: int) -> bool:
        """Whether a value may follow a token that is none."""
        token = self.tokens[at]
        return token.kind == "symbol" or token.key in KEYWORDS

    def between(self, start: int, end: int) -> str:
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]

    def type_end(self, at: int, end: int) -> int:
        after = at + 1
        if after < end and self.tokens[after].key == "(":
            return min(closing(self.tokens, after) + 1, end)
        return after

    def interval_end(self, at: int, end: int) -> int:
        """Where INTERVAL '1' DAY, INTERVAL -1 DAY 2 HOURS end; 0 where the word is a name."""
        after = at + 1
        while after < end:
            value = after + (self.tokens[after].key in SIGNS)
            if value >= end or not (self.tokens[value].kind in {"string", "number"} or self.tokens[value].key == "("):
                break
            after = min(closing(self.tokens, value), end - 1) + 1 if self.tokens[value].key == "(" else value + 1
            while after < end and _UNITS.fullmatch(self.tokens[after].key):
                after += 1
        return after if after > at + 1 else 0

    def behind_call(self, at: int, end: int) -> int:
        """Where FILTER (…), OVER w, IGNORE NULLS behind a call end."""
        while at < end:
            key, following = self.tokens[at].key, self.key(at + 1)
            if key in {"FILTER", "OVER"} and following == "(":
                at = min(closing(self.tokens, at + 1) + 1, end)
            elif key == "OVER" or (key in {"IGNORE", "RESPECT"} and following == "NULLS"):
                at = min(at + 2, end)
            elif key == "WITHIN" and following == "GROUP":
                at = min(closing(self.tokens, at + 2) + 1, end)
            else:
                break
        return at

    def arguments(self, opening: int, close: int) -> Iterator[str]:
        """The texts between the commas of a call; of EXTRACT(part FROM value) both."""
        for first, last in self.spans(opening, close):
            yield self.between(first, last)

    def spans(self, opening: int, close: int) -> Iterator[tuple[int, int]]:
        """Where the arguments of a call begin and end."""
        if close <= opening + 1:
            return
        cuts = [opening, *self.commas(opening + 1, close), close]
        if len(cuts) == 2 and self.key(opening + 2) == "FROM":
            cuts.insert(1, opening + 2)
        for first, last in pairwise(cuts):
            if last > first + 1:
                yield first + 1, last

    def commas(self, start: int, end: int) -> Iterator[int]:
        at = start
        while at < end:
            if self.tokens[at].key == ",":
                yield at
            at = closing(self.tokens, at) + 1 if self.tokens[at].key in {"(", "["} else at + 1

    def results(self, cuts: list[int]) -> Iterator[tuple[int, int]]:
        for first, last in pairwise(cuts):
            if self.tokens[first].key in {"THEN", "ELSE"} and last > first + 1:
                yield first, last

    def branches(self, at: int, end: int) -> Iterator[int]:
        """The WHEN, THEN, ELSE and END of the CASE at a place."""
        after, depth = at + 1, 0
        while after < end:
            key = self.tokens[after].key
            if key in {"(", "["}:
                after = closing(self.tokens, after) + 1
                continue
            if depth == 0 and key in {"WHEN", "THEN", "ELSE", "END"}:
                yield after
                if key == "END":
                    return
            depth += (key == "CASE") - (key == "END")
            after += 1
