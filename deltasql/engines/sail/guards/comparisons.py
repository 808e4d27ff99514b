"""Comparisons as Spark makes them: pairs of types that Sail compares to the same result, and casts for other pairs.

Any other pair of types is refused. `tests/sail/comparisons.py` compares every pair over a grid of values with Spark's
answers. Source: Spark, ANSI type coercion; each pair was tried on Sail 0.7.2.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import pairwise

from deltasql.base import AFTER_COLUMNS, closing, errors
from deltasql.engines.sail.dialect.pipes import MapPart, Parts
from deltasql.engines.sail.guards.exact_types import Exact, Operand, OperandRows, cast_text
from deltasql.engines.sail.guards.guards import OVERFLOW, Guard, comparison_guards, day_comparison
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    MOMENTS,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_integral,
    is_number,
    sql_text,
)

_COMPARING = frozenset({"=", "==", "<=>", "<>", "!=", "<", ">", "<=", ">=", "IN", "BETWEEN"})
_NAME = r"(?:`(?:[^`]|``)+`|(?!(?i:null|true|false)\b)[A-Za-z_]\w*)"
_SIMPLE = re.compile(rf"{_NAME}(?:\.{_NAME})*|\d+|(?i:date)\s*'[^']*'|(?i:current_date)(?:\(\))?")
"""Values that may be compared with a guard: a column, a whole number, a day."""
_APPROXIMATE = frozenset({FLOAT, DOUBLE})


def comparison_type(left: DataType, right: DataType, *, ansi: bool) -> DataType | None:
    """The type that both sides of a comparison are cast to; VOID where Sail compares them as they are.

    None for a pair of types that no test has compared with Spark's results.
    """
    pair = {left, right}
    if len(pair) == 1 or VOID in pair or _are_exact(left, right):
        return VOID
    if pair <= {*MOMENTS}:
        return TIMESTAMP if TIMESTAMP in pair else TIMESTAMP_NTZ
    for kinds, compares in ((_APPROXIMATE, _beside_approximate), ({STRING}, _beside_text)):
        if pair & kinds:
            kind, other = (left, right) if left in kinds else (right, left)
            return compares(kind, other, ansi=ansi)
    return None


def has_approximate_parts(kind: DataType) -> bool:
    """Whether a value has parts that are FLOAT or DOUBLE: Sail tells -0.0 and 0.0 apart there."""
    match kind:
        case StructType():
            return any(field.type in _APPROXIMATE or has_approximate_parts(field.type) for field in kind)
        case ArrayType(element):
            return element in _APPROXIMATE or has_approximate_parts(element)
        case MapType(key, value):
            return any(part in _APPROXIMATE or has_approximate_parts(part) for part in (key, value))
        case _:
            return False


def _are_exact(left: DataType, right: DataType) -> bool:
    return all(is_integral(kind) or isinstance(kind, DecimalType) for kind in (left, right))


def _beside_approximate(kind: DataType, other: DataType, *, ansi: bool) -> DataType | None:
    """A FLOAT or DOUBLE beside another type: both are a DOUBLE; without ANSI a FLOAT may stay one."""
    if kind == DOUBLE and is_integral(other):
        return VOID
    always = isinstance(other, DecimalType) or other in _APPROXIMATE
    return DOUBLE if always or (ansi and (is_integral(other) or other == STRING)) else None


def _beside_text(_: DataType, other: DataType, *, ansi: bool) -> DataType | None:
    if not ansi:
        return None
    if other == BOOLEAN or isinstance(other, DecimalType):
        return BOOLEAN if other == BOOLEAN else DOUBLE
    return VOID if other in (*MOMENTS, BINARY) or is_integral(other) else None


def compared(exact: Exact, operands: Sequence[Operand], *, ansi: bool) -> list[str] | None:
    """The texts of a value and those that it is compared with, cast to one type where Sail needs that.

    None where a type is not known before the statement runs. Raises NotOnSailError for a pair of types without test.
    """
    kinds = [exact.kind(operand) for operand in operands]
    typed = [kind for kind in kinds if kind is not None]
    _require_whole(typed)
    if None in kinds:
        return None
    common = _common_type(typed, ansi=ansi)
    if common is None and DATE in typed and any(map(is_number, typed)):
        # Spark has no such comparison: a guard says so, with Spark's condition.
        return None
    if common is None:
        raise _refused(typed, ansi=ansi)
    return [
        operand.safe if VOID in (common, kind) or kind == common else cast_text(operand.safe, kind, common)
        for operand, kind in zip(operands, typed, strict=True)
    ]


def _require_whole(kinds: Sequence[DataType]) -> None:
    if any(map(has_approximate_parts, kinds)):
        raise errors.NotOnSailError(what="a comparison of values with FLOAT or DOUBLE in them, where -0.0 is not 0.0")


def _common_type(kinds: Sequence[DataType], *, ansi: bool) -> DataType | None:
    """The type of a value and all that it is compared with; as `comparison_type`."""
    candidates = {comparison_type(kinds[0], other, ansi=ansi) for other in kinds[1:]}
    casts = candidates - {VOID}
    if len(casts) > 1 or (casts and VOID in candidates and STRING in kinds):
        return None
    return casts.pop() if casts else VOID


def _refused(kinds: Sequence[DataType], *, ansi: bool) -> errors.NotOnSailError:
    first, *others = kinds
    other = next((kind for kind in others if comparison_type(first, kind, ansi=ansi) is None), others[-1])
    pair = " and ".join(sorted({sql_text(first), sql_text(other)}))
    return errors.NotOnSailError(what=f"a comparison of {pair}, which was not tested against Spark: cast one of them")


class ComparedParts(Parts):
    """One text whose comparisons are rewritten to have the results of Spark.

    `days` and `decimals`: a DATE, or a DECIMAL or FLOAT, may be among the values; `rows` give the types of operands.
    """

    def __init__(self, sql: str, *, ansi: bool, days: bool, decimals: bool, rows: OperandRows | None) -> None:
        super().__init__(sql)
        self.ansi, self.days, self.decimals = ansi, days, decimals
        self.exact = Exact(sql, self.tokens, rows, ansi=ansi)
        self._typed = rows is not None

    def refuse_signs_of_zero(self) -> None:
        """Raises NotOnSailError for clauses and calls in which Sail tells -0.0 and 0.0 apart.

        They are DISTINCT within a call, the partitions and the order of windows, greatest and least of FLOAT or DOUBLE,
        and GROUP BY and DISTINCT of values with such parts. A frame RANGE BETWEEN n of a DATE has no bounds there.
        """
        for at, token in enumerate(self.tokens):
            if token.key == "OVER" and self.key(at + 1) == "(":
                self._refuse_window(at + 2, closing(self.tokens, at + 1))
            elif token.key == "DISTINCT" and self.key(at - 1) == "(" and at > 1 and self.tokens[at - 2].is_name:
                self._refuse_approximate("DISTINCT in a call", at + 1, closing(self.tokens, at - 1))
            elif token.key in {"GREATEST", "LEAST"} and self.key(at + 1) == "(":
                self._refuse_approximate(token.key.lower(), at + 2, closing(self.tokens, at + 1))
            elif (token.key, self.key(at + 1)) == ("GROUP", "BY"):
                self._refuse_approximate("GROUP BY", at + 2, self._clause_end(at + 2), parts_only=True)
            elif (token.key, self.key(at + 1)) == ("SELECT", "DISTINCT"):
                self._refuse_approximate("DISTINCT", at + 2, self._clause_end(at + 2), parts_only=True)

    def _refuse_window(self, start: int, end: int) -> None:
        frame = next((at for at in range(start, end) if self.key(at) in {"ROWS", "RANGE"}), end)
        order = next((at for at in range(start, frame) if (self.key(at), self.key(at + 1)) == ("ORDER", "BY")), frame)
        begin = start + 2 if self.key(start) == "PARTITION" else start
        self._refuse_approximate("a window", begin, order)
        self._refuse_approximate("a window", order + 2, frame)
        bounds = {self.key(at - 1) for at in range(frame, end) if self.key(at) in {"PRECEDING", "FOLLOWING"}}
        if self.key(frame) == "RANGE" and bounds - {"UNBOUNDED"}:
            self._refuse_days(order + 2, frame)

    def _refuse_days(self, start: int, end: int) -> None:
        kinds = [self.exact.kind(operand) for operand in self._operands(start, end)]
        if None in kinds or DATE in kinds:
            raise errors.NotOnSailError(what="a frame RANGE of a number of days over a DATE")

    def _clause_end(self, start: int) -> int:
        """Where the list of a clause ends, from its first token on."""
        depth = 0
        for at in range(start, len(self.tokens)):
            depth += (self.key(at) in {"(", "["}) - (self.key(at) in {")", "]"})
            if depth < 0 or (depth == 0 and self.key(at) in AFTER_COLUMNS):
                return at
        return len(self.tokens)

    def _operands(self, start: int, end: int) -> list[Operand]:
        """The values between the commas of some tokens, without ASC, DESC and an alias with AS."""
        cuts = [start - 1, *self.commas(start, end), end]
        found = []
        for first, last in pairwise(cuts):
            behind = [at for at in range(first + 1, last) if self.key(at) in {"ASC", "DESC", "NULLS", "AS"}]
            stop = behind[0] if behind else last
            if first + 1 < stop:
                raw = self.between(first + 1, stop)
                found.append(Operand(raw, raw, first + 1))
        return found

    def _refuse_approximate(self, what: str, start: int, end: int, *, parts_only: bool = False) -> None:
        for operand in self._operands(start, end) if start < end else ():
            if operand.raw != "*" and self._is_approximate(operand, parts_only=parts_only):
                raise errors.NotOnSailError(what=f"{what} of {operand.raw}, a FLOAT or DOUBLE, where -0.0 is not 0.0")

    def _is_approximate(self, operand: Operand, *, parts_only: bool = False) -> bool:
        kind = self.exact.kind(operand)
        return kind is not None and (has_approximate_parts(kind) or (kind in _APPROXIMATE and not parts_only))

    @abstractmethod
    def render(self, start: int, end: int) -> str:
        """The checked text of some tokens, from the first to the last."""

    @abstractmethod
    def chain(self, at: int, end: int, level: int) -> MapPart:
        """The value that begins at a token, with operators of a level and above."""

    def compared(self, at: int, end: int) -> MapPart:
        """A value, and the others that it is compared with, in types that Sail compares as Spark does."""
        left = self.chain(at, end, 1)
        after = left.end + (self.key(left.end) == "NOT")
        key = self.key(after)
        first = after + 1 + (key == "IN")
        if key not in _COMPARING or first >= end or not (self.begins_value(first) or self._is_query(first)):
            return left
        others = self._others(key, after, end)
        whole = MapPart(at, others[-1].end + (key == "IN" and not self._is_query(first)), "") if others else left
        if not others or whole.end > end:
            return left
        guards, texts = self._comparison([left, *others], first)
        return whole._replace(safe=self.guarded(guards, self.with_texts(whole, [left, *others], texts)))

    def _comparison(self, parts: Sequence[MapPart], first: int) -> tuple[list[Guard], list[str]]:
        """The guards and texts of compared values. Rows in brackets, `(a, b)`, stay as they are."""
        operands = list(map(self.operand, parts))
        if self._is_row(parts[0]):
            return [], [operand.safe for operand in operands]
        guards, texts = self.compared_operands(operands)
        if not self._is_query(first):
            return guards, texts
        if any(self._is_approximate(operand) for operand in operands):
            raise errors.NotOnSailError(what="IN (SELECT …) of FLOAT or DOUBLE, where -0.0 is not 0.0")
        if texts[1] != operands[1].safe:
            raise errors.NotOnSailError(what="IN (SELECT …) of values of another type: cast what is selected")
        return [], texts

    def compared_operands(self, operands: Sequence[Operand]) -> tuple[list[Guard], list[str]]:
        """A value and those that it is compared with: with casts where their types are known, else with guards."""
        texts = compared(self.exact, operands, ansi=self.ansi) if self._typed else None
        if texts is not None:
            return [], texts
        first, *others = [operand.raw for operand in operands]
        guards = [
            guard
            for other in others
            for guard in comparison_guards(first, other, days=self.days, decimals=self.decimals)
        ]
        is_simple = _SIMPLE.fullmatch(first) and _SIMPLE.fullmatch(others[0])
        if self.days and is_simple and not (first + others[0]).isdecimal():
            guards.insert(0, day_comparison(first, others[0]))
        return guards, [operand.safe for operand in operands]

    def operand(self, part: MapPart) -> Operand:
        """A part as the types of operands are asked for."""
        return Operand(self.raw(part), part.safe, part.start)

    def _is_row(self, part: MapPart) -> bool:
        """Whether a part is several values in brackets, `(a, b)`."""
        return self.key(part.start) == "(" and any(self.commas(part.start + 1, part.end - 1))

    def _is_query(self, at: int) -> bool:
        return self.key(at) in {"SELECT", "WITH"}

    def _others(self, key: str, operator: int, end: int) -> list[MapPart]:
        """The values on the right of `a = b`, `a IN (…)`, `a BETWEEN b AND c`; a sub-query is one value."""
        if key == "IN":
            close = closing(self.tokens, operator + 1)
            if close >= end or self.key(operator + 1) != "(":
                return []
            if self._is_query(operator + 2):
                return [MapPart(operator + 1, close + 1, f"({self.render(operator + 2, close)})")]
            return [MapPart(*span, self.render(*span)) for span in self.spans(operator + 1, close)]
        right = self.chain(operator + 1, end, 1)
        if key != "BETWEEN":
            return [right]
        upper = right.end + 1
        is_whole = self.key(right.end) == "AND" and upper < end and self.begins_value(upper)
        return [right, self.chain(upper, end, 1)] if is_whole else []

    def with_texts(self, whole: MapPart, parts: Sequence[MapPart], texts: Sequence[str]) -> str:
        """The text of a part, with other texts for the values in it."""
        pieces = [texts[0]]
        for (before, part), text in zip(pairwise(parts), texts[1:], strict=True):
            pieces += [self.sql[self.tokens[before.end - 1].end : self.tokens[part.start].start], text]
        return "".join([*pieces, self.sql[self.tokens[parts[-1].end - 1].end : self.tokens[whole.end - 1].end]])

    def guarded(self, guards: Iterable[Guard], safe: str) -> str:
        """`safe`, but what a guard says where it holds."""
        whens = [f"WHEN {when} THEN {error}" for when, error in guards if self.ansi or error != OVERFLOW]
        return f"CASE {' '.join(whens)} ELSE {safe} END" if whens else safe
