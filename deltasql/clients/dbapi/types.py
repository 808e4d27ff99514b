"""Type objects, constructors of values, and the `description` of a result."""

from __future__ import annotations

import time
from datetime import date, datetime
from datetime import time as time_of_day
from typing import NamedTuple

from deltasql.schema.text import kind_text
from deltasql.schema.types import DataType, DecimalType, StructType, without_collations


class TypeObject:
    """Equal to the type codes in its group: `cursor.description[0][1] == NUMBER`."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def __eq__(self, other: object) -> bool:
        return other in self.names if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"TypeObject({', '.join(sorted(self.names))})"


STRING = TypeObject("string", "char", "varchar")
BINARY = TypeObject("binary")
NUMBER = TypeObject("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DATETIME = TypeObject("date", "timestamp", "timestamp_ntz", "time")
ROWID = TypeObject()
"""Tables have no column that PEP 249 would call so."""

Date = date
Time = time_of_day
Timestamp = datetime
Binary = bytes


def DateFromTicks(ticks: float) -> date:  # noqa: N802 - the PEP's name
    """The date of a time in seconds since 1970, in the zone of this machine."""
    return date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> time_of_day:  # noqa: N802 - the PEP's name
    """The time of day of a time in seconds since 1970, in the zone of this machine."""
    return time_of_day(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime:  # noqa: N802 - the PEP's name
    """Date and time of a time in seconds since 1970, in the zone of this machine."""
    return datetime(*time.localtime(ticks)[:6])


class Column(NamedTuple):
    """One column of a `description`, as PEP 249 orders it.

    `type_code` is Spark's name of the type, without what is inside of it: `int`, `decimal`, `struct`, `array`.
    """

    name: str
    type_code: str
    display_size: None = None
    internal_size: None = None
    precision: int | None = None
    scale: int | None = None
    null_ok: bool | None = True


def describe(schema: StructType) -> list[Column]:
    """The `description` of rows of a schema."""
    return [
        Column(item.name, type_code(item.type), None, None, *_digits(item.type), null_ok=item.nullable)
        for item in schema
    ]


def type_code(kind: DataType) -> str:
    """Spark's name of a type, without its parameters."""
    return "decimal" if isinstance(kind, DecimalType) else kind_text(without_collations(kind)).partition("(")[0]


def _digits(kind: DataType) -> tuple[int | None, int | None]:
    return (kind.precision, kind.scale) if isinstance(kind, DecimalType) else (None, None)
