"""VALUES lists of plain literals, read without Spark: their types and values as Spark would have them.

Whatever is not a literal in its simplest form is left to Spark, so this may know little, but must never be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from decimal import Decimal

from deltasql.plan.operators import LiteralValue
from deltasql.schema.type_lattice import common_of_values
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    StructField,
    StructType,
)
from deltasql.sql.literal_casts import (
    LeftToSparkError,
    as_type,
    clock_time_of,
    date_of,
    moment_of,
    rounded_single,
)
from deltasql.sql.strings import unquote
from deltasql.sql.tokens import Token, tokenize

MOST_ROWS = 10_000
"""Beyond, a session of Spark's is worth its start."""

# Spark replaces ${…} in any text, and a hint is no comment.
_SPECIAL = ("${", "/*+")
_WORDS: dict[str, tuple[DataType, LiteralValue]] = {
    "NULL": (VOID, None),
    "TRUE": (BOOLEAN, True),
    "FALSE": (BOOLEAN, False),
}
_INTEGERS = {"Y": (BYTE, 8), "S": (SHORT, 16), "L": (LONG, 64)}
# Here Spark and the rules of `unquote` may differ: octal numbers beyond 127.
_DOUBTFUL_ESCAPE = re.compile(r"\\[23][0-7]{2}")


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal's type and value: see `LiteralValue`."""

    type: DataType
    value: LiteralValue


@dataclass(frozen=True, slots=True)
class LiteralColumn:
    """The values of one column of a VALUES list, all of its type."""

    type: DataType
    values: tuple[LiteralValue, ...]


@dataclass(frozen=True, slots=True)
class LiteralRows:
    """The rows of a VALUES list, at least one, and the zone that they were read in, None where it is not certain."""

    columns: tuple[LiteralColumn, ...]
    zone: tzinfo | None

    @property
    def schema(self) -> StructType:
        """Under the names that Spark gives to the columns."""
        return StructType(tuple(StructField(f"col{number}", item.type) for number, item in enumerate(self.columns, 1)))


def literal_rows(query: str, zone: tzinfo | None) -> LiteralRows | None:
    """The rows of a query that is VALUES and plain literals, up to MOST_ROWS; None for any other.

    `zone` is the session's time zone; None where it is not known for certain.
    """
    if any(text in query for text in _SPECIAL):
        return None
    reader = _Reader(tokenize(query), zone)
    try:
        rows = reader.rows()
        return LiteralRows(tuple(_column(values) for values in zip(*rows, strict=True)), zone)
    except (LeftToSparkError, ValueError):
        return None


def literal_constant(expression: str, zone: tzinfo | None) -> Constant:
    """The literal that an expression is. Raises LeftToSparkError."""
    if any(text in expression for text in _SPECIAL):
        raise LeftToSparkError
    reader = _Reader(tokenize(expression), zone)
    found = reader.literal()
    reader.end()
    return found


def _column(found: Sequence[Constant]) -> LiteralColumn:
    kind = common_of_values({item.type for item in found})
    if kind is None:
        raise LeftToSparkError
    # A text never has another type in common with its neighbours, so that no zone is needed here.
    return LiteralColumn(kind, tuple(as_type(item.value, item.type, kind, None) for item in found))


