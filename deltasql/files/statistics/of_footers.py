"""Statistics of a data file, from its Parquet footer. Source: Delta protocol, Per-file Statistics.

Exact bounds of floating-point columns, which footers written by Arrow lack.

Those ignore NaN, and have -0.0 as the lower and 0.0 as the upper bound of zeros.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from deltasql.base.lazy import np, pa, pc, pq
from deltasql.files.inspection import footer as footer_of
from deltasql.files.inspection import says_old_calendar
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.properties import IndexedColumn, IndexRule, indexed_leaves
from deltasql.log.storage.locations import absolute
from deltasql.log.storage.stores import Stores
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType

_EPOCH = datetime(1970, 1, 1)
_UNITS_PER_MS = {"milliseconds": 1, "microseconds": 1_000, "nanoseconds": 1_000_000}
FloatBounds = tuple[float | None, float | None]
"""The least number in a column, and its greatest value; None if there is none, or if the greatest is NaN."""
_DAYS = frozenset({PrimitiveType("date"), PrimitiveType("timestamp"), PrimitiveType("timestamp_ntz")})
_INTEGERS = frozenset({"byte", "short", "integer", "long"})


def file_statistics(
    footer: pq.FileMetaData,
    schema: StructType,
    partition_columns: Sequence[str] = (),
    rule: IndexRule | None = None,
    tight_bounds: bool | None = None,
    floats: Mapping[str, FloatBounds] | None = None,
) -> dict[str, Any]:
    """The statistics object of one file: numRecords, minValues, maxValues and nullCount by physical name.

    Values are of JSON types, except decimals. Statistics that the footer does not prove are left out: bounds that may
    ignore NaN, bounds of INT96, those of days of the Julian calendar, the null count of an array or map with empty
    lists. `tight_bounds` None leaves that field out. `floats` are exact bounds of floating-point columns by dotted
    path, if available.
    """
    rule = rule or IndexRule()
    chunks = _chunks_by_path(footer)
    unsure = _DAYS if says_old_calendar(footer.metadata or {}) else frozenset()
    statistics: dict[str, Any] = {"numRecords": footer.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    for leaf in indexed_leaves(schema, partition_columns, rule):
        nulls = _null_count(leaf, chunks)
        if nulls is not None:
            put(statistics["nullCount"], leaf.path, nulls)
        if leaf.type in unsure:
            continue
        low, high = _bounds(leaf, chunks.get(".".join(leaf.path), []), footer, rule, floats)
        if low is not None:
            put(statistics["minValues"], leaf.path, low)
        if high is not None:
            put(statistics["maxValues"], leaf.path, high)
    if tight_bounds is not None:
        statistics["tightBounds"] = tight_bounds
    return statistics


def _chunks_by_path(footer: pq.FileMetaData) -> dict[str, list[pq.ColumnChunkMetaData]]:
    chunks: dict[str, list[pq.ColumnChunkMetaData]] = {}
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        for index in range(group.num_columns if group.num_rows else 0):
            chunk = group.column(index)
            chunks.setdefault(chunk.path_in_schema, []).append(chunk)
    return chunks


def put(target: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    """Sets the value of a leaf column in a tree of statistics."""
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value


def _null_count(leaf: IndexedColumn, chunks: Mapping[str, list[pq.ColumnChunkMetaData]]) -> int | None:
    path = ".".join(leaf.path)
    if leaf.type == PrimitiveType("variant"):
        return _nulls(chunks.get(f"{path}.metadata", []))
    if not isinstance(leaf.type, (ArrayType, MapType)):
        return _nulls(chunks.get(path, []))
    below = [_nulls(chunk) for name, chunk in chunks.items() if name.startswith(f"{path}.")]
    # Below an array, a footer counts empty arrays and null elements as nulls too: only zero is sure.
    return 0 if below and not any(count != 0 for count in below) else None


def _nulls(chunks: Sequence[pq.ColumnChunkMetaData]) -> int | None:
    counts = [
        statistics.null_count if (statistics := chunk.statistics) is not None and statistics.has_null_count else None
        for chunk in chunks
    ]
    counted = [count for count in counts if count is not None]
    return sum(counted) if counted and len(counted) == len(counts) else None


def _bounds(
    leaf: IndexedColumn,
    chunks: Sequence[pq.ColumnChunkMetaData],
    footer: pq.FileMetaData,
    rule: IndexRule,
    floats: Mapping[str, FloatBounds] | None,
) -> tuple[object | None, object | None]:
    """Minimum and maximum as JSON values; None for a bound that is not known."""
    if floats is not None and (path := ".".join(leaf.path)) in floats:
        return _json_values(leaf.type, *floats[path], rule, hides_nan=False)
    order = _reader(leaf.type)
    filled = [chunk for chunk in chunks if not _is_all_null(chunk)]
    if order is None or not filled or not all(_has_bounds(chunk) for chunk in filled):
        return None, None
    unit = _timestamp_unit(footer, filled[0].path_in_schema) if order is _milliseconds else None
    low, high = _outermost([order(chunk.statistics, unit) for chunk in filled])
    hides_nan = not footer.created_by.startswith("parquet-mr")
    return _json_values(leaf.type, low, high, rule, hides_nan)


def _reader(kind: DataType) -> Callable[[pq.Statistics, str | None], _Bounds] | None:
    """The function that reads the bounds of a column chunk of this type; None for a type without bounds."""
    if isinstance(kind, DecimalType):
        return _decimal
    return _READERS.get(kind.name) if isinstance(kind, PrimitiveType) else None


def _outermost(bounds: Sequence[_Bounds]) -> _Bounds:
    """The lowest and the highest bound of several chunks; None if it is missing in one of them."""
    lows, highs = zip(*bounds, strict=True)
    return None if None in lows else min(lows), None if None in highs else max(highs)


def _has_bounds(chunk: pq.ColumnChunkMetaData) -> bool:
    return chunk.statistics is not None and chunk.statistics.has_min_max


def _is_all_null(chunk: pq.ColumnChunkMetaData) -> bool:
    statistics = chunk.statistics
    return statistics is not None and statistics.has_null_count and statistics.null_count == chunk.num_values


def json_bounds(kind: DataType, low: Any, high: Any, rule: IndexRule) -> tuple[object | None, object | None]:
    """Bounds as JSON values, from days, milliseconds, numbers or text; None for NaN, or if no short bound exists."""
    low, high = (None if isinstance(value, float) and math.isnan(value) else value for value in (low, high))
    return _json_values(kind, low, high, rule, hides_nan=False)


def _json_values(
    kind: DataType, low: Any, high: Any, rule: IndexRule, hides_nan: bool
) -> tuple[object | None, object | None]:
    name = kind.name if isinstance(kind, PrimitiveType) else "decimal"
    if name in {"float", "double"}:
        # Other writers than Spark's leave NaN, the greatest value, out of the bounds of a footer.
        return _float(low, name), None if hides_nan else _float(high, name)
    if name == "date":
        return _date(low), _date(high)
    if name in {"timestamp", "timestamp_ntz"}:
        zone = "Z" if name == "timestamp" else ""
        return _timestamp(low, zone), _timestamp(high, zone)
    if name == "string":
        return _prefix(low, rule.string_prefix), _upper_prefix(high, rule.string_prefix)
    return low, high


# Bounds of a column chunk as values that compare: integers, floats, decimals, text, days, milliseconds

_Bounds = tuple[Any, Any]


def _raw(statistics: pq.Statistics, unit: str | None) -> _Bounds:
    return statistics.min_raw, statistics.max_raw


def _floats(statistics: pq.Statistics, unit: str | None) -> _Bounds:
    # Spark's writer gives NaN as the maximum when it occurs, and as both bounds when nothing else does.
    low, high = (None if math.isnan(value) else value for value in (statistics.min_raw, statistics.max_raw))
    return low, high


def _decimal(statistics: pq.Statistics, unit: str | None) -> _Bounds:
    bounds = statistics.min, statistics.max
    return bounds if all(isinstance(value, Decimal) for value in bounds) else (None, None)


def _text(statistics: pq.Statistics, unit: str | None) -> _Bounds:
    try:
        return statistics.min_raw.decode(), statistics.max_raw.decode()
    except UnicodeDecodeError:
        return None, None


def _milliseconds(statistics: pq.Statistics, unit: str | None) -> _Bounds:
    if statistics.physical_type != "INT64" or unit not in _UNITS_PER_MS:
        return None, None
    return statistics.min_raw // _UNITS_PER_MS[unit], statistics.max_raw // _UNITS_PER_MS[unit]


_READERS: dict[str, Callable[[pq.Statistics, str | None], _Bounds]] = {
    **dict.fromkeys((*_INTEGERS, "date"), _raw),
    **dict.fromkeys(("float", "double"), _floats),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _milliseconds),
    "string": _text,
}


def _timestamp_unit(footer: pq.FileMetaData, path: str) -> str | None:
    column = next(item for item in map(footer.schema.column, range(footer.num_columns)) if item.path == path)
    unit = json.loads(column.logical_type.to_json()).get("timeUnit")
    return None if unit is None else str(unit)


# JSON spellings


def _float(value: float | None, name: str) -> object | None:
    if value is None:
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return _shortest_single(value) if name == "float" else value


def _shortest_single(value: float) -> float:
    """The shortest decimal that reads back as the same single: 0.1, not 0.10000000149011612."""
    texts = (f"{value:.{digits}g}" for digits in range(6, 10))
    return next((float(text) for text in texts if struct.pack("f", float(text)) == struct.pack("f", value)), value)


def _date(days: int | None) -> str | None:
    try:
        return None if days is None else (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _timestamp(milliseconds: int | None, zone: str) -> str | None:
    try:
        value = None if milliseconds is None else _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return None if value is None else value.isoformat(timespec="milliseconds") + zone


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def _prefix(text: str | None, units: int) -> str | None:
    """The first `units` UTF-16 units of `text`, one more rather than half a surrogate pair."""
    if text is None or units == 0 or _units(text) <= units:
        return text if units else None
    count = 0
    for index, char in enumerate(text):
        if count >= units:
            return text[:index]
        count += 1 + (char > "\uffff")
    return text


def _upper_prefix(text: str | None, units: int) -> str | None:
    """A short upper bound: a string not less than `text` or any string with its prefix; None if there is none.

    The character after the prefix is greater than the one that it replaces.
    """
    prefix = _prefix(text, units)
    if text is None or prefix is None or prefix == text:
        return prefix
    at = len(prefix)
    while at < len(text) and text[at] == "\U0010ffff":
        at += 1
    if _units(text[:at]) > 2 * units:
        return None
    if at == len(text):
        return text
    return text[:at] + ("\u007f" if text[at] < "\u007f" else "\U0010ffff")


def stats_json(statistics: Mapping[str, Any]) -> str:
    """`statistics` as the JSON text of `add.stats`; a Decimal is a number with all its digits."""
    return _json(statistics)


def _json(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{encode_basestring(key)}:{_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, str):
        return encode_basestring(value)
    return json.dumps(value, ensure_ascii=False)


def extremes(
    stores: Stores, root: str, schema: StructType, adds: Sequence[AddFile]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Lowest and highest values of each file's columns, by physical name."""

    def of(add: AddFile) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        metadata = footer_of(stores, absolute(add.path, root))
        statistics = file_statistics(metadata, schema, (), IndexRule(leaves=-1), None)
        return statistics.get("minValues", {}), statistics.get("maxValues", {})

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(of, adds))


