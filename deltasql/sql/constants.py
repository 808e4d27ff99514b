"""Values of SQL literals as Spark has them: strings, numbers, dates, timestamps and intervals.

All readers of SQL use these functions. None means that a
text is no such literal, or one that Spark's modes, or Spark and Python, may read differently; then Spark must read it.

The point in time of TIMESTAMP AS OF is one literal, or the 17 digits of a name's suffix; Spark evaluates any other
expression.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Context, Decimal, InvalidOperation
from typing import Any, TypeAlias, Union

from deltasql.base import errors, parse_timestamp, tokenize, zone
from deltasql.plan import LiteralValue
from deltasql.schema import BYTE, DOUBLE, FLOAT, INTEGER, LONG, MOST_DIGITS, SHORT, DataType, DecimalType, fits, types

EXACT = Context(prec=120)
"""Context of exact computations: no product or quotient of two of Spark's decimals has more digits."""
DAY = 86_400_000_000
"""Microseconds of a day."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Before, zones differ between the data bases of Python and Java.
_FIRST_CERTAIN_YEAR = 1970
_WITHOUT_HISTORY = frozenset({"UTC", "Etc/UTC", "GMT", "Etc/GMT"})
_WHOLE = re.compile(r"-?\d{1,38}")
_PLAIN = re.compile(r"-?(?:\d{1,38}(?:\.\d{0,38})?|\.\d{1,38})")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>[01]\d:\d\d:\d\d|2[0-3]:\d\d:\d\d)(?:\.(?P<fraction>\d{1,6}))?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-7]):[0-5]\d)?)?"
)
_INTEGER_SUFFIXES = {"Y": BYTE, "S": SHORT, "L": LONG}
_SMALLEST_SINGLE, _LARGEST_SINGLE = 2.0**-126, 3.4e38
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL)
_SHORT_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal's type and value: see `LiteralValue`."""

    type: DataType
    value: LiteralValue


# Texts


def unquote(literal: str) -> str:
    r"""The value of a string literal: '…', "…" with backslash escapes and doubled quotes, or raw r'…' and $$…$$.

    As in Spark, `\%` and `\_` keep their backslash, because LIKE reads them.
    """
    if literal[0] in "rR":
        return literal[2:-1]
    if literal[0] == "$":
        return literal[2:-2]
    quote = literal[0]
    body = literal[1:-1]
    if "\\" not in body:
        return body.replace(quote * 2, quote)
    pieces, at = [], 0
    for escape in _ESCAPE.finditer(body):
        pieces += [body[at : escape.start()].replace(quote * 2, quote), _unescaped(escape)]
        at = escape.end()
    return "".join([*pieces, body[at:].replace(quote * 2, quote)])


def unquote_name(written: str) -> str:
    """A name without its back-ticks."""
    return written[1:-1].replace("``", "`") if written.startswith("`") else written


def _unescaped(escape: re.Match[str]) -> str:
    short, long, octal, char = escape.groups()
    if short or long:
        return chr(int(short or long, 16))
    return chr(int(octal, 8)) if octal else _SHORT_ESCAPES.get(char, char)


# Numbers


def number(written: str, sign: int = 1) -> Constant | None:
    """The value of a number in SQL, with its suffix, times `sign`.

    A number is exact, with or without a point; with an exponent it is a DOUBLE, unless its suffix gives the type.
    """
    text = written.upper()
    suffix = text[-1]
    if text.endswith("BD"):
        return _decimal(Decimal(text[:-2]), sign)
    if suffix in _INTEGER_SUFFIXES:
        return _integer(sign * int(text[:-1]), _INTEGER_SUFFIXES[suffix])
    if suffix == "F":
        return _inexact(rounded_single(Decimal(text[:-1])), text[:-1], FLOAT, sign)
    if suffix == "D" or "E" in text:
        digits = text.removesuffix("D")
        return _inexact(float(digits), digits, DOUBLE, sign)
    if "." in text:
        return _decimal(Decimal(text), sign)
    value = sign * int(text)
    return _integer(value, INTEGER) or _integer(value, LONG) or _decimal(Decimal(value), 1)


def _integer(value: int, kind: DataType) -> Constant | None:
    return Constant(kind, value) if fits(value, kind) else None


def _decimal(value: Decimal, sign: int) -> Constant | None:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent > 0 or max(len(digits), -exponent) > MOST_DIGITS:
        return None
    # A product would be rounded to the digits of Python's context.
    signed = value if sign > 0 else value.copy_negate()
    return Constant(DecimalType(max(len(digits), -exponent), -exponent), signed)


def _inexact(value: float | None, digits: str, kind: DataType, sign: int) -> Constant | None:
    """A FLOAT or DOUBLE; None for an overflow, an underflow, or a negative zero, which footers may not preserve."""
    if value is None or value - value != 0 or (value == 0 and (sign < 0 or Decimal(digits) != 0)):
        return None
    return Constant(kind, value * sign)


