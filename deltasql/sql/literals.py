"""Constants of a predicate as values that compare as in Spark; None where the comparison could differ.

Reads sqlglot's trees of literals, signs and casts. Anything else, and anything that depends on a setting, gives None.

TIMESTAMP AS OF: the point in time of an expression.

Reads one literal, or the 17 digits of a name's suffix; any other expression is evaluated by Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias, Union

from deltasql.base import errors, exp, parse_timestamp, zone
from deltasql.schema import DataType, fits, types
from deltasql.sql.constants import (
    DAY,
    EXACT,
    clock_time,
    date_days,
    date_text,
    exact_number,
    micros_of,
    moment,
    single,
    unquote,
)
from deltasql.sql.tokens import tokenize

Value: TypeAlias = Union[int, float, Decimal, str, bool]

# `negate` is of NOT LIKE, `safe` of TRY_CAST.
_OPERANDS = frozenset(
    {"this", "expression", "expressions", "low", "high", "negate", "to", "safe", "table", "db", "catalog", "is_string"}
)
_INTEGERS: dict[str, DataType] = {
    "TINYINT": types.BYTE,
    "SMALLINT": types.SHORT,
    "INT": types.INTEGER,
    "BIGINT": types.LONG,
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `kind` → type of `value`: null; bool; number → Decimal (an exact one); double, float → float;
    string → str; date → days since 1970; timestamp → microseconds UTC; timestamp_ntz → microseconds of its clock."""

    kind: str
    value: Value = 0


NULL = Literal("null")


def literal(node: exp.Expression, zone: tzinfo | None) -> Literal | None:
    """The constant that `node` is; None for other nodes, and for constants whose value depends on settings.

    `zone` is the session's, for timestamps that name none.
    """
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
            inner = literal(node.this, zone)
            return None if inner is None else as_date(inner)
    return None


def is_plain(node: exp.Expression) -> bool:
    """Whether `node` has no option beyond its operands: no format of a date, no SYMMETRIC of BETWEEN …"""
    return all(name in _OPERANDS for name, value in node.args.items() if value)


def _negated(constant: Literal | None) -> Literal | None:
    if constant is None or constant.kind not in {"number", "double", "float"}:
        return None
    assert not isinstance(constant.value, str)
    # The operator would round a decimal to 28 digits.
    value = constant.value.copy_negate() if isinstance(constant.value, Decimal) else -constant.value
    return Literal(constant.kind, value)


def number(text: str) -> Literal | None:
    """A number as Spark types it: digits are exact, with or without a point; with an exponent it is a double."""
    exact = exact_number(text)
    if exact is not None:
        return Literal("number", exact)
    try:
        return Literal("double", float(text))
    except ValueError:
        return None


def cast(constant: Literal | None, target: exp.DataType, zone: tzinfo | None) -> Literal | None:
    """`constant` as `target`; None where the cast is not exact or may fail."""
    if constant is None or constant.kind == "null":
        return constant
    return _cast(constant, str(target.this.value), target, zone)


def _cast(constant: Literal, name: str, target: exp.DataType, zone: tzinfo | None) -> Literal | None:
    match name:
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return _as_integer(constant, _INTEGERS[name])
        case "DECIMAL":
            return _as_decimal(constant, [int(param.name) for param in target.expressions])
        case "DOUBLE" | "FLOAT":
            return _as_float(constant, name.lower())
        case "TEXT" | "VARCHAR" | "STRING":
            return constant if constant.kind == "string" and not target.expressions else None
        case "DATE":
            return as_date(constant)
        case "TIMESTAMP" | "TIMESTAMPTZ" | "TIMESTAMPLTZ":
            return as_timestamp(constant, zone)
        case "TIMESTAMPNTZ":
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


def _as_decimal(constant: Literal, params: list[int]) -> Literal | None:
    value = _as_number(constant)
    precision, scale = [*params, *(10, 0)[len(params) :]][:2]
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