_THREADS = 8


class FloatRange(NamedTuple):
    """Least and greatest number, None if there are no numbers, and whether a value is NaN."""

    low: float | None = None
    high: float | None = None
    nan: bool = False

    def united(self, other: FloatRange) -> FloatRange:
        """The range of the union of the values of both ranges."""
        lows = [value for value in (self.low, other.low) if value is not None]
        highs = [value for value in (self.high, other.high) if value is not None]
        low, high = min(lows, key=_order, default=None), max(highs, key=_order, default=None)
        return FloatRange(low, high, self.nan or other.nan)

    @property
    def bounds(self) -> FloatBounds:
        """Lower and upper bound; the upper one is None if a value is NaN, which is greater than every number."""
        return self.low, None if self.nan else self.high


def _order(value: float) -> tuple[float, float]:
    """Sort key by which -0.0 is less than 0.0."""
    return value, math.copysign(1, value)


def float_bounds(table: pa.Table) -> dict[str, FloatBounds]:
    """The bounds of the floating-point columns, including those in structs, by dotted path."""
    return {path: item.bounds for path, item in float_ranges(table).items()}


def float_ranges(table: pa.Table) -> dict[str, FloatRange]:
    """The ranges of the floating-point columns, including those in structs, by dotted path."""
    return dict(
        item for field, column in zip(table.schema, table.columns, strict=True) for item in _ranges(field.name, column)
    )


