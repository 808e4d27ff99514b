"""Statistics of data files, from Parquet footers or from rows. Source: Delta protocol, Per-file Statistics.

Footers that Arrow writes have bounds of floating-point columns that ignore NaN, and -0.0 as the lower and 0.0 as the
upper bound of zeros; so exact bounds are computed from the values. Spark takes NaN for the greatest number, and would
skip row groups with NaN by such bounds: they are removed from the footers of files that have NaN.

For existing files of any writer ANALYZE computes statistics from the rows. Footers would be cheaper, but they lack the
bounds of INT96 timestamps and of columns with NaN, and null counts of arrays. Besides, pyarrow aborts the process for
the column chunks of some damaged footers, while reading rows raises a proper error.
"""

from __future__ import annotations

import json
import math
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from deltasql.base import np, pa, pc, pq
from deltasql.files.footers import (
    CHUNKS,
    KEY,
    KEYS,
    META,
    NAN_SAFE_KEY,
    ROW_GROUPS,
    VALUE,
    ending,
    float_leaves,
    footer_of,
    readable,
    says_old_calendar,
    together,
)
from deltasql.files.footers import footer as file_footer
from deltasql.log import (
    AddFile,
    IndexedColumn,
    IndexRule,
    Snapshot,
    Stores,
    absolute,
    index_rule,
    indexed_leaves,
    row_groups,
    table_properties,
)
from deltasql.schema import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType

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
        metadata = file_footer(stores, absolute(add.path, root))
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


_OF_ROWS_THREADS = 4
_BATCH_ROWS = 1 << 16
_BOUNDED = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "date", "timestamp", "timestamp_ntz", "string"}
)
_MS_PER_DAY = 86_400_000


def recomputed(stores: Stores, snapshot: Snapshot, adds: Sequence[AddFile]) -> list[str]:
    """The statistics of each file as JSON, over all its rows, including those in its deletion vector.

    The table's properties select the columns. Raises LostDataFileError, UnreadableDataFileError.
    """
    rule = index_rule(snapshot.configuration)
    leaves = indexed_leaves(snapshot.schema, snapshot.partition_columns, rule)
    by_name = snapshot.properties[table_properties.COLUMN_MAPPING_MODE] != "id"
    has_vectors = "deletionVectors" in snapshot.protocol.features

    def of(add: AddFile) -> str:
        path = absolute(add.path, snapshot.location)
        with readable(path):
            statistics = _of_file(stores, path, leaves, rule, by_name=by_name)
        # Bounds of rows that are gone may be wider than those of the rows that are left.
        tight = {"tightBounds": add.deletion_vector is None} if has_vectors else {}
        return stats_json(statistics | tight)

    with ThreadPoolExecutor(_OF_ROWS_THREADS) as threads:
        return list(threads.map(of, adds))


@dataclass(slots=True)
class _Column:
    """Statistics of one column of a file over the batches read so far; `low` and `high` are values of `_comparable`."""

    leaf: IndexedColumn
    nulls: int = 0
    low: Any = None
    high: Any = None
    has_nan: bool = False

    def add(self, values: pa.Array) -> None:
        self.nulls += values.null_count
        if not _type_has_bounds(self.leaf.type):
            return
        values = _comparable(values, self.leaf.type)
        if values is None:
            return
        if _is_float(self.leaf.type):
            is_nan = pc.is_nan(values)
            self.has_nan = self.has_nan or bool(pc.any(is_nan).as_py())
            values = pc.drop_null(pc.if_else(is_nan, None, values))
        extremes = pc.min_max(values)
        low, high = extremes["min"].as_py(), extremes["max"].as_py()
        if low is not None:
            self.low = low if self.low is None else min(low, self.low)
            self.high = high if self.high is None else max(high, self.high)

    def add_batch(self, batch: pa.RecordBatch) -> None:
        """Adds the column's values in a batch of the file's rows to the statistics."""
        first, *rest = self.leaf.path
        values = _below(batch.column(first), rest)
        if values is None:
            self.nulls += batch.num_rows
        else:
            self.add(values)

    def add_to(self, statistics: dict[str, Any], rule: IndexRule) -> None:
        """Adds this column's null count and bounds to the file's `statistics`."""
        put(statistics["nullCount"], self.leaf.path, self.nulls)
        if self.low is None:
            return
        # NaN is the greatest value there is, and no JSON number.
        high = math.nan if self.has_nan else self.high
        for key, value in zip(
            ("minValues", "maxValues"), json_bounds(self.leaf.type, self.low, high, rule), strict=True
        ):
            if value is not None:
                put(statistics[key], self.leaf.path, value)


