"""SQL text with checks that Spark makes by itself and Sail does not, and limits of nesting and of function calls.

The checks, of overflow of integers, casts and conditions, are defined in `guards`. An expression or a whole query is
read over its tokens, by Spark's order of precedence; text that cannot be read stays unchanged, byte for byte. With
`compared_only` a call is refused whose results were not compared with Spark's.

Nesting is limited, since Sail's planner takes exponential time below CASE and CAST, and its stack ends. Measured on
Sail 0.7.2: 14 checked signs take 2 seconds and each further one doubles that, 12 pairs of casts take 2 seconds, and a
sum of 1,000 terms ends the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import pairwise

from deltasql.base import Token, closing, errors, tokenize
from deltasql.engines.sail.dialect.pipes import SIGNS, MapPart, with_least
from deltasql.engines.sail.guards.comparisons import ComparedParts
from deltasql.engines.sail.guards.exact_types import EXACT_DIGITS, RETYPED, Operand, OperandRows, common_type
from deltasql.engines.sail.guards.guards import (
    AS_INT,
    CONVERSIONS,
    FEW_TERMS,
    MIXED,
    MOST_TERMS,
    UNLIKE,
    Guard,
    Kind,
    arithmetic_guards,
    as_double,
    branch_guards,
    call_guards,
    cast_guards,
    decimal_guards,
    is_compared,
    is_plain_run,
    mixed_guards,
    overflow,
    run_guards,
    sign_guards,
    unlike_call,
)
from deltasql.schema import DOUBLE, FLOAT, DataType, DecimalType, sql_text

MOST_SUMMED = 256
"""Terms of one sum, or of one row of `||`."""
_MOST = {"CASE": 14, "CAST": 12, "(": 100}
_CASTS = frozenset({"CAST", "TRY_CAST"})
_SHORT = 100
"""A text of fewer characters cannot be nested too deep."""


def check_nesting(sql: str) -> str:
    """`sql`, unless Sail could not plan it in bounded time. Raises NotOnSailError."""
    if len(sql) < _SHORT:
        return sql
    depth = dict.fromkeys(_MOST, 0)
    for kind, change in _changes(tokenize(sql)):
        depth[kind] += change
        if depth[kind] > _MOST[kind]:
            what = {"CASE": "CASE, or operators that are checked,", "CAST": "casts", "(": "brackets"}[kind]
            raise errors.NotOnSailError(what=f"{what} nested more than {_MOST[kind]} deep")
    return sql


def _changes(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    opened = list[bool]()
    for at, token in enumerate(tokens):
        if token.key == "(":
            opened.append(at > 0 and tokens[at - 1].key in _CASTS)
            yield "(", 1
            if opened[-1]:
                yield "CAST", 1
        elif token.key == ")" and opened:
            yield "(", -1
            if opened.pop():
                yield "CAST", -1
        elif token.key in {"CASE", "END"}:
            yield "CASE", 1 if token.key == "CASE" else -1


_SIDES = {"BOTH": "BTRIM", "LEADING": "LTRIM", "TRAILING": "RTRIM"}
_BETWEEN = frozenset({"FROM", "FOR", "IN", "PLACING"})
"""Words that stand between arguments in place of a comma: substring(s FROM 1 FOR 2)."""
_SPOKEN = frozenset({"EXTRACT", "TRIM", "SUBSTR", "SUBSTRING", "POSITION", "OVERLAY"})


class ComparedCalls(ComparedParts):
    """One text; with `compared_only` a call is refused whose results were not compared with Spark's."""

    compared_only = False

    def operands(self, opening: int, close: int) -> list[Operand]:
        """The arguments of a call between two brackets, without DISTINCT."""
        spans = [(first + (self.key(first) == "DISTINCT"), last) for first, last in self.spans(opening, close)]
        return [Operand(self.between(*span), self.render(*span), span[0]) for span in spans if span[0] < span[1]]

    def require_compared(self, name: str, opening: int, close: int) -> None:
        """Raises NotOnSailError for a call whose results on Sail were not compared with Spark's."""
        if not self.compared_only:
            return
        name, operands = self._spoken(name, opening, close)
        if not is_compared(name, self._compared_arguments(name, operands), ansi=self.ansi):
            shown = ", ".join(map(_shown, (self.exact.kind(operand) for operand in operands)))
            raise errors.NotOnSailError(what=f"{name.lower()}({shown}), whose results were not compared with Spark's")

    def _compared_arguments(self, name: str, operands: Sequence[Operand]) -> list[tuple[str, Kind]]:
        """The arguments of a call with their types; for MIXED the common type, to which they are cast."""
        kinds = [self.exact.kind(operand) for operand in operands] if name in MIXED else []
        typed = [kind for kind in kinds if kind is not None]
        if typed and len(typed) == len(kinds):
            return [(operand.raw, partial(_same, common_type(typed))) for operand in operands]
        return [(operand.raw, partial(self.exact.kind, operand)) for operand in operands]

    def _is_outer(self, opening: int, at: int) -> bool:
        """Whether a token is outside of inner brackets within those that open at `opening`."""
        depth = 0
        for index in range(opening + 1, at):
            depth += (self.key(index) in {"(", "["}) - (self.key(index) in {")", "]"})
        return depth == 0

    def _spoken(self, name: str, opening: int, close: int) -> tuple[str, list[Operand]]:
        """The function and arguments of a call; TRIM(BOTH x FROM s) and the like as a call with plain arguments."""
        if name not in _SPOKEN:
            return name, self.operands(opening, close)
        words = [at for at in range(opening + 1, close) if self.key(at) in _BETWEEN and self._is_outer(opening, at)]
        if not words:
            return name, self.operands(opening, close)
        side = _SIDES.get(self.key(opening + 1), "")
        operands = list(self._between([opening + bool(side), *words, close]))
        if name == "EXTRACT":
            return "DATE_PART", [operands[0]._replace(raw=f"'{operands[0].raw}'"), *operands[1:]]
        return (side or "BTRIM", operands[::-1]) if name == "TRIM" else (name, operands)

    def _between(self, cuts: Sequence[int]) -> Iterator[Operand]:
        for before, behind in pairwise(cuts):
            if behind > before + 1:
                yield Operand(self.between(before + 1, behind), self.render(before + 1, behind), before + 1)


