"""DECIMAL arithmetic and common types as in Spark, in texts for Sail.

Sail gives a literal of a whole number ten digits, truncates quotients and averages, and gives CASE the type of its
first branch: where the types of operands are known, the text is rewritten to Spark's result. Source: Spark,
`DecimalPrecision`, ANSI type coercion; each was tried on Sail 0.7.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from deltasql.base import Token, tokenize
from deltasql.engines.sail.dialect.inlining import SailScope, lambda_spans, scope_at
from deltasql.schema import (
    BYTE,
    DIGITS,
    DOUBLE,
    FLOAT,
    MOST_DIGITS,
    STRING,
    VOID,
    DataType,
    DecimalType,
    StructType,
    common_of_values,
    is_integral,
    is_number,
    sql_text,
)
from deltasql.sql import derived_type

_WRITTEN = re.compile(r"[(\s]*-?\s*0*(\d+)[lLsS]?[)\s]*")
_LEAST_SCALE = 6
_SAILS_SCALE = 4
"""The scale of Sail's quotients and averages less that of the dividend."""
EXACT_DIGITS = 15
"""Digits of a DECIMAL that every DOUBLE represents: a cast of more is inexact, unless it goes through STRING."""
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
_REMAINDERS = frozenset({"MOD", "PMOD"})
_AVERAGES = frozenset({"AVG", "MEAN", "TRY_AVG"})
RETYPED = frozenset({"ROUND", "NULLIF", *_REMAINDERS, *_AVERAGES})
"""Functions whose result, or the type of it, differs for DECIMAL."""


class Operand(NamedTuple):
    """A part of a text: `raw` as given, `safe` as rewritten for Sail, and the index of its first token."""

    raw: str
    safe: str
    at: int


class OperandRows(NamedTuple):
    """Types of the rows of a text: the columns of a scope, and the type of an expression in it."""

    columns: Callable[[SailScope], StructType]
    kind: Callable[[SailScope, str], DataType | None]


class Exact:
    """Rewrites of the operands of one text by their types."""

    def __init__(self, sql: str, tokens: Sequence[Token], rows: OperandRows | None, *, ansi: bool) -> None:
        self._sql, self._tokens, self._rows, self._ansi = sql, tokens, rows, ansi
        self._lambdas = list(lambda_spans(tokens))

    def kind(self, operand: Operand) -> DataType | None:
        """The type of an operand in Spark; None where it is unknown."""
        if self._rows is None or any(start <= operand.at < end for start, end in self._lambdas):
            return None
        plain = derived_type(operand.raw, StructType())
        if plain is not None:
            return plain
        scope = scope_at(self._sql, self._tokens, operand.at)
        if self._has_alias(scope, operand.raw):
            return None
        columns = self._rows.columns(scope)
        raw = unqualified(operand.raw, columns) if scope.is_query else operand.raw
        return derived_type(raw, columns) or self._rows.kind(scope, operand.safe)

    def arithmetic(self, operator: str, left: Operand, right: Operand) -> str | None:
        """`left operator right` as Spark computes it with a DECIMAL or a FLOAT; None for other or unknown types."""
        if operator not in _ARITHMETIC:
            return None
        first, second = self.kind(left), self.kind(right)
        if first is None or second is None or not self._is_special(first, second):
            return None
        if {STRING, FLOAT, DOUBLE} & {first, second}:
            return f"({cast_text(left.safe, first, DOUBLE)} {operator} {cast_text(right.safe, second, DOUBLE)})"
        return _decimals(operator, _as_decimal(left, first), _as_decimal(right, second))

    def _is_special(self, left: DataType, right: DataType) -> bool:
        """Whether Sail computes two types differently from Spark: a DECIMAL, or a FLOAT beside an exact number."""
        kinds = {left, right}
        if not all(is_number(kind) or kind == STRING for kind in kinds) or kinds <= {FLOAT, DOUBLE}:
            return False
        decimals = sum(isinstance(kind, DecimalType) for kind in (left, right))
        if {STRING, FLOAT, DOUBLE} & kinds:
            return self._ansi and (decimals > 0 or (FLOAT in kinds and STRING not in kinds))
        return decimals > 0

    def has_decimals(self, *operands: Operand) -> bool | None:
        """Whether one of the operands is a DECIMAL; None where that is unknown."""
        kinds = list(map(self.kind, operands))
        if any(isinstance(kind, DecimalType) for kind in kinds):
            return True
        return None if None in kinds else False

    def only_sorts(self, operand: Operand) -> bool:
        """Whether an operand has aliases of its SELECT, behind the FROM, where order and equality count, not digits."""
        return self._has_alias(scope_at(self._sql, self._tokens, operand.at), operand.raw)

    def _has_alias(self, scope: SailScope, raw: str) -> bool:
        return bool(scope.names) and any(word.is_name and word.name.upper() in scope.names for word in tokenize(raw))

    def alike(self, values: Sequence[Operand]) -> list[str] | None:
        """The values cast to their common type; None where that is unknown."""
        kinds = [self.kind(value) for value in values] if self._ansi else [None]
        typed = [kind for kind in kinds if kind is not None]
        common = common_type(typed) if len(typed) == len(kinds) else None
        if common is None:
            return None
        return [
            value.safe if kind == common else cast_text(value.safe, kind, common)
            for value, kind in zip(values, typed, strict=True)
        ]

    def called(self, name: str, arguments: Sequence[Operand], whole: str, behind: str) -> str | None:
        """A call of RETYPED with a DECIMAL as first argument, cast to Spark's result; None for any other.

        `whole` is the text of the call.
        """
        if not arguments:
            return None
        kind = self.kind(arguments[0])
        if name in _REMAINDERS and len(arguments) == 2:
            return self._remainder(name, arguments[0], arguments[1])
        if not isinstance(kind, DecimalType):
            return None
        if name == "NULLIF":
            return f"CAST({whole} AS {sql_text(kind)})"
        if name == "ROUND":
            digits = 0 if len(arguments) == 1 else _whole_number(arguments[1].raw)
            return None if digits is None else f"CAST({whole} AS {sql_text(_rounded(kind, digits))})"
        if len(arguments) == 1 and kind.precision + _SAILS_SCALE < MOST_DIGITS:
            wider = DecimalType(kind.precision + 1, kind.scale + 1)
            wide = DecimalType(kind.precision + _SAILS_SCALE, kind.scale + _SAILS_SCALE)
            distinct = "DISTINCT " if re.match(r"\w+\s*\(\s*distinct\b", whole, re.IGNORECASE) else ""
            averaged = f"avg({distinct}CAST({arguments[0].safe} AS {sql_text(wider)})){behind}"
            return f"CAST({averaged} AS {sql_text(wide)})"
        return None

    def _remainder(self, name: str, left: Operand, right: Operand) -> str | None:
        first, second = self.kind(left), self.kind(right)
        if not any(isinstance(kind, DecimalType) for kind in (first, second)):
            return None
        if any(kind is None or not (is_integral(kind) or isinstance(kind, DecimalType)) for kind in (first, second)):
            return None
        assert first is not None
        assert second is not None
        one, other = _as_decimal(left, first), _as_decimal(right, second)
        result = _result("%", one[1], other[1])
        return f"CAST({name}({one[0]}, {other[0]}) AS {sql_text(result)})"


