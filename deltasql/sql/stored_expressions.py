"""Expressions that a table carries: CHECK constraints, generated columns, defaults. What they may hold.

They are the one place where a log has SQL in it, and the log may be anybody's. So what Spark gets is not that text but
the tokens that were looked at here, without comments, and only if none of them reaches beyond the row: brackets pair
up, there is no query, and every call is of one of Spark's own functions that compute from their arguments alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from deltasql.schema.types import StructType
from deltasql.sql.allowed_functions import OF_A_ROW, OF_THE_MOMENT, OF_THE_SESSION, OUTSIDE
from deltasql.sql.references import AGGREGATES, NOT_DETERMINISTIC, column_references, parse_expression
from deltasql.sql.tokens import Token, tokenize


class Use(Enum):
    """What an expression is for."""

    CHECK = "CHECK constraint"
    GENERATED = "generated column"
    DEFAULT = "default"


class Reason(Enum):
    """Why an expression is refused."""

    SYNTAX = "syntax"
    QUERY = "query"
    WINDOW = "window"
    AGGREGATE = "aggregate"
    RANDOM = "random"
    FUNCTION = "function"
    OUTSIDE = "outside"
    COLUMN = "column"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`part` is what is wrong, for a message; it stands from `start` to `end` of the expression."""

    reason: Reason
    part: str
    start: int
    end: int


_SYMBOLS = frozenset("()[],.+-*/%&|^~!=<>:") | {"<=>", "->", "=>", "::", "||", "<>", "!=", "<=", ">=", "=="}
_CLOSING = {"(": ")", "[": "]"}
_BEFORE_BRACKETS = frozenset(
    {
        *("AND", "OR", "NOT", "IN", "WHEN", "THEN", "ELSE", "CASE", "BETWEEN", "IS", "LIKE", "ILIKE", "RLIKE"),
        *("REGEXP", "ESCAPE", "AS", "FROM", "DISTINCT", "INTERVAL", "DIV", "BOTH", "LEADING", "TRAILING", "FOR"),
        *("PLACING", "DECIMAL", "DEC", "NUMERIC", "CHAR", "VARCHAR", "CHARACTER", "TIME"),
    }
)
"""Words of an expression's own grammar that a bracket may follow: no functions."""
_QUANTIFIERS = frozenset({"ANY", "ALL", "SOME"})
_LIKE = frozenset({"LIKE", "ILIKE", "RLIKE", "NOT"})
_TAKING_FROM = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION"})
_CONSTANTS = frozenset({"NULL", "TRUE", "FALSE", "AND", "OR", "NOT", "IS", "IN"})
_UNITS = frozenset(
    {
        *("microsecond", "millisecond", "second", "minute", "hour", "day", "dayofyear", "week", "month", "quarter"),
        *("year", "dow", "doy", "yearofweek", "dayofweek", "dayofweek_iso", "epoch"),
    }
)
_BLANKS = re.compile(r"[ \t\r\n]*")


def refusal(sql: str, use: Use) -> Refusal | None:
    """What must not stand in `sql`; None if nothing does. Names of columns are not looked at."""
    return _refusal(sql, use)


@lru_cache(maxsize=1000)
def _refusal(sql: str, use: Use) -> Refusal | None:
    return next(_Reading(tokenize(sql), use).refusals(), None)


def stored_refusal(sql: str, use: Use, schema: StructType) -> Refusal | None:
    """What must not stand in an expression that a table carries, names that are no columns of `schema` included.

    Such a name would be a variable of the session. What only Spark can parse is left to Spark.
    """
    return refusal(sql, use) or _unknown_name(bare(sql), schema)


def _unknown_name(sql: str, schema: StructType) -> Refusal | None:
    if not _may_name(tokenize(sql), schema) or parse_expression(sql) is None:
        return None
    for reference in column_references(sql):
        name = reference.parts[0].lower()
        if schema.find(name) is None and name not in _UNITS | OF_THE_MOMENT | OF_THE_SESSION:
            part = f"{sql[reference.start : reference.end]}, which is no column of the table,"
            return Refusal(Reason.COLUMN, part, reference.start, reference.end)
    return None