def _same(kind: DataType | None) -> DataType | None:
    return kind


def _shown(kind: DataType | None) -> str:
    return "an unknown type" if kind is None else sql_text(kind)


_CALLS = (
    *CONVERSIONS,
    *AS_INT,
    *MIXED,
    *UNLIKE,
    *RETYPED,
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
_RUNS = {"+": frozenset("+-"), "-": frozenset("+-"), "||": frozenset({"||"})}
_CALL = re.compile(r"[\w`]\s*\(")
_LITERAL = re.compile(r"NULL|-\d{10,19}|-128|-32768|'[^'\\\\]*'", re.IGNORECASE)
"""Texts and NULL have a cast to whatever has one, and to the same value."""
_COMPARES = re.compile(r"[=<>]|\b(?:in|between)\b", re.IGNORECASE)
_TELLS = re.compile(r"\b(?:distinct|over|group|greatest|least)\b", re.IGNORECASE)
"""Words of clauses and calls that may tell -0.0 and 0.0 apart."""
_WITH_DOUBLE = frozenset({"NVL", "IFNULL"})
"""Functions that give a DOUBLE for a DECIMAL and a whole number."""
_SMALL = re.compile(r"[(+-]*\d{1,4}\)*")


def with_checks(
    sql: str,
    *,
    ansi: bool = True,
    days: bool = False,
    decimals: bool = False,
    rows: OperandRows | None = None,
    compared_only: bool = False,
) -> str:
    """`sql`, an expression or a query, with its checks; the same text where it needs none.

    Without `ansi` integers wrap around in Spark as well. With `days` what is compared may be a DATE, and with
    `decimals` what is computed may be a DECIMAL or a FLOAT; `rows` tell the types of operands. `compared_only` refuses
    calls of functions whose results were not compared with Spark's. Raises NotOnSailError.
    """
    is_suspect = _SUSPECT.search(sql) or ((days or rows is not None) and (_COMPARES.search(sql) or _TELLS.search(sql)))
    if not is_suspect and not (compared_only and _CALL.search(sql)):
        return check_nesting(sql)
    checks = _Checks(with_least(sql), ansi=ansi, days=days and "->" not in sql, decimals=decimals, rows=rows)
    checks.compared_only = compared_only
    if rows is not None and _TELLS.search(sql):
        checks.refuse_signs_of_zero()
    try:
        return check_nesting(checks.text())
    except RecursionError:
        raise errors.NotOnSailError(what="an expression that is nested that deep") from None


class _Checks(ComparedCalls):
    """One text: `render` for what may hold values, `_chain` for one value."""

    def __init__(self, sql: str, *, ansi: bool, days: bool, decimals: bool, rows: OperandRows | None) -> None:
        super().__init__(sql, ansi=ansi, days=days, decimals=decimals, rows=rows)
        self._rendered = dict[tuple[int, int], str]()
        self._retyped = list[int]()
        """Where values begin that have other types than in the text as it was given."""

    def text(self) -> str:
        """The whole text."""
        if not self.tokens:
            return self.sql
        inner = self.render(0, len(self.tokens))
        return self.sql[: self.tokens[0].start] + inner + self.sql[self.tokens[-1].end :]

    def render(self, start: int, end: int) -> str:
        """The checked text of some tokens, from the first to the last; each span is read once."""
        if (start, end) not in self._rendered:
            self._rendered[start, end] = self._render(start, end)
        return self._rendered[start, end]

    def _render(self, start: int, end: int) -> str:
        pieces, at, expecting = list[str](), start, True
        while at < end:
            part = self.compared(at, end) if expecting and self.begins_value(at) else MapPart(at, at + 1, "")
            if at > start:
                pieces.append(self.sql[self.tokens[at - 1].end : self.tokens[at].start])
            pieces.append(part.safe or self.raw(part))
            expecting = not part.safe and self.expects(at)
            at = part.end
            if self.tokens[part.end - 1].key == "AS" and at < end and not part.safe:
                pieces.append(self.sql[self.tokens[at - 1].end : self.tokens[at].end])
                at += 1
        return "".join(pieces)

    def chain(self, at: int, end: int, level: int) -> MapPart:
        left = self._signed(at, end)
        while left.end < end - 1:
            key = self.tokens[left.end].key
            precedence = _LEVELS.get(key, 0)
            if precedence < level or not self.begins_value(left.end + 1):
                break
            if key in _RUNS:
                left = self._run(left, end, _RUNS[key], precedence)
            else:
                left = self._combined(left, key, self.chain(left.end + 1, end, precedence + 1))
        return left

    def _run(self, left: MapPart, end: int, keys: frozenset[str], level: int) -> MapPart:
        """A row of operators of one kind, `a + b - c + …`. A long one is checked as a whole.

        The checks of each operator repeat all that stands before it, and Sail plans nested ones in exponential time.
        """
        terms, operators = [left], list[str]()
        while terms[-1].end < end - 1 and self.key(terms[-1].end) in keys and self.begins_value(terms[-1].end + 1):
            operators.append(self.key(terms[-1].end))
            terms.append(self.chain(terms[-1].end + 1, end, level + 1))
        kinds = [self.exact.kind(self.operand(term)) for term in terms] if len(terms) > FEW_TERMS else []
        if len(terms) <= FEW_TERMS or (len(terms) <= MOST_TERMS and not is_plain_run(kinds)):
            return reduce(
                lambda so_far, one: self._combined(so_far, *one), zip(operators, terms[1:], strict=True), left
            )
        return self._long_run(terms, kinds)

    def _long_run(self, terms: Sequence[MapPart], kinds: Sequence[DataType | None]) -> MapPart:
        """Raises NotOnSailError where the values are not of one kind, or too many."""
        if not is_plain_run(kinds) or len(terms) > MOST_SUMMED:
            what = f"a sum of {len(terms)} terms, of several types or more than {MOST_SUMMED}: add them in parts"
            raise errors.NotOnSailError(what=what)
        whole = MapPart(terms[0].start, terms[-1].end, "")
        guards = run_guards(kinds, list(map(self._guarded_text, terms)))
        return whole._replace(safe=self.guarded(guards, f"({self.with_texts(whole, terms, [t.safe for t in terms])})"))

    def _combined(self, left: MapPart, key: str, right: MapPart) -> MapPart:
        between = self.sql[self.tokens[left.end - 1].end : self.tokens[right.start].start]
        whole = MapPart(left.start, right.end, left.safe + between + right.safe)
        first, second, raw = self._guarded_text(left), self._guarded_text(right), self._guarded_text(whole)
        if _SMALL.fullmatch(first) and _SMALL.fullmatch(second):
            return whole
        guards = list(arithmetic_guards(key, first, second, raw))
        if self.decimals:
            operands = self.operand(left), self.operand(right)
            exact_text = self.exact.arithmetic(key, *operands)
            if exact_text is not None:
                self._retyped.append(left.start)
                return whole._replace(safe=exact_text)
            if self.exact.has_decimals(*operands) is None and not any(map(self.exact.only_sorts, operands)):
                guards += decimal_guards(key, first, second)
        return whole._replace(safe=self.guarded(guards, f"({whole.safe})"))

    def _guarded_text(self, part: MapPart) -> str:
        """The text of a part for guards: the short one, unless its types are others there."""
        is_retyped = any(part.start <= position < part.end for position in self._retyped)
        return part.safe if is_retyped else self.raw(part)

    def _signed(self, at: int, end: int) -> MapPart:
        token = self.tokens[at]
        if token.key not in SIGNS or at + 1 >= end:
            return self._value(at, end)
        following = self.tokens[at + 1]
        if token.key == "-" and following.kind == "number":
            part = MapPart(at, self._value(at + 1, end).end, "")
            return part._replace(safe=self.raw(part))
        if not self.begins_value(at + 1):
            return MapPart(at, at + 1, token.text)
        inner = self._signed(at + 1, end)
        gap = self.sql[token.end : following.start]
        part = MapPart(at, inner.end, token.text + gap + inner.safe)
        return part._replace(
            safe=self.guarded(
                sign_guards(token.key, self._guarded_text(inner), self._guarded_text(part)), f"({part.safe})"
            )
        )

    def _value(self, at: int, end: int) -> MapPart:
        part = self._atom(at, end)
        while part.end < end:
            key = self.tokens[part.end].key
            if key == "[":
                close = min(closing(self.tokens, part.end), end - 1)
                inner = self.render(part.end + 1, close) if close > part.end + 1 else ""
                part = MapPart(at, close + 1, f"{part.safe}[{inner}]")
            elif key == "." and part.end + 1 < end:
                part = MapPart(at, part.end + 2, part.safe + self.between(part.end, part.end + 2))
            elif key == "::" and part.end + 1 < end:
                close = self.type_end(part.end + 1, end)
                kind = self.between(part.end + 1, close)
                whole = MapPart(at, close, "")
                part = whole._replace(safe=self._cast(self.raw(part), f"{part.safe}::{kind}", kind))
            else:
                break
        return part

    def _atom(self, at: int, end: int) -> MapPart:
        token = self.tokens[at]
        if token.key == "(":
            return self._bracket(at, end)
        if token.key == "CASE":
            return self._case(at, end)
        if token.key == "INTERVAL" and (interval := self.interval_end(at, end)):
            return MapPart(at, interval, self.between(at, interval))
        if token.is_name:
            return self._named(at, end)
        after = at + 1
        while token.kind == "string" and after < end and self.tokens[after].kind == "string":
            after += 1
        return MapPart(at, after, self.between(at, after))

    def _bracket(self, at: int, end: int) -> MapPart:
        close = min(closing(self.tokens, at), end - 1)
        part = MapPart(at, close + 1, "")
        if close <= at + 1:
            return part._replace(safe=self.raw(part))
        before = self.sql[self.tokens[at].start : self.tokens[at + 1].start]
        behind = self.sql[self.tokens[close - 1].end : self.tokens[close].end]
        return part._replace(safe=before + self.render(at + 1, close) + behind)

    def _named(self, at: int, end: int) -> MapPart:
        token, after = self.tokens[at], at + 1
        if after < end and self.tokens[after].kind == "string" and token.kind == "word":
            return MapPart(at, after + 1, self.between(at, after + 1))
        while after + 1 < end and self.tokens[after].key == ".":
            after += 2
        if after >= end or self.tokens[after].key != "(":
            return MapPart(at, after, self.between(at, after))
        group = self._bracket(after, end)
        close = self.behind_call(group.end, end)
        behind = self.sql[self.tokens[group.end - 1].end : self.tokens[close - 1].end]
        part = MapPart(at, close, self.between(at, after) + group.safe + behind)
        return self._called(part, token.name.upper(), after, group) if after == at + 1 else part

    def _called(self, part: MapPart, name: str, opening: int, group: MapPart) -> MapPart:
        arguments = list(self.arguments(opening, group.end - 1))
        raw = self.raw(part)
        if what := unlike_call(name, arguments):
            raise errors.NotOnSailError(what=what)
        self.require_compared(name, opening, group.end - 1)
        match name:
            case "CAST" | "TRY_CAST":
                return self._written_cast(part, name, opening, group)
            case "SUM":
                return part._replace(safe=self._sum(part, opening, group))
            case "RAISE_ERROR" | "ASSERT_TRUE" if len(arguments) == 1 + (name == "ASSERT_TRUE"):
                *others, text = arguments
                message = f"concat('[USER_RAISED_EXCEPTION] ', {text})"
                return part._replace(safe=f"{name}({', '.join([*others, message])})")
            case "IF" | "IFF":
                return self._choice(part, opening, group)
            case _ if name in AS_INT:
                return part._replace(safe=f"CAST({part.safe} AS INT)")
            case _ if name in CONVERSIONS and len(arguments) == 1:
                return part._replace(safe=self._cast(arguments[0], part.safe, name.lower()))
            case _ if name in RETYPED:
                return part._replace(safe=self._of_decimals(part, name, opening, group))
            case _ if name in MIXED and len(arguments) > 1:
                return part._replace(safe=self._mixed(part, name, opening))
        return part._replace(safe=self.guarded(call_guards(name, arguments, raw), part.safe))

    def _nullif(self, part: MapPart, operands: Sequence[Operand]) -> str:
        """`nullif(a, b)` compares its values, and has the type of the first; "" where Sail's does as well.

        Sail's tells 0.0 and -0.0 apart.
        """
        guards, (one, other) = self.compared_operands(operands)
        is_float = any(self.exact.kind(operand) in (FLOAT, DOUBLE) for operand in operands)
        if is_float or [one, other] != [operand.safe for operand in operands]:
            return f"CASE WHEN {one} = {other} THEN NULL ELSE {operands[0].safe} END"
        return self.guarded(guards, part.safe) if guards else ""

    def _of_decimals(self, part: MapPart, name: str, opening: int, group: MapPart) -> str:
        """A function that is another one for DECIMAL."""
        operands = self.operands(opening, group.end - 1)
        if name == "NULLIF" and len(operands) == 2 and (checked := self._nullif(part, operands)):
            return checked
        if not self.decimals or not operands:
            return part.safe
        behind = self.sql[self.tokens[group.end - 1].end : self.tokens[part.end - 1].end]
        exact_text = self.exact.called(name, operands, part.safe, behind)
        if exact_text is not None:
            self._retyped.append(part.start)
            return exact_text
        if self.exact.has_decimals(*operands) is not None:
            return part.safe
        return self.guarded(decimal_guards(name, *(operand.raw for operand in operands)), part.safe)

    def _mixed(self, part: MapPart, name: str, opening: int) -> str:
        """The guards stand around the first value: the type of all of them stays as it is."""
        operands = self.operands(opening, part.end - 1)
        begin = self.between(part.start, opening + 1)
        close = closing(self.tokens, opening)
        behind = self.sql[self.tokens[close].start : self.tokens[part.end - 1].end]
        # Of the first one of NVL2 nothing but NULL counts.
        first = [operands.pop(0).safe] if name == "NVL2" else []
        values = self.exact.alike(operands)
        if values is None:
            values = [operand.safe for operand in operands]
            raws = [operand.raw for operand in operands]
            guards = list(branch_guards(raws) if first else mixed_guards(raws))
            if self.decimals and name in _WITH_DOUBLE:
                guards += decimal_guards(name, *raws)
            values[0] = self.guarded(guards, values[0])
        else:
            self._retyped.append(part.start)
            if first:
                return f"CASE WHEN ({first[0]}) IS NOT NULL THEN {values[0]} ELSE {values[-1]} END"
            # Sail's own for two values makes a DOUBLE of DECIMAL.
            begin = "coalesce(" if name in _WITH_DOUBLE else begin
        return f"{begin}{', '.join([*first, *values])}{behind}"

    def _sum(self, part: MapPart, opening: int, group: MapPart) -> str:
        distinct = self.key(opening + 1) == "DISTINCT"
        first = opening + 1 + distinct
        if first >= group.end - 1:
            return part.safe
        inner = MapPart(first, group.end - 1, self.render(first, group.end - 1))
        value = self._guarded_text(inner)
        behind = self.sql[self.tokens[group.end - 1].end : self.tokens[part.end - 1].end]
        double = f"sum({'DISTINCT ' if distinct else ''}0D + {as_double(value)}){behind}"
        raw = self._guarded_text(part)
        return self.guarded([overflow(raw, f"abs({double} - {as_double(raw)}) > 1e15D")], part.safe)

    def _written_cast(self, part: MapPart, name: str, opening: int, group: MapPart) -> MapPart:
        close, split = group.end - 1, 0
        depth = 0
        for at in range(opening + 1, close):
            key = self.tokens[at].key
            depth += (key in {"(", "["}) - (key in {")", "]"})
            if depth == 0 and key == "AS":
                split = at
        if not split or split == opening + 1 or split + 1 >= close:
            return part
        value, kind = self.between(opening + 1, split), self.between(split + 1, close)
        inner = self.render(opening + 1, split)
        if kind.upper() in {"DOUBLE", "FLOAT", "REAL"} and self.decimals:
            from_kind = self.exact.kind(Operand(value, inner, opening + 1))
            if isinstance(from_kind, DecimalType) and from_kind.precision > EXACT_DIGITS:
                inner = f"CAST({inner} AS STRING)"
        safe = f"{name}({inner} AS {kind})"
        return part._replace(safe=self._cast(value, safe, kind))

    def _choice(self, part: MapPart, opening: int, group: MapPart) -> MapPart:
        spans = list(self.spans(opening, group.end - 1))
        if len(spans) != 3:
            return part
        first, second = self._branches(spans[1:])
        return part._replace(safe=f"IF(({self.render(*spans[0])}) AND TRUE, {first}, {second})")

    def _case(self, at: int, end: int) -> MapPart:
        cuts = [at, *self.branches(at, end)]
        if len(cuts) == 1 or self.tokens[cuts[-1]].key != "END":
            return MapPart(at, at + 1, self.tokens[at].text)
        pieces, searched_by = list[str](), "WHEN" if self.key(at + 1) == "WHEN" else ""
        values = iter(self._branches([(first + 1, last) for first, last in self.results(cuts)]))
        guards, texts = ([], []) if searched_by else self._case_operands(cuts)
        compared_texts = iter(texts)
        for first, last in pairwise(cuts):
            key = self.tokens[first].key
            if last == first + 1:
                inner = ""
            elif key in {"THEN", "ELSE"}:
                inner = next(values)
            else:
                inner = next(compared_texts, None) or self.render(first + 1, last)
            inner = f"({inner}) AND TRUE" if key == searched_by else inner
            pieces.append(f"{self.tokens[first].text} {inner}".rstrip())
        return MapPart(at, cuts[-1] + 1, self.guarded(guards, " ".join([*pieces, "END"])))

    def _case_operands(self, cuts: Sequence[int]) -> tuple[list[Guard], list[str]]:
        """The texts of the value of CASE and of those that it is compared with, or the guards of unknown types."""
        spans = [(first + 1, last) for first, last in pairwise(cuts) if self.key(first) in {"CASE", "WHEN"}]
        operands = [Operand(self.between(*span), self.render(*span), span[0]) for span in spans if span[0] < span[1]]
        return self.compared_operands(operands) if len(operands) == len(spans) > 1 else ([], [])

    def _branches(self, spans: list[tuple[int, int]]) -> list[str]:
        """Values of which one is taken, of one type; where that is not known, the first one tells that they differ."""
        operands = [Operand(self.between(*span), self.render(*span), span[0]) for span in spans]
        if len(operands) < 2:
            return [operand.safe for operand in operands]
        values = self.exact.alike(operands)
        if values is None:
            first, *others = operands
            guards = branch_guards([operand.raw for operand in operands])
            return [self.guarded(guards, first.safe), *(operand.safe for operand in others)]
        if values != [operand.safe for operand in operands]:
            self._retyped.append(spans[0][0])
        return values

    def _cast(self, value: str, safe: str, kind: str) -> str:
        """A cast, whose text is `safe`, which fails where Spark has none from the type of `value`."""
        guards = list(cast_guards(value, kind))
        return safe if _LITERAL.fullmatch(value.strip()) else self.guarded(guards, safe)