def cast_text(value: str, kind: DataType, target: DataType) -> str:
    """A cast between two types; a DECIMAL of many digits becomes the nearest DOUBLE."""
    if isinstance(kind, DecimalType) and kind.precision > EXACT_DIGITS and target in (FLOAT, DOUBLE):
        value = f"CAST({value} AS STRING)"
    return f"CAST({value} AS {sql_text(target)})"


def common_type(kinds: Sequence[DataType]) -> DataType | None:
    """The common type of some types with ANSI on; None where only Spark can determine it."""
    distinct = set(kinds) - {VOID}
    if FLOAT in distinct and len(distinct) > 1 and all(map(is_number, distinct)):
        return DOUBLE
    return common_of_values(distinct) if distinct else VOID


def unqualified(raw: str, columns: StructType) -> str:
    """`raw` with `a.b` as `b`, where `a` is no column."""
    tokens, left_out = tokenize(raw), list[tuple[int, int]]()
    for index, token in enumerate(tokens[:-2]):
        is_first = index == 0 or tokens[index - 1].key != "."
        if is_first and token.is_name and tokens[index + 1].key == "." and columns.find(token.name) is None:
            left_out.append((token.start, tokens[index + 2].start))
    for start, end in reversed(left_out):
        raw = raw[:start] + raw[end:]
    return raw


def unlike_names(columns: StructType) -> StructType:
    """The columns with a unique name, letter case ignored."""
    names = [name.lower() for name in columns.names]
    return StructType(tuple(field for field in columns if names.count(field.name.lower()) == 1))


def _as_decimal(operand: Operand, kind: DataType) -> tuple[str, DecimalType]:
    """SQL that casts a whole number to Spark's DECIMAL, with that type; a literal has the precision of its digits."""
    if isinstance(kind, DecimalType):
        return operand.safe, kind
    written = _WRITTEN.fullmatch(operand.raw.strip())
    digits = len(written[1]) if written is not None and kind != BYTE else DIGITS[kind]
    decimal = DecimalType(digits, 0)
    return f"CAST({operand.safe} AS {sql_text(decimal)})", decimal


def _decimals(operator: str, left: tuple[str, DecimalType], right: tuple[str, DecimalType]) -> str:
    (first, one), (second, other) = left, right
    result = _result(operator, one, other)
    if operator == "/":
        # One digit more than there shall be, which the cast rounds.
        scale = max(result.scale + 1 - _SAILS_SCALE, one.scale)
        first = f"CAST({first} AS {sql_text(DecimalType(MOST_DIGITS, scale))})"
    return f"CAST(({first} {operator} {second}) AS {sql_text(result)})"


def _result(operator: str, left: DecimalType, right: DecimalType) -> DecimalType:
    whole = max(left.precision - left.scale, right.precision - right.scale)
    match operator:
        case "+" | "-":
            scale = max(left.scale, right.scale)
            precision = whole + scale + 1
        case "*":
            precision, scale = left.precision + right.precision + 1, left.scale + right.scale
        case "/":
            scale = max(_LEAST_SCALE, left.scale + right.precision + 1)
            precision = left.precision - left.scale + right.scale + scale
        case _:
            scale = max(left.scale, right.scale)
            precision = min(left.precision - left.scale, right.precision - right.scale) + scale
    if precision <= MOST_DIGITS:
        return DecimalType(precision, scale)
    # Whole digits before others, of which six stay.
    return DecimalType(MOST_DIGITS, max(MOST_DIGITS - (precision - scale), min(scale, _LEAST_SCALE)))


def _rounded(kind: DecimalType, digits: int) -> DecimalType:
    whole = kind.precision - kind.scale + 1
    if digits < 0:
        return DecimalType(min(max(whole, 1 - digits), MOST_DIGITS), 0)
    scale = min(digits, kind.scale)
    return DecimalType(min(whole + scale, MOST_DIGITS), scale)


def _whole_number(text: str) -> int | None:
    match = re.fullmatch(r"\s*(-?)\s*(\d{1,3})\s*", text)
    return None if match is None else int(match[1] + match[2])