@dataclass(slots=True)
class _Reader:
    """Tokens from left to right. Raises LeftToSparkError at the first that is no part of a literal."""

    tokens: list[Token]
    zone: tzinfo | None
    at: int = 0

    @property
    def token(self) -> Token:
        if self.at >= len(self.tokens):
            raise LeftToSparkError
        return self.tokens[self.at]

    def take(self, key: str) -> bool:
        """A step over the next token, if it is this one."""
        found = self.at < len(self.tokens) and self.tokens[self.at].key == key
        self.at += found
        return found

    def need(self, key: str) -> None:
        if not self.take(key):
            raise LeftToSparkError

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise LeftToSparkError

    def rows(self) -> list[list[Constant]]:
        self.need("VALUES")
        found = [self.row()]
        while self.take(","):
            found.append(self.row())
            if len(found) > MOST_ROWS:
                raise LeftToSparkError
        self.end()
        return found

    def row(self) -> list[Constant]:
        if not self.take("("):
            return [self.literal()]
        found = [self.literal()]
        while self.take(","):
            found.append(self.literal())
        self.need(")")
        return found

    def literal(self) -> Constant:
        negative = self.take("-")
        token = self.token
        if token.kind == "number":
            self.at += 1
            return _number(token.text.upper(), -1 if negative else 1)
        if negative:
            raise LeftToSparkError
        if token.kind == "string":
            return Constant(STRING, self.text())
        if token.kind == "word" and token.key in _WORDS:
            self.at += 1
            return Constant(*_WORDS[token.key])
        if token.kind != "word":
            raise LeftToSparkError
        self.at += 1
        return self.typed(token.key)

    def text(self) -> str:
        """Neighbouring texts are one."""
        found = ""
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "string":
            written = self.tokens[self.at].text
            if _DOUBTFUL_ESCAPE.search(written):
                raise LeftToSparkError
            found += unquote(written)
            self.at += 1
        if any("\ud800" <= char <= "\udfff" for char in found):
            raise LeftToSparkError
        return found

    def typed(self, word: str) -> Constant:
        """DATE '2024-01-31', X'1f' …: what follows the word."""
        if self.token.kind != "string":
            raise LeftToSparkError
        written = self.token.text
        text = self.text()
        match word:
            case "DATE":
                return Constant(DATE, date_of(text))
            case "TIMESTAMP" | "TIMESTAMP_LTZ":
                return Constant(TIMESTAMP, moment_of(text, self.zone))
            case "TIMESTAMP_NTZ":
                return Constant(TIMESTAMP_NTZ, clock_time_of(text))
            case "X" if re.fullmatch(r"'(?:[0-9a-fA-F]{2})*'", written) and written == f"'{text}'":
                return Constant(BINARY, bytes.fromhex(text))
        raise LeftToSparkError


def _number(text: str, sign: int) -> Constant:
    """Digits are exact, with or without a point; with an exponent a number is a double, if its suffix does not say."""
    if text.endswith("BD"):
        return _decimal(Decimal(text[:-2]), sign)
    suffix = text[-1]
    if suffix in _INTEGERS:
        kind, bits = _INTEGERS[suffix]
        return Constant(kind, _within(sign * int(text[:-1]), bits))
    if suffix == "F":
        return Constant(FLOAT, _inexact(rounded_single(Decimal(text[:-1])), text[:-1], sign))
    if suffix == "D" or "E" in text:
        digits = text.removesuffix("D")
        return Constant(DOUBLE, _inexact(float(digits), digits, sign))
    if "." in text:
        return _decimal(Decimal(text), sign)
    return _whole(sign * int(text))


def _whole(value: int) -> Constant:
    for kind, bits in ((INTEGER, 32), (LONG, 64)):
        if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            return Constant(kind, value)
    return _decimal(Decimal(value), 1)


def _within(value: int, bits: int) -> int:
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise LeftToSparkError
    return value


def _inexact(value: float, digits: str, sign: int) -> float:
    """A float or double. Too large is an error, and of zeros with a sign footers are not sure."""
    if value - value != 0 or (value == 0 and (sign < 0 or Decimal(digits) != 0)):
        raise LeftToSparkError
    return value * sign


def _signed(value: Decimal, sign: int) -> Decimal:
    # A product would be rounded to the digits of Python's context.
    return value if sign > 0 else value.copy_negate()


def _decimal(value: Decimal, sign: int) -> Constant:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent > 0 or max(len(digits), -exponent) > 38:
        raise LeftToSparkError
    return Constant(DecimalType(max(len(digits), -exponent), -exponent), _signed(value, sign))
