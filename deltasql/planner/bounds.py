"""Bounds of columns, read from the statistics of many files at once. Source: Delta protocol, Per-file Statistics."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from deltasql.planner.literals import clock_time, date_days, moment, single
from deltasql.planner.predicates import INTEGRAL, Column
from deltasql.schema.types import DecimalType

if TYPE_CHECKING:
    import pyarrow as pa

_CHUNK = 65_536
_RECORDS = ("numRecords",)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one column, one value per file; null is unknown. `low` ≤ each value ≤ `high`; `nulls` and `rows` are counts.

    Dates are days, timestamps microseconds, decimals have 38 digits; where a float may be NaN `high` is null.
    """

    low: pa.ChunkedArray
    high: pa.ChunkedArray
    nulls: pa.ChunkedArray
    rows: pa.ChunkedArray


def read_bounds(stats: pa.ChunkedArray, columns: Iterable[Column]) -> dict[Column, Bounds]:
    """Bounds of `columns` from JSON texts of statistics; what is missing or not as the protocol says is null."""
    import pyarrow as pa

    wanted: dict[tuple[str, ...], _Field] = {_RECORDS: _COUNT}
    for column in columns:
        field = _field(column)
        wanted[_path("nullCount", column)] = _COUNT
        if field is not None:
            wanted |= {_path(name, column): field for name in ("minValues", "maxValues")}
    # Arrow's reader runs outside the interpreter's lock.
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        parts = list(threads.map(lambda chunk: _read(chunk, wanted), _chunks(stats)))
    arrays = {path: pa.chunked_array([part[path] for part in parts], wanted[path].arrow()) for path in wanted}
    empty = pa.chunked_array([pa.nulls(len(stats))])
    return {
        column: Bounds(
            arrays.get(_path("minValues", column), empty),
            _widened(column, arrays.get(_path("maxValues", column), empty)),
            arrays[_path("nullCount", column)],
            arrays[_RECORDS],
        )
        for column in columns
    }


def _path(statistic: str, column: Column) -> tuple[str, ...]:
    return (statistic, *column.path)


def _chunks(stats: pa.ChunkedArray) -> Iterable[pa.Array]:
    import pyarrow as pa

    for chunk in stats.cast(pa.string()).chunks:
        for start in range(0, len(chunk), _CHUNK):
            yield chunk.slice(start, _CHUNK)


