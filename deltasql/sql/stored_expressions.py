"""Checks of expressions in a table's log: CHECK constraints, generated columns, defaults.

They are the only SQL in a log, and anybody may have written the log. So Spark does not get that text, but the tokens
that were checked here, without comments, and only if none of them refers to more than the row: brackets pair up, there
is no query, and every call is of one of Spark's own functions that compute from their arguments alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from deltasql.schema.types import StructType
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.functions.allowed import OF_A_ROW, OF_THE_MOMENT, OF_THE_SESSION, OUTSIDE
from deltasql.sql.references import AGGREGATES, NOT_DETERMINISTIC, column_references, parse_expression
from deltasql.sql.tokens import Token, tokenize


class Use(Enum):
    """The use of an expression in a table."""

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
    """A refused `part` of an expression, as messages name it, at offsets [start, end)."""

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
"""Keywords of the grammar of expressions that a bracket may follow: no functions."""
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
    """The first part of `sql` that is refused, or None. Names of columns are not checked."""
    return _refusal(sql, use)


@lru_cache(maxsize=1000)
def _refusal(sql: str, use: Use) -> Refusal | None:
    return next(_Reading(sql, use).refusals(), None)


def stored_refusal(sql: str, use: Use, schema: StructType) -> Refusal | None:
    """The first part that is refused of an expression in a table's log, or None; names must be columns of `schema`.

    Any other name would be a variable of the session. An expression that only Spark can parse is left to Spark.
    """
    return refusal(sql, use) or _unknown_name(bare(sql), schema)


def declared_refusal(sql: str, use: Use, schema: StructType) -> Refusal | None:
    """The first part that is refused of an expression in a statement, or None, after Spark has analysed it."""
    return refusal(sql, use) or _unknown_name(sql, schema)


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
    """Whether there may be a name that is no column of `schema`: only then the expression is parsed."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        applied = after is not None and (after.key == "(" or after.kind == "string")
        is_known = token.key in _CONSTANTS or schema.find(token.name) is not None
        if token.is_name and not applied and not is_known:
            return True
    return False


def bare(sql: str) -> str:
    """`sql` without comments: the text for Spark of an expression without a `refusal`."""
    tokens = tokenize(sql)
    pieces, at = [], tokens[0].start if tokens else 0
    for token in tokens:
        gap = sql[at : token.start]
        pieces += [gap if _BLANKS.fullmatch(gap) else " ", token.text]
        at = token.end
    return "".join(pieces)


class _Reading(TokenCursor):
    """A scan of the tokens of an expression for refused parts."""

    def __init__(self, sql: str, use: Use) -> None:
        super().__init__(tokenize(sql))
        self.use = use

    def refusals(self) -> Iterator[Refusal]:
        if not self.left:
            yield Refusal(Reason.SYNTAX, "An empty expression", 0, 0)
        yield from self._shape()
        for index in range(len(self.tokens)):
            self.at = index
            refused = self._query() or self._call()
            if refused is not None:
                yield refused

    def _refused(self, reason: Reason, part: str) -> Refusal:
        token = self.tokens[self.at]
        return Refusal(reason, part, token.start, token.end)

    def _shape(self) -> Iterator[Refusal]:
        """Refusals of invalid characters, of unpaired brackets, and of a second expression."""
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            self.at = index
            wrong = self._character(token) or self._bracket(token.key, opened)
            if wrong:
                yield self._refused(Reason.SYNTAX, wrong)
        if opened:
            self.at = opened[-1]
            yield self._refused(Reason.SYNTAX, f"A bracket that nothing closes, {self.key},")

    def _character(self, token: Token) -> str:
        """The description of a token that is invalid by itself; "" for a valid one."""
        if token.kind == "symbol" and token.key not in _SYMBOLS:
            return f"The character {token.text!r}"
        if "${" in token.text:
            # Spark puts settings and environment variables in its place, in texts and names as well.
            return "A variable, ${…},"
        return "The text ://" if token.key == ":" and self.peek(1) == self.peek(2) == "/" else ""

    def _bracket(self, key: str, opened: list[int]) -> str:
        """The description of an unpaired bracket or a top-level comma; "" for a valid token. Updates `opened`."""
        if key in _CLOSING:
            opened.append(self.at)
        elif key in {")", "]"} and (not opened or _CLOSING[self.tokens[opened.pop()].key] != key):
            return f"A bracket that nothing opens, {key},"
        elif key == "," and not opened:
            return "A second expression"
        return ""

    def _query(self) -> Refusal | None:
        """Refusal of a word that begins a query: after a bracket, and where the expression begins."""
        key, begins = self.key, self.at == 0 or self.peek(-1) == "("
        is_query = key in {"SELECT", "USING"} or (
            begins and (key in {"FROM", "VALUES"} or (key in {"WITH", "TABLE"} and self.is_name_at(1)))
        )
        if is_query or (key == "FROM" and not self._is_word_of_a_call()):
            return self._refused(Reason.QUERY, "A sub-query")
        return None

    def _is_word_of_a_call(self) -> bool:
        """Whether FROM belongs to IS DISTINCT FROM, or to a function in whose brackets it may stand."""
        if self.peek(-1) == "DISTINCT":
            return True
        depth = 0
        for at in range(self.at - 1, 0, -1):
            depth += (self.tokens[at].key == ")") - (self.tokens[at].key == "(")
            if depth < 0:
                return self.tokens[at - 1].key in _TAKING_FROM
        return False

    def _call(self) -> Refusal | None:
        token, called = self.tokens[self.at], self.peek(1) == "("
        if token.kind == "string" and called:
            # Double quotes are those of a name in some sessions.
            return self._refused(Reason.FUNCTION, f"{token.text}()")
        if not token.is_name:
            return None
        if called:
            return None if token.kind == "word" and self._is_grammar() else self._called(token)
        return self._constant(token) if token.kind == "word" and self.peek(-1) != "." else None

    def _called(self, token: Token) -> Refusal | None:
        """Refusal of the function before a bracket."""
        if token.key == "OVER":
            return self._refused(Reason.WINDOW, "A window function")
        if self.peek(-1) == "." and not self._is_spelled_out():
            return self._refused(Reason.FUNCTION, f"A function of a schema, {token.text}(),")
        name = token.name.lower()
        if name in OF_A_ROW or self._may_look_around(name):
            return None
        if name in AGGREGATES or name.endswith("_agg") or "_agg_" in name:
            return self._refused(Reason.AGGREGATE, f"The aggregate {token.text}()")
        return self._refused(_reason(name), f"{token.text}()")

    def _constant(self, token: Token) -> Refusal | None:
        """Refusal of a function without brackets, unless it is a field."""
        name = token.name.lower()
        if name not in (OF_THE_MOMENT | OF_THE_SESSION) - {"user", "unix_timestamp"} or self._may_look_around(name):
            return None
        return self._refused(_reason(name), token.text)

    def _may_look_around(self, name: str) -> bool:
        if self.use is Use.DEFAULT:
            return name in OF_THE_MOMENT or name in OF_THE_SESSION
        return self.use is Use.CHECK and name in OF_THE_MOMENT

    def _is_grammar(self) -> bool:
        key = self.key
        return key in _BEFORE_BRACKETS or (key in _QUANTIFIERS and self.peek(-1) in _LIKE)

    def _is_spelled_out(self) -> bool:
        """Whether a function is called as system.builtin.f."""
        before = [token.name.lower() for token in self.tokens[max(0, self.at - 4) : self.at]]
        return before == ["system", ".", "builtin", "."] and self.peek(-5) != "."


def _reason(name: str) -> Reason:
    """The reason to refuse a function that depends on more than its row."""
    if name in OF_THE_SESSION or name in OUTSIDE:
        return Reason.OUTSIDE
    return Reason.RANDOM if name in NOT_DETERMINISTIC or name in OF_THE_MOMENT else Reason.FUNCTION
