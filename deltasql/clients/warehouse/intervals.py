"""Columns of intervals in Arrow, for clients that ask for them: durations, and numbers of months.

pyarrow has no intervals of months. Their values are those of 32-bit integers, so that such a column is made first, and
its type is changed where the schema is written. Source: Arrow's Schema.fbs and Message.fbs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from deltasql.schema import DataType, PrimitiveType

_MONTHS = re.compile(r"(-?)(\d+)-(\d+)")
_TIME = re.compile(r"(-?)(\d+) (\d+):(\d+):(\d+)\.(\d{6})\d*")
_FIELDS = 4
"""Bytes of the length before the items of a vector of FlatBuffers."""
_INTERVAL = 11
"""Number of the type Interval among Arrow's types."""


def arrow_interval(kind: DataType) -> pa.DataType | None:
    """The Arrow type of an interval, which is that of integers for months; None for any other type."""
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    # The legacy type of Spark has months, days and microseconds at once.
    if not name.startswith("interval "):
        return None
    return pa.int32() if is_of_months(kind) else pa.duration("us")


def is_of_months(kind: DataType) -> bool:
    """Whether a type is an interval of years and months."""
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    return name.startswith("interval ") and ("year" in name or "month" in name)


def interval_column(texts: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """A column of a type of `arrow_interval`, from the texts `1-2` and `1 02:03:04.000000000`."""
    number = _months if pa.types.is_integer(kind) else _microseconds
    numbers = pa.array([None if text is None else number(text) for text in texts], pa.int64())
    return numbers.cast(kind)


def _months(text: str) -> int:
    sign, years, months = _parts(_MONTHS, text)
    return int(f"{sign}1") * (int(years) * 12 + int(months))


def _microseconds(text: str) -> int:
    sign, days, hours, minutes, seconds, fraction = _parts(_TIME, text)
    whole = ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return int(f"{sign}1") * (whole * 1_000_000 + int(fraction))


def _parts(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no interval.")
    return match.groups()


def with_months(stream: bytes, columns: Sequence[int]) -> bytes:
    """Bytes of Arrow that begin with a schema, whose columns of these indexes become intervals of months.

    In place of the width of an integer stands the unit of an interval, whose number for months is 0.
    """
    if not columns:
        return stream
    data = bytearray(stream)
    schema = _target(data, _member(data, _target(data, 8), 2))
    fields = _target(data, _member(data, schema, 1))
    for column in columns:
        field = _target(data, fields + _FIELDS + 4 * column)
        width = _member(data, _target(data, _member(data, field, 3)), 0)
        data[_member(data, field, 2)] = _INTERVAL
        data[width : width + 4] = bytes(4)
    return bytes(data)


def _target(data: bytearray, place: int) -> int:
    """Where an offset of FlatBuffers leads to."""
    return place + int.from_bytes(data[place : place + 4], "little")


def _member(data: bytearray, table: int, number: int) -> int:
    """Where a member of a table of FlatBuffers is, which the table must have."""
    places = table - int.from_bytes(data[table : table + 4], "little", signed=True)
    entry = places + 4 + 2 * number
    return table + int.from_bytes(data[entry : entry + 2], "little")