def _widened(column: Column, high: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    if column.kind not in {"timestamp", "timestamp_ntz"}:
        return high
    # The log cuts timestamps to milliseconds. No timestamp of data is near the end of 64 bits.
    return pc.add(high, 1000)


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of the statistics: `json` is its type in Arrow's JSON reader, `arrow` the one that we compare.

    `convert` takes the reader's array to the latter and raises ArrowInvalid if one value is odd; `scalar` takes one
    value of Python's JSON reader and gives None if it is odd.
    """

    json: Callable[[], pa.DataType]
    arrow: Callable[[], pa.DataType]
    convert: Callable[[pa.Array], pa.Array]
    scalar: Callable[[Any], Any]


def _read(stats: pa.Array, wanted: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    import pyarrow as pa

    try:
        return _read_by_arrow(stats, wanted)
    except pa.ArrowInvalid:
        return _read_by_python(stats, wanted)


def _read_by_arrow(stats: pa.Array, wanted: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.json

    buffer = _text(stats if stats.null_count == 0 else pc.fill_null(stats, "{}"))
    table = pyarrow.json.read_json(
        pa.BufferReader(buffer),
        # In one block the reader takes one object after the other, whatever stands between them.
        read_options=pyarrow.json.ReadOptions(block_size=buffer.size + 1, use_threads=False),
        parse_options=pyarrow.json.ParseOptions(
            explicit_schema=pa.schema(_struct(wanted)), unexpected_field_behavior="ignore"
        ),
    )
    if table.num_rows != len(stats):
        raise pa.ArrowInvalid("a text of statistics is not one object")
    return {path: field.convert(_nested(table, path)) for path, field in wanted.items()}


def _text(strings: pa.Array) -> pa.Buffer:
    """The bytes of all `strings`, one after the other, without a copy."""
    import pyarrow as pa

    _, offsets, data = strings.buffers()
    if data is None:
        return pa.py_buffer(b"")
    places = memoryview(offsets).cast("i")
    first, last = places[strings.offset], places[strings.offset + len(strings)]
    return data.slice(first, last - first)


def _struct(wanted: Mapping[tuple[str, ...], _Field]) -> list[pa.Field]:
    import pyarrow as pa

    names = dict.fromkeys(path[0] for path in wanted)
    fields = []
    for name in names:
        below = {path[1:]: field for path, field in wanted.items() if path[0] == name}
        leaf = below.pop((), None)
        if (leaf is None) == (not below):
            raise pa.ArrowInvalid("a field is a value and a struct")
        fields.append(pa.field(name, leaf.json() if leaf is not None else pa.struct(_struct(below))))
    return fields


def _nested(table: pa.Table, path: tuple[str, ...]) -> pa.Array:
    import pyarrow.compute as pc

    values = table[path[0]]
    values = pc.struct_field(values, list(path[1:])) if len(path) > 1 else values
    return values.combine_chunks()


def _read_by_python(stats: pa.Array, wanted: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    import pyarrow as pa

    rows = [_parsed(text) for text in stats.to_pylist()]
    return {
        path: pa.array([_scalar(row, path, field) for row in rows], field.arrow()) for path, field in wanted.items()
    }


def _parsed(text: str | None) -> Any:
    try:
        return json.loads(text or "{}", parse_float=Decimal)
    except ValueError:
        return {}


def _scalar(row: Any, path: Sequence[str], field: _Field) -> Any:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return None if row is None or isinstance(row, bool) else field.scalar(row)


# Fields by type of column


def _same(values: pa.Array) -> pa.Array:
    return values


def _integer(value: Any) -> int | None:
    is_whole = isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())
    return int(value) if is_whole and -(2**63) <= value < 2**63 else None


def _int64() -> pa.DataType:
    import pyarrow as pa

    return pa.int64()


def _string() -> pa.DataType:
    import pyarrow as pa

    return pa.string()


def _float64() -> pa.DataType:
    import pyarrow as pa

    return pa.float64()


def _to_single(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return values.cast(pa.float32(), safe=False).cast(pa.float64())


def _double(value: Any) -> float | None:
    if isinstance(value, str):
        return {"Infinity": float("inf"), "-Infinity": float("-inf")}.get(value)
    return float(value) if isinstance(value, (int, Decimal)) else None


def _single(value: Any) -> float | None:
    found = _double(value)
    try:
        return None if found is None else single(found)
    except OverflowError:
        return None


def _to_days(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())


def _to_moment(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return values.cast(pa.timestamp("us", "UTC")).cast(pa.int64())


def _to_clock_time(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return values.cast(pa.timestamp("us")).cast(pa.int64())


_COUNT = _Field(_int64, _int64, _same, _integer)


def _of_text(read: Callable[[str], int | None]) -> Callable[[Any], int | None]:
    return lambda value: read(value) if isinstance(value, str) else None


_FIELDS = {
    **dict.fromkeys(INTEGRAL, _COUNT),
    "double": _Field(_float64, _float64, _same, _double),
    "float": _Field(_float64, _float64, _to_single, _single),
    "string": _Field(_string, _string, _same, lambda value: value if isinstance(value, str) else None),
    "date": _Field(_string, _int64, _to_days, _of_text(date_days)),
    "timestamp": _Field(_string, _int64, _to_moment, _of_text(lambda text: moment(text, None))),
    "timestamp_ntz": _Field(_string, _int64, _to_clock_time, _of_text(clock_time)),
}


def _field(column: Column) -> _Field | None:
    if isinstance(column.type, DecimalType):
        return _decimal_field(column.type.scale)
    return _FIELDS.get(column.kind)


def _decimal_field(scale: int) -> _Field:
    import pyarrow as pa

    def scalar(value: Any) -> Decimal | None:
        if not isinstance(value, (int, Decimal)):
            return None
        number = Decimal(value)
        digits = number.as_tuple()
        fits = isinstance(digits.exponent, int) and -digits.exponent <= scale and number.adjusted() < 38 - scale
        return number if fits else None

    return _Field(lambda: pa.decimal128(38, scale), lambda: pa.decimal128(38, scale), _same, scalar)
