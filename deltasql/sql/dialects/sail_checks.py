"""SQL text with checks in it that Spark makes by itself and Sail does not: overflow of integers, casts, conditions.

What is checked is in `sail_guards`. Reads an expression or a whole query over its tokens, by Spark's order of
precedence; what is not understood stays as it is, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from deltasql.errors.engine import NotOnSailError
from deltasql.sql.dialects.sail_guards import (
    AS_INT,
    CONVERSIONS,
    MIXED,
    OVERFLOW,
    UNLIKE,
    Guard,
    arithmetic_guards,
    as_double,
    branch_guards,
    call_guards,
    cast_guards,
    day_comparison,
    mixed_guards,
    overflow,
    sign_guards,
    unlike_call,
)
from deltasql.sql.dialects.sail_words import CALLED, KEYWORDS, with_least
from deltasql.sql.tokens import closing, tokenize

_CALLS = (
    *CONVERSIONS,
    *AS_INT,
    *MIXED,
    *UNLIKE,
    "LEFT",
    "OVERLAY",
    "SUBSTR",
    "SUBSTRING",
    "EXTRACT",
    "MAX_BY",
    "MIN_BY",
)
_SUSPECT = re.compile(
    r"[-+*/%&|^~]|::|\bdiv\b|\bcase\b"
    rf"|\b(?:raise_error|assert_true|(?:try_)?cast|sum|abs|negative|iff?|mode|date_?part|date_trunc|{'|'.join(_CALLS)})\s*\(",
    re.IGNORECASE,
)
_LEVELS = {"|": 1, "^": 2, "&": 3, "+": 4, "-": 4, "||": 4, "*": 5, "/": 5, "%": 5, "DIV": 5}
_SIGNS = frozenset("+-~")
_UNITS = re.compile(r"(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|(?:MILLI|MICRO|NANO)SECOND)S?|TO")
_LITERAL = re.compile(r"NULL|-\d{10,19}|-128|-32768|'[^'\\\\]*'", re.IGNORECASE)
"""Texts and NULL have a cast to whatever has one, and to the same value."""
_COMPARING = frozenset({"=", "==", "<=>", "<>", "!=", "<", ">", "<=", ">=", "IN", "BETWEEN"})
_COMPARES = re.compile(r"[=<>]|\b(?:in|between)\b", re.IGNORECASE)
_NAME = r"(?:`(?:[^`]|``)+`|(?!(?i:null|true|false)\b)[A-Za-z_]\w*)"
_SIMPLE = re.compile(rf"{_NAME}(?:\.{_NAME})*|\d+|(?i:date)\s*'[^']*'|(?i:current_date)(?:\(\))?")
"""What is compared with a guard: a column, a whole number, a day."""
_SMALL = re.compile(r"[(+-]*\d{1,4}\)*")


class _Part(NamedTuple):
    """Tokens `start` to `end` of the text, and what is put in their place."""

    start: int
    end: int
    safe: str


def with_checks(sql: str, *, ansi: bool = True, days: bool = False) -> str:
    """`sql`, an expression or a query, with its checks; the same text where it needs none.

    Without `ansi` integers wrap around in Spark as well. With `days` what is compared may be a DATE. Raises
    NotOnSailError.
    """
    if not _SUSPECT.search(sql) and not (days and _COMPARES.search(sql)):
        return sql
    return _Checks(with_least(sql), ansi=ansi, days=days and "->" not in sql).text()


class _Checks:
    """One text: `render` for what may hold values, `_chain` for one value."""

    def __init__(self, sql: str, *, ansi: bool, days: bool) -> None:
        self.sql, self.tokens, self._ansi, self._days = sql, tokenize(sql), ansi, days

    def text(self) -> str:
        """The whole text."""
        if not self.tokens:
            return self.sql
        inner = self.render(0, len(self.tokens))
        return self.sql[: self.tokens[0].start] + inner + self.sql[self.tokens[-1].end :]

    def render(self, start: int, end: int) -> str:
        """The text of some tokens, from the first to the last."""
        pieces, at, expecting = list[str](), start, True
        while at < end:
            part = self._compared(at, end) if expecting and self._begins_value(at) else _Part(at, at + 1, "")
            if at > start:
                pieces.append(self.sql[self.tokens[at - 1].end : self.tokens[at].start])
            pieces.append(part.safe or self.raw(part))
            expecting = not part.safe and self._expects(at)
            at = part.end
            if self.tokens[part.end - 1].key == "AS" and at < end and not part.safe:
                pieces.append(self.sql[self.tokens[at - 1].end : self.tokens[at].end])
                at += 1
        return "".join(pieces)

    def raw(self, part: _Part) -> str:
        """The text of a part as it was given."""
        return self.sql[self.tokens[part.start].start : self.tokens[part.end - 1].end]

    def _key(self, at: int) -> str:
        return self.tokens[at].key if at < len(self.tokens) else ""

    def _begins_value(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind in {"string", "quoted", "number"}:
            return True
        if token.kind == "word":
            is_called = token.key in CALLED and (self._key(at + 1) == "(" or token.key == "CASE")
            return is_called or token.key not in KEYWORDS
        return token.key in {"(", "*", *_SIGNS}

    def _expects(self, at: int) -> bool:
        """Whether a value may follow a token that is none."""
        token = self.tokens[at]
        return token.kind == "symbol" or token.key in KEYWORDS

    def _compared(self, at: int, end: int) -> _Part:
        """A value, and what it is compared with where one of both may be a DATE."""
        left = self._chain(at, end, 1)
        after = left.end + (self._key(left.end) == "NOT")
        key = self._key(after)
        first = after + 1 + (key == "IN")
        if not self._days or key not in _COMPARING or first >= end or not self._begins_value(first):
            return left
        right = self._chain(first, end, 1)
        one, other = self.raw(left), self.raw(right)
        if not (_SIMPLE.fullmatch(one) and _SIMPLE.fullmatch(other)) or (one.isdecimal() and other.isdecimal()):
            return left
        whole = _Part(at, self._comparison_end(key, after, right.end, end), "")
        return whole._replace(safe=self._guarded([day_comparison(one, other)], self.raw(whole))) if whole.end else left

    def _comparison_end(self, key: str, operator: int, behind: int, end: int) -> int:
        """Where `a = b`, `a IN (…)`, `a BETWEEN b AND c` end, of which the first value on the right does at `behind`.

        0 where that is not certain.
        """
        if key == "IN":
            close = closing(self.tokens, operator + 1)
            is_query = any(token.key in {"SELECT", "WITH"} for token in self.tokens[operator:close])
            return 0 if is_query or close >= end else close + 1
        if key == "BETWEEN":
            return self._chain(behind + 1, end, 1).end if self._key(behind) == "AND" and behind + 1 < end else 0
        return behind

    def _chain(self, at: int, end: int, level: int) -> _Part:
        left = self._signed(at, end)
        while left.end < end - 1:
            key = self.tokens[left.end].key
            own = _LEVELS.get(key, 0)
            if own < level or not self._begins_value(left.end + 1):
                break
            right = self._chain(left.end + 1, end, own + 1)
            left = self._combined(left, key, right)
        return left

    def _combined(self, left: _Part, key: str, right: _Part) -> _Part:
        between = self.sql[self.tokens[left.end - 1].end : self.tokens[right.start].start]
        whole = _Part(left.start, right.end, left.safe + between + right.safe)
        first, second, raw = self.raw(left), self.raw(right), self.raw(whole)
        if _SMALL.fullmatch(first) and _SMALL.fullmatch(second):
            return whole
        return whole._replace(safe=self._guarded(arithmetic_guards(key, first, second, raw), f"({whole.safe})"))

    def _signed(self, at: int, end: int) -> _Part:
        token = self.tokens[at]
        if token.key not in _SIGNS or at + 1 >= end:
            return self._value(at, end)
        following = self.tokens[at + 1]
        if token.key == "-" and following.kind == "number":
            part = _Part(at, self._value(at + 1, end).end, "")
            return part._replace(safe=self.raw(part))
        if not self._begins_value(at + 1):
            return _Part(at, at + 1, token.text)
        inner = self._signed(at + 1, end)
        gap = self.sql[token.end : following.start]
        part = _Part(at, inner.end, token.text + gap + inner.safe)
        return part._replace(
            safe=self._guarded(sign_guards(token.key, self.raw(inner), self.raw(part)), f"({part.safe})")
        )

    def _value(self, at: int, end: int) -> _Part:
        part = self._atom(at, end)
        while part.end < end:
            key = self.tokens[part.end].key
            if key == "[":
                close = min(closing(self.tokens, part.end), end - 1)
                inner = self.render(part.end + 1, close) if close > part.end + 1 else ""
                part = _Part(at, close + 1, f"{part.safe}[{inner}]")
            elif key == "." and part.end + 1 < end:
                part = _Part(at, part.end + 2, part.safe + self._between(part.end, part.end + 2))
            elif key == "::" and part.end + 1 < end:
                close = self._type_end(part.end + 1, end)
                kind = self._between(part.end + 1, close)
                whole = _Part(at, close, "")
                part = whole._replace(safe=self._cast(self.raw(part), f"{part.safe}::{kind}", kind))
            else:
                break
        return part

    def _between(self, start: int, end: int) -> str:
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]

    def _type_end(self, at: int, end: int) -> int:
        after = at + 1
        if after < end and self.tokens[after].key == "(":
            return min(closing(self.tokens, after) + 1, end)
        return after

    def _atom(self, at: int, end: int) -> _Part:
        token = self.tokens[at]
        if token.key == "(":
            return self._bracket(at, end)
        if token.key == "CASE":
            return self._case(at, end)
        if token.key == "INTERVAL" and (found := self._interval_end(at, end)):
            return _Part(at, found, self._between(at, found))
        if token.is_name:
            return self._named(at, end)
        after = at + 1
        while token.kind == "string" and after < end and self.tokens[after].kind == "string":
            after += 1
        return _Part(at, after, self._between(at, after))

    def _bracket(self, at: int, end: int) -> _Part:
        close = min(closing(self.tokens, at), end - 1)
        part = _Part(at, close + 1, "")
        if close <= at + 1:
            return part._replace(safe=self.raw(part))
        before = self.sql[self.tokens[at].start : self.tokens[at + 1].start]
        behind = self.sql[self.tokens[close - 1].end : self.tokens[close].end]
        return part._replace(safe=before + self.render(at + 1, close) + behind)

    def _interval_end(self, at: int, end: int) -> int:
        """Where INTERVAL '1' DAY, INTERVAL -1 DAY 2 HOURS end; 0 where the word is a name."""
        after = at + 1
        while after < end:
            value = after + (self.tokens[after].key in _SIGNS)
            if value >= end or not (self.tokens[value].kind in {"string", "number"} or self.tokens[value].key == "("):
                break
            after = min(closing(self.tokens, value), end - 1) + 1 if self.tokens[value].key == "(" else value + 1
            while after < end and _UNITS.fullmatch(self.tokens[after].key):
                after += 1
        return after if after > at + 1 else 0

    def _named(self, at: int, end: int) -> _Part:
        token, after = self.tokens[at], at + 1
        if after < end and self.tokens[after].kind == "string" and token.kind == "word":
            return _Part(at, after + 1, self._between(at, after + 1))
        while after + 1 < end and self.tokens[after].key == ".":
            after += 2
        if after >= end or self.tokens[after].key != "(":
            return _Part(at, after, self._between(at, after))
        group = self._bracket(after, end)
        close = self._behind_call(group.end, end)
        behind = self.sql[self.tokens[group.end - 1].end : self.tokens[close - 1].end]
        part = _Part(at, close, self._between(at, after) + group.safe + behind)
        return self._called(part, token.name.upper(), after, group) if after == at + 1 else part

    def _behind_call(self, at: int, end: int) -> int:
        """Where FILTER (…), OVER w, IGNORE NULLS behind a call end."""
        while at < end:
            key, following = self.tokens[at].key, self._key(at + 1)
            if key in {"FILTER", "OVER"} and following == "(":
                at = min(closing(self.tokens, at + 1) + 1, end)
            elif key == "OVER" or (key in {"IGNORE", "RESPECT"} and following == "NULLS"):
                at = min(at + 2, end)
            elif key == "WITHIN" and following == "GROUP":
                at = min(closing(self.tokens, at + 2) + 1, end)
            else:
                break
        return at

    def _called(self, part: _Part, name: str, opening: int, group: _Part) -> _Part:
        arguments = list(self._arguments(opening, group.end - 1))
        raw = self.raw(part)
        if what := unlike_call(name, arguments):
            raise NotOnSailError(what=what)
        match name:
            case "CAST" | "TRY_CAST":
                return self._written_cast(part, name, opening, group)
            case "SUM":
                return part._replace(safe=self._sum(part, opening, group))
            case "RAISE_ERROR" | "ASSERT_TRUE" if len(arguments) == 1 + (name == "ASSERT_TRUE"):
                *others, text = arguments
                told = f"concat('[USER_RAISED_EXCEPTION] ', {text})"
                return part._replace(safe=f"{name}({', '.join([*others, told])})")
            case "IF" | "IFF":
                return self._choice(part, opening, group)
            case _ if name in AS_INT:
                return part._replace(safe=f"CAST({part.safe} AS INT)")
            case _ if name in CONVERSIONS and len(arguments) == 1:
                return part._replace(safe=self._cast(arguments[0], part.safe, name.lower()))
        if name in MIXED and len(arguments) > 1:
            return part._replace(safe=self._mixed(part, opening, arguments))
        return part._replace(safe=self._guarded(call_guards(name, arguments, raw), part.safe))

    def _mixed(self, part: _Part, opening: int, arguments: list[str]) -> str:
        """The guards stand around the first value: the type of all of them stays as it is."""
        comma = next(self._commas(opening + 1, part.end))
        first = self._guarded(mixed_guards(arguments), self.render(opening + 1, comma))
        begin = self._between(part.start, opening + 1)
        return f"{begin}{first}{self._rest(comma, part.end)}"

    def _rest(self, start: int, end: int) -> str:
        """The text from a comma of a call to its end."""
        close = closing(self.tokens, self._opening_before(start))
        behind = self.sql[self.tokens[close].start : self.tokens[end - 1].end]
        return f", {self.render(start + 1, close)}{behind}"

    def _opening_before(self, at: int) -> int:
        depth = 0
        while at > 0:
            at -= 1
            depth += (self.tokens[at].key in {")", "]"}) - (self.tokens[at].key in {"(", "["})
            if depth < 0:
                break
        return at

    def _arguments(self, opening: int, close: int) -> Iterator[str]:
        """The texts between the commas of a call; of EXTRACT(part FROM value) both."""
        if close <= opening + 1:
            return
        cuts = [opening, *self._commas(opening + 1, close), close]
        if len(cuts) == 2 and self._key(opening + 2) == "FROM":
            cuts.insert(1, opening + 2)
        for first, last in pairwise(cuts):
            if last > first + 1:
                yield self._between(first + 1, last)

    def _sum(self, part: _Part, opening: int, group: _Part) -> str:
        distinct = self._key(opening + 1) == "DISTINCT"
        first = opening + 1 + distinct
        if first >= group.end - 1:
            return part.safe
        value = self._between(first, group.end - 1)
        behind = self.sql[self.tokens[group.end - 1].end : self.tokens[part.end - 1].end]
        double = f"sum({'DISTINCT ' if distinct else ''}0D + {as_double(value)}){behind}"
        raw = self.raw(part)
        return self._guarded([overflow(raw, f"abs({double} - {as_double(raw)}) > 1e15D")], part.safe)

    def _written_cast(self, part: _Part, name: str, opening: int, group: _Part) -> _Part:
        close, split = group.end - 1, 0
        depth = 0
        for at in range(opening + 1, close):
            key = self.tokens[at].key
            depth += (key in {"(", "["}) - (key in {")", "]"})
            if depth == 0 and key == "AS":
                split = at
        if not split or split == opening + 1 or split + 1 >= close:
            return part
        value, kind = self._between(opening + 1, split), self._between(split + 1, close)
        safe = f"{name}({self.render(opening + 1, split)} AS {kind})"
        return part._replace(safe=self._cast(value, safe, kind))

    def _choice(self, part: _Part, opening: int, group: _Part) -> _Part:
        cuts = [opening, *self._commas(opening + 1, group.end - 1), group.end - 1]
        if len(cuts) != 4:
            return part
        condition, first, second = (self.render(begin + 1, last) for begin, last in pairwise(cuts))
        texts = [self._between(begin + 1, last) for begin, last in pairwise(cuts[1:])]
        first = self._guarded(branch_guards(texts), first)
        return part._replace(safe=f"IF(({condition}) AND TRUE, {first}, {second})")

    def _commas(self, start: int, end: int) -> Iterator[int]:
        at = start
        while at < end:
            if self.tokens[at].key == ",":
                yield at
            at = closing(self.tokens, at) + 1 if self.tokens[at].key in {"(", "["} else at + 1

    def _case(self, at: int, end: int) -> _Part:
        cuts = [at, *self._branches(at, end)]
        if len(cuts) == 1 or self.tokens[cuts[-1]].key != "END":
            return _Part(at, at + 1, self.tokens[at].text)
        searched, pieces = self._key(at + 1) == "WHEN", list[str]()
        values = [self._between(first + 1, last) for first, last in self._results(cuts)]
        guards = list(branch_guards(values)) if len(values) > 1 else []
        for first, last in pairwise(cuts):
            inner = self.render(first + 1, last) if last > first + 1 else ""
            if guards and self.tokens[first].key == "THEN":
                inner, guards = self._guarded(guards, inner), []
            is_condition = searched and self.tokens[first].key == "WHEN"
            pieces.append(f"{self.tokens[first].text} {f'({inner}) AND TRUE' if is_condition else inner}".rstrip())
        return _Part(at, cuts[-1] + 1, " ".join([*pieces, "END"]))

    def _results(self, cuts: list[int]) -> Iterator[tuple[int, int]]:
        for first, last in pairwise(cuts):
            if self.tokens[first].key in {"THEN", "ELSE"} and last > first + 1:
                yield first, last

    def _branches(self, at: int, end: int) -> Iterator[int]:
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

    def _guarded(self, guards: Iterable[Guard], safe: str) -> str:
        """`safe`, but what a guard says where it holds."""
        whens = [f"WHEN {when} THEN {error}" for when, error in guards if self._ansi or error != OVERFLOW]
        return f"CASE {' '.join(whens)} ELSE {safe} END" if whens else safe

    def _cast(self, value: str, safe: str, kind: str) -> str:
        """A cast, whose text is `safe`, which fails where Spark has none from the type of `value`."""
        return safe if _LITERAL.fullmatch(value.strip()) else self._guarded(cast_guards(value, kind), safe)