def _may_name(tokens: list[Token], schema: StructType) -> bool:
    """Whether a name may stand there that is no column's: only then the expression is taken apart."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        applied = after is not None and (after.key == "(" or after.kind == "string")
        known = token.key in _CONSTANTS or schema.find(token.name) is not None
        if token.is_name and not applied and not known:
            return True
    return False


def bare(sql: str) -> str:
    """`sql` without comments: what Spark is to parse of an expression without a `refusal`."""
    tokens = tokenize(sql)
    pieces, at = [], tokens[0].start if tokens else 0
    for token in tokens:
        gap = sql[at : token.start]
        pieces += [gap if _BLANKS.fullmatch(gap) else " ", token.text]
        at = token.end
    return "".join(pieces)


class _Reading:
    """One look over the tokens of an expression."""

    def __init__(self, tokens: list[Token], use: Use) -> None:
        self.tokens, self.use = tokens, use

    def refusals(self) -> Iterator[Refusal]:
        if not self.tokens:
            yield Refusal(Reason.SYNTAX, "An empty expression", 0, 0)
        yield from self._shape()
        for index in range(len(self.tokens)):
            found = self._query(index) or self._call(index)
            if found is not None:
                yield found

    def _key(self, index: int) -> str:
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def _refused(self, reason: Reason, part: str, index: int) -> Refusal:
        token = self.tokens[index]
        return Refusal(reason, part, token.start, token.end)

    def _shape(self) -> Iterator[Refusal]:
        """Characters that no expression has, brackets that do not pair up, several expressions."""
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.kind == "symbol" and token.key not in _SYMBOLS:
                yield self._refused(Reason.SYNTAX, f"The character {token.text!r}", index)
            elif "${" in token.text:
                # Spark puts settings and environment variables in its place, in texts and names as well.
                yield self._refused(Reason.SYNTAX, "A variable, ${…},", index)
            elif token.key in _CLOSING:
                opened.append(index)
            elif token.key in {")", "]"} and (not opened or _CLOSING[self._key(opened.pop())] != token.key):
                yield self._refused(Reason.SYNTAX, f"A bracket that nothing opens, {token.key},", index)
            elif token.key == "," and not opened:
                yield self._refused(Reason.SYNTAX, "A second expression", index)
            elif token.key == ":" and self._key(index + 1) == self._key(index + 2) == "/":
                yield self._refused(Reason.SYNTAX, "The text ://", index)
        if opened:
            yield self._refused(Reason.SYNTAX, f"A bracket that nothing closes, {self._key(opened[-1])},", opened[-1])

    def _query(self, index: int) -> Refusal | None:
        """Words that begin a query: after a bracket, and where the expression begins."""
        key, begins = self._key(index), index == 0 or self._key(index - 1) == "("
        named = index + 1 < len(self.tokens) and self.tokens[index + 1].is_name
        is_query = key in {"SELECT", "USING"} or (
            begins and (key in {"FROM", "VALUES"} or (key in {"WITH", "TABLE"} and named))
        )
        if is_query or (key == "FROM" and not self._is_word_of_a_call(index)):
            return self._refused(Reason.QUERY, "A sub-query", index)
        return None

    def _is_word_of_a_call(self, index: int) -> bool:
        """Whether a FROM is that of IS DISTINCT FROM, or stands in the brackets of a function that has it."""
        if self._key(index - 1) == "DISTINCT":
            return True
        depth = 0
        for at in range(index - 1, 0, -1):
            depth += (self._key(at) == ")") - (self._key(at) == "(")
            if depth < 0:
                return self._key(at - 1) in _TAKING_FROM
        return False

    def _call(self, index: int) -> Refusal | None:
        token, called = self.tokens[index], self._key(index + 1) == "("
        name = token.name.lower()
        if token.kind == "string" and called:
            # Double quotes are those of a name in some sessions.
            return self._refused(Reason.FUNCTION, f"{token.text}()", index)
        if not token.is_name:
            return None
        if not called:
            return self._constant(index) if token.kind == "word" and self._key(index - 1) != "." else None
        if token.kind == "word" and self._is_grammar(index):
            return None
        if token.key == "OVER":
            return self._refused(Reason.WINDOW, "A window function", index)
        if self._key(index - 1) == "." and not self._is_spelled_out(index):
            return self._refused(Reason.FUNCTION, f"A function of a schema, {token.text}(),", index)
        if name in OF_A_ROW or self._may_look_around(name):
            return None
        if name in AGGREGATES or name.endswith("_agg") or "_agg_" in name:
            return self._refused(Reason.AGGREGATE, f"The aggregate {token.text}()", index)
        reason = Reason.FUNCTION
        if name in OF_THE_SESSION or name in OUTSIDE:
            reason = Reason.OUTSIDE
        elif name in NOT_DETERMINISTIC or name in OF_THE_MOMENT:
            reason = Reason.RANDOM
        return self._refused(reason, f"{token.text}()", index)

    def _constant(self, index: int) -> Refusal | None:
        """A function that needs no brackets, unless it is a field of something."""
        token = self.tokens[index]
        name = token.name.lower()
        if name not in (OF_THE_MOMENT | OF_THE_SESSION) - {"user", "unix_timestamp"} or self._may_look_around(name):
            return None
        reason = Reason.RANDOM if name in OF_THE_MOMENT else Reason.OUTSIDE
        return self._refused(reason, token.text, index)

    def _may_look_around(self, name: str) -> bool:
        if self.use is Use.DEFAULT:
            return name in OF_THE_MOMENT or name in OF_THE_SESSION
        return self.use is Use.CHECK and name in OF_THE_MOMENT

    def _is_grammar(self, index: int) -> bool:
        key = self._key(index)
        return key in _BEFORE_BRACKETS or (key in _QUANTIFIERS and self._key(index - 1) in _LIKE)

    def _is_spelled_out(self, index: int) -> bool:
        """Whether a function is called as system.builtin.f."""
        before = [self.tokens[at].name.lower() for at in range(max(0, index - 4), index)]
        return before == ["system", ".", "builtin", "."] and (index < 5 or self._key(index - 5) != ".")
