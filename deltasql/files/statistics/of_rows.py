"""Statistics of existing data files of any writer, computed from their rows.

Footers would be cheaper, but they lack the statistics that ANALYZE is run for: bounds of INT96 timestamps and of
columns with NaN, and null counts of arrays. Besides, pyarrow aborts the process for the column chunks of some damaged
footers, while reading rows raises a proper error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from deltasql.base.lazy import pa, pc, pq
from deltasql.files.inspection import readable
from deltasql.files.statistics.of_footers import json_bounds, put, stats_json
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.properties import IndexedColumn, IndexRule, index_rule, indexed_leaves
from deltasql.log.properties.property_registry import COLUMN_MAPPING_MODE
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import absolute
from deltasql.log.storage.stores import Stores
from deltasql.schema.types import DataType, DecimalType, PrimitiveType

_THREADS = 4
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
    by_name = snapshot.properties[COLUMN_MAPPING_MODE] != "id"
    has_vectors = "deletionVectors" in snapshot.protocol.features

    def of(add: AddFile) -> str:
        path = absolute(add.path, snapshot.location)
        with readable(path):
            statistics = _of_file(stores, path, leaves, rule, by_name=by_name)
        # Bounds of rows that are gone may be wider than those of the rows that are left.
        tight = {"tightBounds": add.deletion_vector is None} if has_vectors else {}
        return stats_json(statistics | tight)

    with ThreadPoolExecutor(_THREADS) as threads:
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
        if not _has_bounds(self.leaf.type):
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


def _has_bounds(kind: DataType) -> bool:
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
            return _milliseconds(values)
        case "float" | "double":
            return _floats(values, kind)
        case _:
            return values if pa.types.is_integer(stored) else None


def _texts(values: pa.Array) -> pa.Array | None:
    return values if pa.types.is_string(values.type) or pa.types.is_large_string(values.type) else None


def _floats(values: pa.Array, kind: PrimitiveType) -> pa.Array | None:
    if not pa.types.is_integer(values.type) and not pa.types.is_floating(values.type):
        return None
    return values.cast(pa.float64() if kind.name == "double" else pa.float32())


def _milliseconds(values: pa.Array) -> pa.Array | None:
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