def whole_number(text: str) -> int | None:
    """The integer of a text of digits, or None."""
    return int(text) if _WHOLE.fullmatch(text) else None


def exact_number(text: str) -> Decimal | None:
    """The decimal of a text of digits, with or without a point, or None."""
    return Decimal(text) if _PLAIN.fullmatch(text) else None


def single(value: float) -> float:
    """`value` rounded to single precision. Raises OverflowError."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def exact_single(value: float) -> float | None:
    """`value` rounded to single precision; None outside the normal range, where Spark may round or fail differently."""
    return single(value) if value == 0 or _SMALLEST_SINGLE < abs(value) < _LARGEST_SINGLE else None


def rounded_single(value: Decimal) -> float | None:
    """The single nearest to `value`; None where rounding to a double first may change it.

    Such a double lies halfway between two singles, and `value` does not.
    """
    double = float(value)
    (bits,) = struct.unpack("<q", struct.pack("<d", double))
    if bits & 0x1FFFFFFF == 0x10000000 and Decimal(double) != value:
        return None
    single = exact_single(double)
    return None if single is None else single + 0.0


# Times


def date_days(text: str) -> int | None:
    """Days since 1970 of `yyyy-MM-dd`."""
    try:
        return (date.fromisoformat(text) - _EPOCH.date()).days if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def date_text(days: int) -> str:
    """`yyyy-MM-dd` of the day that is `days` after 1970-01-01."""
    return (_EPOCH.date() + timedelta(days=days)).isoformat()


def moment(text: str, zone: tzinfo | None) -> int | None:
    """Microseconds since 1970, UTC, of an ISO timestamp or date; one that names no zone is in `zone`."""
    read = clock_and_offset(text)
    if read is None:
        return None
    clock, offset = read
    if offset is None and (zone is None or (clock.year < _FIRST_CERTAIN_YEAR and not _has_no_history(zone))):
        return None
    try:
        # What a clock shows twice is the earlier time, and what it skips is later by as much: as in Java.
        return micros_of(clock.replace(tzinfo=zone if offset is None else timezone(offset)).astimezone(timezone.utc))
    except OverflowError:
        return None


def current_micros() -> int:
    """Microseconds since 1970, UTC."""
    return micros_of(datetime.now(timezone.utc))


def clock_time(text: str) -> int | None:
    """Microseconds since 1970 of an ISO timestamp or date that names no zone, as if it were UTC."""
    read = clock_and_offset(text)
    return None if read is None or read[1] is not None else micros_of(read[0].replace(tzinfo=timezone.utc))


def clock_and_offset(text: str) -> tuple[datetime, timedelta | None] | None:
    """The local time of an ISO timestamp or date, with its offset from UTC or None; None for other texts."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    try:
        clock = datetime.fromisoformat(f"{match['day']}T{match['time'] or '00:00:00'}")
    except ValueError:
        return None
    return clock.replace(microsecond=int(f"{match['fraction'] or '0':0<6}")), _offset(match["zone"])


def _offset(zone: str | None) -> timedelta | None:
    if zone is None or zone == "Z":
        return None if zone is None else timedelta()
    length = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return -length if zone[0] == "-" else length


def _has_no_history(zone: tzinfo) -> bool:
    return isinstance(zone, timezone) or str(zone) in _WITHOUT_HISTORY


def micros_of(value: datetime) -> int:
    """Microseconds since 1970 of an aware datetime, exactly."""
    return (value - _EPOCH) // timedelta(microseconds=1)


def interval_days(amount: str, unit: str) -> int | None:
    """The days of INTERVAL `amount` `unit`; None unless the unit is DAY and the amount digits."""
    return int(amount) if unit.upper() in {"DAY", "DAYS"} and amount.isdecimal() else None


