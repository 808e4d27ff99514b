"""VALUES lists of plain literals, and casts of literals as in INSERT's store assignment, evaluated without Spark.

Reads NULL, TRUE, numbers, texts, DATE '…' and their like, and the current time, in their simplest form. Wherever a
value or a cast could fail, or depend on a setting, LeftToEngineError is raised, and Spark runs the statement: coverage
may be small, but results must be right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from deltasql.base import LeftToEngineError, Token, TokenCursor, require_value
from deltasql.plan import LiteralValue
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    StructField,
    StructType,
    common_of_values,
    fits,
    is_integral,
)
from deltasql.sql.constants import (
    DAY,
    EXACT,
    Constant,
    clock_time,
    date_days,
    date_text,
    exact_number,
    exact_single,
    micros_of,
    moment,
    number,
    rounded_single,
    unquote,
    whole_number,
)

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


MOST_ROWS = 100_000
"""Spark's own reading of so many takes minutes, and of 10,000 longer than its start; here a row of two takes 50 µs."""

# Spark replaces ${…} in any text, and a hint is no comment.
_SPECIAL = ("${", "/*+")
_WORDS: dict[str, tuple[DataType, LiteralValue]] = {
    "NULL": (VOID, None),
    "TRUE": (BOOLEAN, True),
    "FALSE": (BOOLEAN, False),
}
CURRENT = {
    "CURRENT_DATE": DATE,
    "CURDATE": DATE,
    "CURRENT_TIMESTAMP": TIMESTAMP,
    "NOW": TIMESTAMP,
    "LOCALTIMESTAMP": TIMESTAMP_NTZ,
}
"""Functions without arguments for the time at which a statement begins, and their types."""
_WITHOUT_BRACKETS = {"CURRENT_DATE", "CURRENT_TIMESTAMP"}
_SECOND = 1_000_000
# Here Spark and the rules of `unquote` may differ: octal numbers beyond 127.
_DOUBTFUL_ESCAPE = re.compile(r"\\[23][0-7]{2}")


@dataclass(frozen=True, slots=True)
class LiteralColumn:
    """The values of one column of a VALUES list, all of its type."""

    type: DataType
    values: tuple[LiteralValue, ...]


@dataclass(frozen=True, slots=True)
class LiteralRows:
    """The rows of a VALUES list, at least one, and the zone and the time that they were read in.

    `zone` is None where it is not certain. `now` is in microseconds since 1970, UTC; without it, the current time is no
    literal.
    """

    columns: tuple[LiteralColumn, ...]
    zone: tzinfo | None
    now: int | None = None

    @property
    def schema(self) -> StructType:
        """Under the names that Spark gives to the columns."""
        return StructType(tuple(StructField(f"col{number}", item.type) for number, item in enumerate(self.columns, 1)))


def literal_rows(query: str, zone: tzinfo | None, now: int | None = None) -> LiteralRows | None:
    """The rows of a query that is VALUES and plain literals, up to MOST_ROWS; None for any other.

    `zone` is the session's time zone, None where it is not known for certain; `now` the time of the statement, as
    `LiteralRows` has it.
    """
    if is_special(query):
        return None
    reader = LiteralReader(query, zone, now)
    try:
        rows = reader.rows()
        reader.end()
        return LiteralRows(common_columns(rows), zone, now)
    except (LeftToEngineError, ValueError):
        return None


def literal_constant(expression: str, zone: tzinfo | None, now: int | None = None) -> Constant:
    """The literal that an expression is. Raises LeftToEngineError."""
    if is_special(expression):
        raise LeftToEngineError
    reader = LiteralReader(expression, zone, now)
    constant = reader.literal()
    reader.end()
    return constant


