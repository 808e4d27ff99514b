"""Constants of a predicate as values that compare like Spark's: exact where they can be, unknown where they cannot."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    from sqlglot import exp

Value: TypeAlias = Union[int, float, Decimal, str, bool]

EXACT = Context(prec=120)
DAY = 86_400_000_000
"""Microseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,37})")
_DECIMAL = re.compile(r"-?(?:\d{1,38}\.\d{0,38}|\.\d{1,38})")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d{1,6}))?)?"
    r"(?P<zone>Z|[+-]\d\d:\d\d)?"
)
# `negate` is of NOT LIKE, `safe` of TRY_CAST.
_OPERANDS = frozenset(
    {"this", "expression", "expressions", "low", "high", "negate", "to", "safe", "table", "db", "catalog", "is_string"}
)
_INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `kind` → type of `value`: null; bool; number → Decimal (an exact one); double, float → float;
    string → str; date → days since 1970; timestamp → microseconds UTC; timestamp_ntz → microseconds of its clock."""

    kind: str
    value: Value = 0


NULL = Literal("null")


def literal(node: exp.Expression, zone: tzinfo | None) -> Literal | None:
    """The constant that `node` is; None when it is none, or one whose value depends on what is not known here.

    `zone` is the session's, for timestamps that name none.
    """
    from sqlglot import exp

    if not is_plain(node):
        return None
    match node:
        case exp.Paren():
            return literal(node.this, zone)
        case exp.Null():
            return NULL
        case exp.Boolean():
            return Literal("bool", bool(node.this))
        case exp.Literal():
            return Literal("string", str(node.this)) if node.is_string else number(str(node.this))
        case exp.Neg():
            return _negated(literal(node.this, zone))
        case exp.Cast():
            return cast(literal(node.this, zone), node.to, zone)
        case exp.TsOrDsToDate():
            found = literal(node.this, zone)
            return None if found is None else _as_date(found)
    return None


def is_plain(node: exp.Expression) -> bool:
    """Whether `node` has no option beyond its operands: no format of a date, no SYMMETRIC of BETWEEN …"""
    return all(name in _OPERANDS for name, value in node.args.items() if value)


def _negated(found: Literal | None) -> Literal | None:
    if found is None or found.kind not in {"number", "double", "float"}:
        return None
    assert not isinstance(found.value, str)
    return Literal(found.kind, -found.value)


def number(text: str) -> Literal | None:
    """A number as Spark types it: digits are exact, with or without a point; with an exponent it is a double."""
    if _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text):
        return Literal("number", Decimal(text))
    try:
        return Literal("double", float(text))
    except ValueError:
        return None


def cast(found: Literal | None, target: exp.DataType, zone: tzinfo | None) -> Literal | None:
    """`found` as `target`; None where the cast is not exact or may fail."""
    if found is None or found.kind == "null":
        return found
    name = str(target.this.value)
    if name in _INTEGER_BITS:
        return _as_integer(found, _INTEGER_BITS[name])
    if name == "DECIMAL":
        return _as_decimal(found, [int(param.name) for param in target.expressions])
    if name in {"DOUBLE", "FLOAT"}:
        return _as_float(found, name.lower())
    if name in {"TEXT", "VARCHAR", "STRING"} and not target.expressions:
        return found if found.kind == "string" else None
    if name == "DATE":
        return _as_date(found)
    if name in {"TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ"}:
        return as_timestamp(found, zone)
    return as_clock_time(found) if name == "TIMESTAMPNTZ" else None


def _as_number(found: Literal) -> Decimal | None:
    if found.kind == "string":
        text = str(found.value)
        is_plain = _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text)
        return Decimal(text) if is_plain else None
    return found.value if isinstance(found.value, Decimal) else None


def _as_integer(found: Literal, bits: int) -> Literal | None:
    value = _as_number(found)
    if value is None or value != value.to_integral_value() or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        return None
    return Literal("number", value)


def _as_decimal(found: Literal, params: list[int]) -> Literal | None:
    value = _as_number(found)
    precision, scale = [*params, *(10, 0)[len(params) :]][:2]
    if value is None:
        return None
    try:
        is_same = value.quantize(Decimal(1).scaleb(-scale), context=EXACT) == value
    except InvalidOperation:
        return None
    return Literal("number", value) if is_same and abs(value) < 10 ** (precision - scale) else None


def _as_float(found: Literal, kind: str) -> Literal | None:
    exact = _as_number(found)
    if exact is None and not isinstance(found.value, float):
        return None
    value = float(found.value if exact is None else exact)
    try:
        return Literal(kind, single(value) if kind == "float" else value)
    except OverflowError:
        return None


def single(value: float) -> float:
    """`value` rounded to single precision. Raises OverflowError."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _as_date(found: Literal) -> Literal | None:
    if found.kind == "date":
        return found
    days = date_days(str(found.value)) if found.kind == "string" else None
    return None if days is None else Literal("date", days)


