"""Rows in memory, of pandas, polars or Arrow, as an Arrow table with the types that tables have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from deltasql.base import errors
from deltasql.plan import MemoryRows
from deltasql.schema import (
    MOST_DIGITS,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    arrow_type,
    types,
)

_ATOMS: Mapping[pa.DataType, DataType] = {
    pa.bool_(): types.BOOLEAN,
    pa.int8(): types.BYTE,
    pa.int16(): types.SHORT,
    pa.int32(): types.INTEGER,
    pa.int64(): types.LONG,
    # A number without a sign needs the next type.
    pa.uint8(): types.SHORT,
    pa.uint16(): types.INTEGER,
    pa.uint32(): types.LONG,
    pa.uint64(): DecimalType(20, 0),
    pa.float16(): types.FLOAT,
    pa.float32(): types.FLOAT,
    pa.float64(): types.DOUBLE,
    pa.string(): types.STRING,
    pa.large_string(): types.STRING,
    pa.string_view(): types.STRING,
    pa.binary(): types.BINARY,
    pa.large_binary(): types.BINARY,
    pa.binary_view(): types.BINARY,
    pa.date32(): types.DATE,
    pa.date64(): types.DATE,
    pa.null(): types.VOID,
}
_LISTS: tuple[Callable[[pa.DataType], bool], ...] = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
)


def memory_rows(rows: Any, name: str) -> MemoryRows:
    """The rows of a table, batch, reader or DataFrame of others, read to their end. Columns may be NULL.

    Times are cut to microseconds; one without a zone is a TIMESTAMP_NTZ. The index of a pandas DataFrame is left out.
    Raises UnsupportedRowsError, in which the rows are called `name`.
    """
    try:
        table = _table(rows)
        schema = StructType(tuple(StructField(field.name, _type(field.type, field.name)) for field in table.schema))
        columns = [
            # Not safe: nanoseconds are cut off, and every other type is as wide as the one before.
            column if column.type.equals(kind) else _plain(column).cast(kind, safe=False)
            for column, kind in zip(table.columns, (arrow_type(item.type) for item in schema), strict=True)
        ]
        return MemoryRows(schema, pa.table(columns, names=list(schema.names)))
    except _UnknownTypeError as error:
        raise errors.UnsupportedRowsError(name, f"the column {error.column} is of Arrow's type {error.kind}") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        reason = "; ".join(map(str, error.args)).rstrip(".").replace("\n", " ")
        raise errors.UnsupportedRowsError(name, reason) from error


def _table(rows: Any) -> pa.Table:
    if isinstance(rows, pa.Table):
        return rows
    if isinstance(rows, pa.RecordBatch):
        return pa.Table.from_batches([rows])
    if type(rows).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(rows, preserve_index=False)
    if hasattr(rows, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(rows).read_all()
    return pa.Table.from_batches([pa.record_batch(rows)])


class _UnknownTypeError(Exception):
    def __init__(self, column: str, kind: pa.DataType) -> None:
        super().__init__(column)
        self.column, self.kind = column, kind


def _type(kind: pa.DataType, column: str) -> DataType:
    """The type of a column of a table that holds the values. Raises _UnknownTypeError."""
    atom = _ATOMS.get(kind)
    if atom is not None:
        return atom
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type, column)
    if isinstance(kind, pa.BaseExtensionType):
        return _type(kind.storage_type, column)
    if pa.types.is_timestamp(kind):
        return types.TIMESTAMP_NTZ if kind.tz is None else types.TIMESTAMP
    if pa.types.is_fixed_size_binary(kind):
        return types.BINARY
    if pa.types.is_decimal(kind) and kind.precision <= MOST_DIGITS and 0 <= kind.scale <= kind.precision:
        return DecimalType(kind.precision, kind.scale)
    return _nested(kind, column)


def _nested(kind: pa.DataType, column: str) -> DataType:
    if any(is_list(kind) for is_list in _LISTS):
        return ArrayType(_type(kind.value_type, f"{column}.element"))
    if pa.types.is_map(kind):
        return MapType(_type(kind.key_type, f"{column}.key"), _type(kind.item_type, f"{column}.value"))
    if pa.types.is_struct(kind):
        return StructType(tuple(StructField(field.name, _type(field.type, f"{column}.{field.name}")) for field in kind))
    raise _UnknownTypeError(column, kind)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values that an extension type stands on."""
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