def united(several: Iterable[Mapping[str, FloatRange]]) -> dict[str, FloatRange]:
    """The ranges by path over the rows of several tables."""
    merged: dict[str, FloatRange] = {}
    for ranges in several:
        for path, item in ranges.items():
            merged[path] = merged.get(path, FloatRange()).united(item)
    return merged


def has_floats(kind: pa.DataType) -> bool:
    """Whether a type is FLOAT or DOUBLE, or a struct that contains one at any depth."""
    if pa.types.is_struct(kind):
        return any(has_floats(field.type) for field in kind)
    return bool(pa.types.is_floating(kind))


def _ranges(path: str, column: pa.ChunkedArray) -> Iterator[tuple[str, FloatRange]]:
    if pa.types.is_struct(column.type):
        for index, field in enumerate(column.type):
            yield from _ranges(f"{path}.{field.name}", pc.struct_field(column, [index]))
    elif pa.types.is_floating(column.type):
        merged = FloatRange()
        for chunk in column.chunks:
            merged = merged.united(_of_chunk(chunk))
        yield path, merged


def _of_chunk(chunk: pa.Array) -> FloatRange:
    values = (chunk.drop_null() if chunk.null_count else chunk).to_numpy()
    unknown = np.isnan(values)
    nan = bool(unknown.any())
    numbers = values[~unknown] if nan else values
    if not numbers.size:
        return FloatRange(nan=nan)
    low, high = numbers.min(), numbers.max()
    if low == 0 or high == 0:
        negative = np.signbit(numbers[numbers == 0])
        low = np.copysign(low, -1.0 if negative.any() else 1.0) if low == 0 else low
        high = np.copysign(high, -1.0 if negative.all() else 1.0) if high == 0 else high
    return FloatRange(float(low), float(high), nan)
