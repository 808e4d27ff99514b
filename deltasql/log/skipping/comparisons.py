"""Comparison of a column with a constant, by the column's type."""

from __future__ import annotations

from datetime import tzinfo
from decimal import ROUND_FLOOR, Decimal

from deltasql.log.skipping.conditions import (
    ALWAYS,
    INTEGRAL,
    NEVER,
    UNKNOWN,
    BoundedColumn,
    Comparison,
    Condition,
    NullTest,
    comparison_holds,
)
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import LONG, DecimalType
from deltasql.sql.constants import EXACT, date_days, whole_number
from deltasql.sql.literals import NULL, Literal, Value, as_clock_time, as_timestamp

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