def current_time(function: str, now: int, zone: tzinfo | None) -> Constant:
    """The value of one of CURRENT at `now`, in microseconds since 1970, UTC.

    Raises LeftToEngineError for one that needs a zone, without that.
    """
    kind = CURRENT[function]
    if kind == TIMESTAMP:
        return Constant(kind, now)
    local = datetime.fromtimestamp(now // _SECOND, require_value(zone)).replace(tzinfo=timezone.utc)
    clock = micros_of(local) + now % _SECOND
    return Constant(kind, clock // DAY if kind == DATE else clock)


def is_special(sql: str) -> bool:
    """Whether a text has what no reader of literals sees: variables of Spark's, hints."""
    return any(text in sql for text in _SPECIAL)


def common_columns(rows: Sequence[Sequence[Constant]]) -> tuple[LiteralColumn, ...]:
    """The columns of rows of one length, each of the type that its values have in common.

    Raises LeftToEngineError where they have none, ValueError for rows of different lengths.
    """
    return tuple(_column(values) for values in zip(*rows, strict=True))


def _column(constants: Sequence[Constant]) -> LiteralColumn:
    kind = common_of_values({item.type for item in constants})
    if kind is None:
        raise LeftToEngineError
    # A text never has another type in common with its neighbours, so that no zone is needed here.
    return LiteralColumn(kind, tuple(as_type(item.value, item.type, kind, None) for item in constants))


class LiteralReader(TokenCursor):
    """Reads rows and literals. Raises LeftToEngineError at the first token that is no part of a literal."""

    def __init__(self, sql: str | Sequence[Token], zone: tzinfo | None, now: int | None = None) -> None:
        super().__init__(sql)
        self.zone, self.now = zone, now

    def rows(self) -> list[list[Constant]]:
        """VALUES (…), (…)"""
        self.need("VALUES")
        rows = [self.row()]
        while self.take(","):
            rows.append(self.row())
            if len(rows) > MOST_ROWS:
                raise LeftToEngineError
        return rows

    def row(self) -> list[Constant]:
        if not self.take("("):
            return [self.literal()]
        constants = self.listed(self.literal)
        self.need(")")
        return constants

    def literal(self) -> Constant:
        negative = self.take("-")
        if self.kind == "number":
            return require_value(number(self.next().text, -1 if negative else 1))
        if negative:
            raise LeftToEngineError
        if self.kind == "string":
            return Constant(STRING, self.text())
        word = self.next()
        if word.kind != "word":
            raise LeftToEngineError
        if word.key in CURRENT:
            return self.current(word.key)
        return Constant(*_WORDS[word.key]) if word.key in _WORDS else self.typed(word.key)

    def current(self, function: str) -> Constant:
        """The time of the statement: current_timestamp(), CURRENT_DATE …: what follows the function's name."""
        if self.take("("):
            self.need(")")
        elif function not in _WITHOUT_BRACKETS:
            raise LeftToEngineError
        return current_time(function, require_value(self.now), self.zone)

    def text(self) -> str:
        """Neighbouring texts are one."""
        text = ""
        while self.kind == "string":
            written = self.next().text
            if _DOUBTFUL_ESCAPE.search(written):
                raise LeftToEngineError
            text += unquote(written)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise LeftToEngineError
        return text

    def typed(self, word: str) -> Constant:
        """DATE '2024-01-31', X'1f' …: what follows the word."""
        if self.kind != "string":
            raise LeftToEngineError
        written = self.tokens[self.at].text
        text = self.text()
        match word:
            case "DATE":
                return Constant(DATE, require_value(date_days(text)))
            case "TIMESTAMP" | "TIMESTAMP_LTZ":
                return Constant(TIMESTAMP, require_value(moment(text, self.zone)))
            case "TIMESTAMP_NTZ":
                return Constant(TIMESTAMP_NTZ, require_value(clock_time(text)))
            case "X" if re.fullmatch(r"'(?:[0-9a-fA-F]{2})*'", written) and written == f"'{text}'":
                return Constant(BINARY, bytes.fromhex(text))
        raise LeftToEngineError
