"""Conditions on columns, the form of a predicate that file skipping evaluates, and comparisons with constants.

A condition states when a predicate is TRUE. It has no negations, since NOT p is TRUE where p is FALSE, not where it is
NULL: NOT (a < 1) becomes a >= 1.

CURRENT_DATE, NOW() and days added to or subtracted from them have lower bounds, since a query runs after it is planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from decimal import ROUND_FLOOR, Decimal
from typing import TypeAlias, Union

from deltasql.schema import INTEGRAL_NAMES, LONG, DataType, DecimalType, PrimitiveType, fits
from deltasql.sql import (
    DAY,
    EXACT,
    NULL,
    Literal,
    Value,
    as_clock_time,
    as_timestamp,
    date_days,
    micros_of,
    whole_number,
)

INTEGRAL = INTEGRAL_NAMES


@dataclass(frozen=True, slots=True)
class BoundedColumn:
    """A column or nested field. `path` has physical names; `partition` is the logical name of a partition column."""

    path: tuple[str, ...]
    type: DataType
    partition: str | None

    @property
    def kind(self) -> str:
        """The name of the column's type: integer, decimal, string …"""
        return self.type.name if isinstance(self.type, PrimitiveType) else type(self.type).__name__[:-4].lower()


@dataclass(frozen=True, slots=True)
class Comparison:
    """column op value, with op one of = <> < <= > >="""

    column: BoundedColumn
    op: str
    value: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """column [NOT] IN values"""

    column: BoundedColumn
    values: tuple[Value, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class NullTest:
    """column IS [NOT] NULL"""

    column: BoundedColumn
    negated: bool


@dataclass(frozen=True, slots=True)
class Like:
    """column [NOT] LIKE pattern, without escapes"""

    column: BoundedColumn
    pattern: str
    negated: bool

    @property
    def prefix(self) -> str:
        """The literal prefix of all matching values."""
        return re.split("[%_]", self.pattern, maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class AllOf:
    """TRUE where all parts are TRUE; always TRUE without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """TRUE where at least one part is TRUE; never TRUE without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a predicate that file skipping cannot evaluate: it may be TRUE in any row."""


Leaf: TypeAlias = Union[Comparison, OneOf, NullTest, Like]
Condition: TypeAlias = Union[Leaf, AllOf, AnyOf, Unknown]

UNKNOWN = Unknown()
ALWAYS, NEVER = AllOf(()), AnyOf(())


def leaves(condition: Condition) -> Iterator[Leaf | Unknown]:
    """The conditions on single columns, and Unknown parts, within `condition`."""
    if isinstance(condition, (AllOf, AnyOf)):
        for part in condition.parts:
            yield from leaves(part)
        return
    yield condition


def comparison_holds(left: Value, op: str, right: Value) -> bool:
    """Whether `left op right` is true, for values of one kind that are not NaN."""
    # Mixed numbers compare exactly in Python.
    if op in {"=", "<>"}:
        return (left == right) == (op == "=")
    is_less, is_same = left < right, left == right  # type: ignore[operator]
    return (is_less if "<" in op else not is_less and not is_same) or (is_same and "=" in op)


NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def compare_constants(left: Literal, op: str, right: Literal) -> Condition:
    """Whether one constant compares so with another: ALWAYS, NEVER, or UNKNOWN where they are of two kinds."""
    if left.kind != right.kind or left.kind not in {"number", "string"}:
        return UNKNOWN
    return ALWAYS if comparison_holds(left.value, op, right.value) else NEVER


def compare(column: BoundedColumn, op: str, value: Literal, zone: tzinfo | None) -> Condition:
    """column op value as Spark evaluates it; UNKNOWN where its implicit cast is not exact or its rules vary."""
    if value == NULL:
        return NEVER
    if column.kind in INTEGRAL or isinstance(column.type, DecimalType):
        exact = _exact(column, value)
        return UNKNOWN if exact is None else _exact_comparison(column, op, exact)
    same = _same_kind(column.kind, value, zone)
    return UNKNOWN if same is None else Comparison(column, op, same)


def _same_kind(kind: str, value: Literal, zone: tzinfo | None) -> Value | None:
    """The constant as a value of the column's kind, or None."""
    match kind:
        case "float" | "double":
            return _inexact(kind, value)
        case "string":
            return value.value if value.kind == "string" else None
        case "boolean":
            return value.value if value.kind == "bool" else None
        case "date":
            return date_days(str(value.value)) if value.kind == "string" else _of_kind(value, "date")
        case "timestamp":
            return _of_kind(as_timestamp(value, zone), "timestamp")
        case "timestamp_ntz":
            return _of_kind(as_clock_time(value), "timestamp_ntz")
    return None


def _of_kind(value: Literal | None, kind: str) -> Value | None:
    return value.value if value is not None and value.kind == kind else None


def _exact(column: BoundedColumn, value: Literal) -> Decimal | None:
    """The constant as the exact number that an integer or decimal column is compared with."""
    if isinstance(value.value, Decimal):
        # Beyond 38 digits Spark's common type of two decimals drops some of them.
        _, digits, exponent = value.value.as_tuple()
        scale = max(0, -int(exponent))
        kind = column.type if isinstance(column.type, DecimalType) else DecimalType(20, 0)
        whole = max(len(digits) - scale, kind.precision - kind.scale)
        return value.value if whole + max(scale, kind.scale) <= 38 else None
    if column.kind not in INTEGRAL:
        return None
    if value.kind == "double" and abs(float(value.value)) < 2**53:
        return Decimal(float(value.value))
    integer = whole_number(str(value.value)) if value.kind == "string" else None
    return Decimal(integer) if integer is not None and fits(integer, LONG) else None


def _inexact(kind: str, value: Literal) -> Value | None:
    """The constant as the double that a float or double column is compared with."""
    if isinstance(value.value, Decimal):
        is_whole = value.value == value.value.to_integral_value()
        # Spark may turn a whole number into a float, which is exact up to 24 bits.
        return float(value.value) if not is_whole or abs(value.value) < (2**24 if kind == "float" else 2**53) else None
    return value.value if value.kind in {"double", "float"} else None


def _is_storable(column: BoundedColumn, value: Decimal) -> bool:
    """Whether a value of the column's scale is within the limits of LONG, or of 38 digits for a decimal."""
    if isinstance(column.type, DecimalType):
        return value.copy_abs() < Decimal(10) ** (38 - column.type.scale)
    return -(2**63) <= value < 2**63


def _exact_comparison(column: BoundedColumn, op: str, value: Decimal) -> Condition:
    """column op value on the column's own grid: a constant between two of its values or beyond them is rounded."""
    scale = column.type.scale if isinstance(column.type, DecimalType) else 0
    low = value.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR, EXACT)
    if not _is_storable(column, low):
        is_true = op == "<>" or ("<" in op) == (value > 0) if op != "=" else False
        return NullTest(column, negated=True) if is_true else NEVER
    if low != value:
        if op in {"=", "<>"}:
            return NEVER if op == "=" else NullTest(column, negated=True)
        op = "<=" if "<" in op else ">"
    return Comparison(column, op, low if isinstance(column.type, DecimalType) else int(low))


_MOST_DAYS = 100_000


def least_now(function: str, zone: tzinfo | None) -> Literal | None:
    """A lower bound of the current date or time for a query that is planned now and runs later; None for others.

    It has a margin of one day for clock skew between machines, and for days of 23 hours.
    """
    match function:
        case "current_date" | "curdate":
            # The date in the session's time zone; in any other it differs by at most one day.
            local = datetime.now(zone or timezone.utc).replace(tzinfo=timezone.utc)
            return Literal("date", (micros_of(local) - DAY) // DAY)
        case "current_timestamp" | "now":
            return Literal("timestamp", micros_of(datetime.now(timezone.utc)) - DAY)
    return None


def later(start: Literal | None, days: int | None, sign: int) -> Literal | None:
    """A date or time some days later, or earlier with the sign -1; None where one of both is unknown."""
    if start is None or days is None or abs(days) >= _MOST_DAYS:
        return None
    assert isinstance(start.value, int)
    return Literal(start.kind, start.value + sign * days * (1 if start.kind == "date" else DAY))
