"""Casts of literals, as INSERT's store assignment does them, without Spark: those whose outcome is certain.

Wherever a cast could fail, or depend on a setting, LeftToSparkError is raised, and Spark does the statement.
"""

from __future__ import annotations

import re
import struct
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

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

_EXACT = Context(prec=80)
_EPOCH = datetime(1970, 1, 1)
# Before 1970 zones differ between the data bases of Python and Java.
_FIRST_CERTAIN_YEAR = 1970
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>[01]\d:\d\d:\d\d|2[0-3]:\d\d:\d\d)(?:\.(?P<fraction>\d{1,6}))?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-7]):[0-5]\d)?)?"
)
_INTEGER_TEXT = re.compile(r"-?\d{1,18}")
_DECIMAL_TEXT = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_MOST_PLAIN_SCALE = 6
"""Up to this scale Java writes decimals without an exponent."""
_EXACT_IN_DOUBLE = 2**53
_SMALLEST_SINGLE, _LARGEST_SINGLE = 2.0**-126, 3.4e38


class LeftToSparkError(Exception):
    """What follows is not certain here."""


def as_type(value: LiteralValue, source: DataType, target: DataType, zone: tzinfo | None) -> LiteralValue:
    """`value` of the type `source` as `target` has it. Raises LeftToSparkError.

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
    raise LeftToSparkError


def _only(certain: bool, value: LiteralValue) -> LiteralValue:
    if not certain:
        raise LeftToSparkError
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
        return rounded_single(value)
    scale = source.scale if isinstance(source, DecimalType) else 0
    return _only(target == STRING and scale <= _MOST_PLAIN_SCALE, f"{_scaled(value, scale):f}")


def _from_double(value: float, source: DataType, target: DataType) -> LiteralValue:
    if target == DOUBLE:
        return value
    if target == FLOAT:
        return _single(value)
    is_whole = value == int(value) and abs(value) < _EXACT_IN_DOUBLE
    if is_whole and is_integral(target):
        return _integer(int(value), target)
    if is_whole and isinstance(target, DecimalType) and source == DOUBLE:
        return decimal_of(Decimal(int(value)), target)
    raise LeftToSparkError


def _from_text(text: str, target: DataType, zone: tzinfo | None) -> LiteralValue:
    if target == BINARY:
        return text.encode()
    if target == DATE:
        return date_of(text)
    if target == TIMESTAMP:
        return moment_of(text, zone)
    if target == TIMESTAMP_NTZ:
        return clock_time_of(text)
    if target == BOOLEAN:
        return _only(text in {"true", "false"}, text == "true")
    if is_integral(target) and _INTEGER_TEXT.fullmatch(text):
        return _integer(int(text), target)
    if isinstance(target, DecimalType) and _DECIMAL_TEXT.fullmatch(text):
        return decimal_of(Decimal(text), target)
    raise LeftToSparkError


def _from_date(days: int, target: DataType, zone: tzinfo | None) -> LiteralValue:
    text = (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    if target == STRING:
        return text
    if target == TIMESTAMP:
        return moment_of(text, zone)
    return _only(target == TIMESTAMP_NTZ, days * 86_400_000_000)


def _integer(value: int, target: DataType) -> int:
    if not fits(value, target):
        raise LeftToSparkError
    return value


def decimal_of(value: Decimal, target: DecimalType) -> Decimal:
    """`value` rounded half up to the target's scale. Raises LeftToSparkError where it does not fit."""
    rounded = _scaled(value, target.scale)
    if rounded.copy_abs() >= 10 ** (target.precision - target.scale):
        raise LeftToSparkError
    return rounded


def _scaled(value: Decimal, scale: int) -> Decimal:
    try:
        # `plus` takes the sign of a zero away.
        return _EXACT.plus(value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP, context=_EXACT))
    except InvalidOperation:
        raise LeftToSparkError from None


def rounded_single(value: Decimal) -> float:
    """The single next to `value`. Raises LeftToSparkError where it must be rounded twice.

    On the way there is a double, which could lie halfway between two singles where `value` does not.
    """
    double = float(value)
    (bits,) = struct.unpack("<q", struct.pack("<d", double))
    if bits & 0x1FFFFFFF == 0x10000000 and Decimal(double) != value:
        raise LeftToSparkError
    return _single(double) + 0.0


def _single(value: float) -> float:
    """What is too large or too small for a single may be an error, a zero or an infinity."""
    if value != 0 and not _SMALLEST_SINGLE < abs(value) < _LARGEST_SINGLE:
        raise LeftToSparkError
    (found,) = struct.unpack("<f", struct.pack("<f", value))
    return float(found)


def date_of(text: str) -> int:
    """Days since 1970 of `yyyy-MM-dd`. Raises LeftToSparkError."""
    if _DATE.fullmatch(text) is None:
        raise LeftToSparkError
    try:
        return (date.fromisoformat(text) - _EPOCH.date()).days
    except ValueError:
        raise LeftToSparkError from None


def moment_of(text: str, zone: tzinfo | None) -> int:
    """Microseconds UTC of a date or timestamp; one that names no zone is in `zone`. Raises LeftToSparkError."""
    clock, written = _clock(text)
    if written is not None:
        offset = timedelta() if written == "Z" else _offset(written)
        return _microseconds(clock - offset)
    if zone is None or (not isinstance(zone, timezone) and clock.year < _FIRST_CERTAIN_YEAR):
        raise LeftToSparkError
    try:
        # What a clock shows twice is the earlier time, and what it skips is later by as much: as in Java.
        utc = clock.replace(tzinfo=zone).astimezone(timezone.utc)
    except OverflowError:
        raise LeftToSparkError from None
    return _microseconds(utc.replace(tzinfo=None))


def clock_time_of(text: str) -> int:
    """Microseconds of a date or timestamp that names no zone. Raises LeftToSparkError."""
    clock, written = _clock(text)
    if written is not None:
        raise LeftToSparkError
    return _microseconds(clock)


def _clock(text: str) -> tuple[datetime, str | None]:
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise LeftToSparkError
    try:
        clock = datetime.fromisoformat(f"{match['day']}T{match['time'] or '00:00:00'}")
    except ValueError:
        raise LeftToSparkError from None
    return clock.replace(microsecond=int(f"{match['fraction'] or '0':0<6}")), match["zone"]


def _offset(text: str) -> timedelta:
    length = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return -length if text[0] == "-" else length


def _microseconds(clock: datetime) -> int:
    return (clock - _EPOCH) // timedelta(microseconds=1)