def date_days(text: str) -> int | None:
    """Days since 1970 of `yyyy-MM-dd`; None for any other text."""
    try:
        return (date.fromisoformat(text) - date(1970, 1, 1)).days if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def days_of(found: Literal) -> int | None:
    """Days since 1970 of a date, or of a string that is one."""
    date_ = _as_date(found)
    return date_.value if date_ is not None and isinstance(date_.value, int) else None


def as_timestamp(found: Literal, zone: tzinfo | None) -> Literal | None:
    """A point in time from a string, date or timestamp; None where it needs the session's zone and that is unknown."""
    if found.kind == "timestamp":
        return found
    if found.kind == "date" and isinstance(found.value, int):
        found = Literal("string", (date(1970, 1, 1) + timedelta(days=found.value)).isoformat())
    value = moment(str(found.value), zone) if found.kind == "string" else None
    return None if value is None else Literal("timestamp", value)


def as_clock_time(found: Literal) -> Literal | None:
    """A timestamp without a zone from a string that names none, or from a date."""
    if found.kind == "timestamp_ntz":
        return found
    if found.kind == "date" and isinstance(found.value, int):
        return Literal("timestamp_ntz", found.value * DAY)
    value = clock_time(str(found.value)) if found.kind == "string" else None
    return None if value is None else Literal("timestamp_ntz", value)


def moment(text: str, zone: tzinfo | None) -> int | None:
    """Microseconds UTC of an ISO timestamp or date; one that names no zone is in `zone`, or unknown without it."""
    match = _MOMENT.fullmatch(text)
    if match is None or (match["zone"] is None and zone is None):
        return None
    clock = _clock(match)
    if clock is None:
        return None
    try:
        where = zone if match["zone"] is None else _fixed(match["zone"])
        return moment_of(clock.replace(tzinfo=where).astimezone(timezone.utc))
    except (ValueError, OverflowError):
        return None


def clock_time(text: str) -> int | None:
    """Microseconds of an ISO timestamp or date that names no zone, as if it were UTC; None for any other text."""
    match = _MOMENT.fullmatch(text)
    clock = None if match is None or match["zone"] else _clock(match)
    return None if clock is None else moment_of(clock.replace(tzinfo=timezone.utc))


def _fixed(offset: str) -> tzinfo | None:
    return datetime.fromisoformat("2000-01-01T00:00:00" + ("+00:00" if offset == "Z" else offset)).tzinfo


def _clock(match: re.Match[str]) -> datetime | None:
    try:
        value = datetime.fromisoformat(f"{match['day']}T{match['time'] or '00:00:00'}")
    except ValueError:
        return None
    return value.replace(microsecond=int(f"{match['fraction'] or '0':0<6}"))


def moment_of(value: datetime) -> int:
    """Microseconds since 1970 of a moment."""
    return (value - _EPOCH) // timedelta(microseconds=1)
