"""Casts of literals, as INSERT's store assignment does them, without Spark: only those with a certain result.

Reads values, and of texts those in their plainest form. Wherever a cast could fail, or depend on a setting,
LeftToEngineError is raised, and Spark runs the statement.
"""

from __future__ import annotations

from datetime import tzinfo
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from deltasql.base.errors.base import LeftToEngineError
from deltasql.plan.operators import LiteralValue
from deltasql.schema.type_lattice import fits, is_integral
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from deltasql.sql.constants import (
    DAY,
    EXACT,
    clock_time,
    date_days,
    date_text,
    exact_number,
    exact_single,
    moment,
    rounded_single,
    whole_number,
)
from deltasql.sql.cursor import require_value

_MOST_PLAIN_SCALE = 6
"""Up to this scale Java writes decimals without an exponent."""
_EXACT_IN_DOUBLE = 2**53
_MOST_CERTAIN_DIGITS = 36
"""Up to here no digit of a text is lost in a decimal."""


def as_type(value: LiteralValue, source: DataType, target: DataType, zone: tzinfo | None) -> LiteralValue:
    """`value` of the type `source` as `target` has it. Raises LeftToEngineError.

    `zone` is the session's, None where it is not known for certain.
    """
    if value is None or source == target:
        return value
    match value:
        case str() if source == STRING:
            return _from_text(value, target, zone)
        case bool():
            return _only(target == STRING, "true" if value else "false")
        case int() if is_integral(source):
            return _from_number(Decimal(value), source, target)
        case Decimal():
            return _from_number(value, source, target)
        case float():
            return _from_double(value, source, target)
        case int() if source == DATE:
            return _from_date(value, target, zone)
    raise LeftToEngineError


def _only(certain: bool, value: LiteralValue) -> LiteralValue:
    if not certain:
        raise LeftToEngineError
    return value


def _from_number(value: Decimal, source: DataType, target: DataType) -> LiteralValue:
    """A whole number or a decimal. Fractions are cut off for integers, and rounded for decimals."""
    if is_integral(target):
        return _integer(int(value), target)
    if isinstance(target, DecimalType):
        return decimal_of(value, target)
    if target == DOUBLE:
        # A decimal has no negative zero.
        return float(value) + 0.0
    if target == FLOAT:
        return require_value(rounded_single(value))
    scale = source.scale if isinstance(source, DecimalType) else 0
    return _only(target == STRING and scale <= _MOST_PLAIN_SCALE, f"{_scaled(value, scale):f}")


def _from_double(value: float, source: DataType, target: DataType) -> LiteralValue:
    if target == DOUBLE:
        return value
    if target == FLOAT:
        return require_value(exact_single(value))
    is_whole = value == int(value) and abs(value) < _EXACT_IN_DOUBLE
    if is_whole and is_integral(target):
        return _integer(int(value), target)
    if is_whole and isinstance(target, DecimalType) and source == DOUBLE:
        return decimal_of(Decimal(int(value)), target)
    raise LeftToEngineError


def _from_text(text: str, target: DataType, zone: tzinfo | None) -> LiteralValue:
    if target == BINARY:
        return text.encode()
    if target == DATE:
        return require_value(date_days(text))
    if target == TIMESTAMP:
        return require_value(moment(text, zone))
    if target == TIMESTAMP_NTZ:
        return require_value(clock_time(text))
    if target == BOOLEAN:
        return _only(text in {"true", "false"}, text == "true")
    if is_integral(target):
        return _integer(require_value(whole_number(text)), target)
    value = exact_number(text) if isinstance(target, DecimalType) else None
    if isinstance(target, DecimalType) and value is not None and len(value.as_tuple().digits) <= _MOST_CERTAIN_DIGITS:
        return decimal_of(value, target)
    raise LeftToEngineError


def _from_date(days: int, target: DataType, zone: tzinfo | None) -> LiteralValue:
    if target == STRING:
        return date_text(days)
    if target == TIMESTAMP:
        return require_value(moment(date_text(days), zone))
    return _only(target == TIMESTAMP_NTZ, days * DAY)


def _integer(value: int, target: DataType) -> int:
    if not fits(value, target):
        raise LeftToEngineError
    return value


def decimal_of(value: Decimal, target: DecimalType) -> Decimal:
    """`value` rounded half up to the target's scale. Raises LeftToEngineError where it does not fit."""
    rounded = _scaled(value, target.scale)
    if rounded.copy_abs() >= 10 ** (target.precision - target.scale):
        raise LeftToEngineError
    return rounded


def _scaled(value: Decimal, scale: int) -> Decimal:
    try:
        # `plus` takes the sign of a zero away.
        return EXACT.plus(value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP, context=EXACT))
    except InvalidOperation:
        raise LeftToEngineError from None