Value: TypeAlias = Union[int, float, Decimal, str, bool]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `kind` → type of `value`: null; bool; number → Decimal (an exact one); double, float → float;
    string → str; date → days since 1970; timestamp → microseconds UTC; timestamp_ntz → microseconds of its clock."""

    kind: str
    value: Value = 0


NULL = Literal("null")


def negated(constant: Literal) -> Literal | None:
    """A number with the other sign; None for other constants."""
    if constant.kind not in {"number", "double", "float"}:
        return None
    assert not isinstance(constant.value, str)
    # The operator would round a decimal to 28 digits.
    value = constant.value.copy_negate() if isinstance(constant.value, Decimal) else -constant.value
    return Literal(constant.kind, value)


def number_literal(written: str) -> Literal | None:
    """A number, with its suffix, as `number` reads it."""
    read = number(written)
    if read is None or not isinstance(read.value, int | float | Decimal):
        return None
    if isinstance(read.value, float):
        return Literal("float" if read.type == FLOAT else "double", read.value)
    return Literal("number", Decimal(read.value))


def cast(constant: Literal, target: DataType, zone: tzinfo | None) -> Literal | None:
    """`constant` as `target`; None where the cast is not exact or may fail.

    `zone` is the session's, for timestamps that name none.
    """
    match target:
        case _ if constant.kind == "null":
            return constant
        case types.BYTE | types.SHORT | types.INTEGER | types.LONG:
            return _as_integer(constant, target)
        case DecimalType(precision, scale):
            return _as_decimal(constant, precision, scale)
        case types.DOUBLE | types.FLOAT:
            return _as_float(constant, "double" if target == DOUBLE else "float")
        case types.STRING:
            return constant if constant.kind == "string" else None
        case types.DATE:
            return as_date(constant)
        case types.TIMESTAMP:
            return as_timestamp(constant, zone)
        case types.TIMESTAMP_NTZ:
            return as_clock_time(constant)
    return None


def _as_number(constant: Literal) -> Decimal | None:
    if constant.kind == "string":
        return exact_number(str(constant.value))
    return constant.value if isinstance(constant.value, Decimal) else None


def _as_integer(constant: Literal, kind: DataType) -> Literal | None:
    value = _as_number(constant)
    if value is None or value != value.to_integral_value() or not fits(int(value), kind):
        return None
    return Literal("number", value)


def _as_decimal(constant: Literal, precision: int, scale: int) -> Literal | None:
    value = _as_number(constant)
    if value is None:
        return None
    try:
        is_same = value.quantize(Decimal(1).scaleb(-scale), context=EXACT) == value
    except InvalidOperation:
        return None
    return Literal("number", value) if is_same and value.copy_abs() < 10 ** (precision - scale) else None


def _as_float(constant: Literal, kind: str) -> Literal | None:
    exact = _as_number(constant)
    if exact is None and not isinstance(constant.value, float):
        return None
    value = float(constant.value if exact is None else exact)
    try:
        return Literal(kind, single(value) if kind == "float" else value)
    except OverflowError:
        return None


def as_date(constant: Literal) -> Literal | None:
    """A date from a string or a date."""
    if constant.kind == "date":
        return constant
    days = date_days(str(constant.value)) if constant.kind == "string" else None
    return None if days is None else Literal("date", days)


def days_of(constant: Literal) -> int | None:
    """Days since 1970 of a date, or of a string that is one."""
    date_ = as_date(constant)
    return date_.value if date_ is not None and isinstance(date_.value, int) else None


def as_timestamp(constant: Literal, zone: tzinfo | None) -> Literal | None:
    """A point in time from a string, date or timestamp; None where it needs the session's zone and that is unknown."""
    if constant.kind == "timestamp":
        return constant
    if constant.kind == "date" and isinstance(constant.value, int):
        constant = Literal("string", date_text(constant.value))
    value = moment(str(constant.value), zone) if constant.kind == "string" else None
    return None if value is None else Literal("timestamp", value)


def as_clock_time(constant: Literal) -> Literal | None:
    """A timestamp without a zone from a string that names none, or from a date."""
    if constant.kind == "timestamp_ntz":
        return constant
    if constant.kind == "date" and isinstance(constant.value, int):
        return Literal("timestamp_ntz", constant.value * DAY)
    value = clock_time(str(constant.value)) if constant.kind == "string" else None
    return None if value is None else Literal("timestamp_ntz", value)


_SUFFIX = re.compile(r"\d{17}")


def timestamp_of(text: str, time_zone: str | None, evaluate: Callable[[str], Any]) -> int:
    """Microseconds since the epoch, UTC, of a timestamp expression; a date is its midnight in `time_zone`.

    A string literal is read here; `evaluate` gives the value of any other expression. Raises TimestampInvalidError.
    """
    text = text.strip()
    written = text if _SUFFIX.fullmatch(text) else written_moment(text)
    if written is None:
        value = evaluate(f"CAST({text} AS TIMESTAMP)")
        if not isinstance(value, datetime):
            raise errors.TimestampInvalidError(expression=text)
        return micros_of(value if value.tzinfo else value.astimezone())
    moment = parse_timestamp(written.strip())
    if moment is None:
        raise errors.TimestampInvalidError(expression=text)
    return micros_of(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))


def written_moment(expression: str) -> str | None:
    """The text in `[TIMESTAMP | DATE] 'text'`; None for any other expression, and for a text with escapes."""
    tokens = tokenize(expression)
    if len(tokens) == 2 and tokens[0].key in {"TIMESTAMP", "DATE"}:
        tokens = tokens[1:]
    is_text = len(tokens) == 1 and tokens[0].kind == "string" and "\\" not in tokens[0].text
    return unquote(tokens[0].text) if is_text else None