def _of_file(
    stores: Stores, path: str, leaves: Sequence[IndexedColumn], rule: IndexRule, *, by_name: bool
) -> dict[str, Any]:
    file = pq.ParquetFile(stores.open_file(path), coerce_int96_timestamp_unit="us")
    names = set(file.schema_arrow.names)
    columns = [_Column(leaf) for leaf in leaves if leaf.path[0] in names]
    tops = list(dict.fromkeys(column.leaf.path[0] for column in columns))
    rows = 0
    for batch in file.iter_batches(_BATCH_ROWS, columns=tops):
        rows += batch.num_rows
        for column in columns:
            column.add_batch(batch)
    rows = rows if tops else file.metadata.num_rows
    statistics: dict[str, Any] = {"numRecords": rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    # A column that was added after the file is NULL in all its rows; by field id it may be there under another name.
    for leaf in leaves if by_name else ():
        put(statistics["nullCount"], leaf.path, rows)
    for column in columns:
        column.add_to(statistics, rule)
    return statistics


def _below(values: pa.Array, path: Sequence[str]) -> pa.Array | None:
    """The nested field at `path`, NULL where a parent struct is; None if the file has no such field."""
    for name in path:
        if not pa.types.is_struct(values.type) or values.type.get_field_index(name) < 0:
            return None
        values = pc.struct_field(values, values.type.get_field_index(name))
    return values


def _type_has_bounds(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _BOUNDED)


def _is_float(kind: DataType) -> bool:
    return isinstance(kind, PrimitiveType) and kind.name in {"float", "double"}


def _comparable(values: pa.Array, kind: DataType) -> pa.Array | None:
    """Values in the form in which bounds of `kind` are compared: days, milliseconds, numbers, or text.

    None if the stored type cannot be read as `kind`: a file may be older than the column's type.
    """
    stored = values.type
    if isinstance(kind, DecimalType):
        is_exact = pa.types.is_decimal(stored) or pa.types.is_integer(stored)
        return values.cast(pa.decimal128(38, kind.scale)) if is_exact else None
    assert isinstance(kind, PrimitiveType)
    match kind.name:
        case "date":
            return values.cast(pa.int32()) if pa.types.is_date32(stored) else None
        case "string":
            return _texts(values)
        case "timestamp" | "timestamp_ntz":
            return _of_rows_milliseconds(values)
        case "float" | "double":
            return _of_rows_floats(values, kind)
        case _:
            return values if pa.types.is_integer(stored) else None


def _texts(values: pa.Array) -> pa.Array | None:
    return values if pa.types.is_string(values.type) or pa.types.is_large_string(values.type) else None


def _of_rows_floats(values: pa.Array, kind: PrimitiveType) -> pa.Array | None:
    if not pa.types.is_integer(values.type) and not pa.types.is_floating(values.type):
        return None
    return values.cast(pa.float64() if kind.name == "double" else pa.float32())


def _of_rows_milliseconds(values: pa.Array) -> pa.Array | None:
    """Milliseconds since the epoch of dates (at midnight) or timestamps, rounded down; None for other types."""
    if pa.types.is_date32(values.type):
        return pc.multiply(values.cast(pa.int32()).cast(pa.int64()), _MS_PER_DAY)
    if not pa.types.is_timestamp(values.type):
        return None
    numbers = values.cast(pa.int64())
    if values.type.unit == "s":
        return pc.multiply(numbers, 1000)
    return _floored(numbers, {"ms": 1, "us": 1000, "ns": 1_000_000}[values.type.unit])


def _floored(numbers: pa.Array, divisor: int) -> pa.Array:
    """`numbers` divided by `divisor` and rounded down, also negative ones."""
    quotient = pc.divide(numbers, divisor)
    needs_one = pc.and_(pc.less(numbers, 0), pc.invert(pc.equal(pc.multiply(quotient, divisor), numbers)))
    return pc.subtract(quotient, pc.cast(needs_one, "int64"))


# Fields of ColumnMetaData and Statistics, by their numbers.
_STATISTICS = 12
_BOUNDS = (1, 2, 5, 6, 7, 8)


def with_sure_bounds(data: pa.Buffer, floats: Mapping[str, FloatBounds]) -> pa.Buffer:
    """A Parquet file, whole, without bounds of the floating-point columns that have NaN, or are not in `floats`.

    What a row group was copied with need not be true of all its values.
    """
    metadata = pq.read_metadata(pa.BufferReader(data))
    leaves = float_leaves(metadata)
    if not leaves:
        return data
    start, footer = footer_of(memoryview(data))
    unsure = _unsure(metadata, leaves, floats)
    if unsure:
        footer.put_structs(ROW_GROUPS, [_without_bounds(group, unsure) for group in footer.structs(ROW_GROUPS)])
    entry = row_groups.Struct()
    entry.put_text(KEY, NAN_SAFE_KEY)
    entry.put_text(VALUE, "none")
    entries = [item for item in footer.structs(KEYS) if item.text(KEY) != NAN_SAFE_KEY]
    footer.put_structs(KEYS, [*entries, entry])
    return together([memoryview(data)[:start], ending(footer)])


def _unsure(metadata: pq.FileMetaData, leaves: Collection[int], floats: Mapping[str, FloatBounds]) -> set[int]:
    """The numbers of the leaves that are not known to be without NaN."""
    paths = [metadata.schema.column(at).path for at in range(metadata.num_columns)]
    # A dot may be part of a name, so that two leaves can have one path.
    shared = Counter(paths)
    return {at for at in leaves if shared[paths[at]] > 1 or floats.get(paths[at], (None, None))[1] is None}


def _without_bounds(group: row_groups.Struct, leaves: Collection[int]) -> row_groups.Struct:
    """A row group that says nothing of the least and the greatest values of some leaves."""
    chunks = group.structs(CHUNKS)
    for at in leaves:
        meta = chunks[at].struct(META)
        if _STATISTICS in meta:
            statistics = meta.struct(_STATISTICS)
            statistics.drop(*_BOUNDS)
            meta.put_struct(_STATISTICS, statistics)
            chunks[at].put_struct(META, meta)
    group.put_structs(CHUNKS, chunks)
    return group
