"""Rows that a statement spells out, as an Arrow table."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from deltasql.base.lazy import np, pa
from deltasql.plan.operators import Literals
from deltasql.schema.arrow_types import stored_field
from deltasql.schema.types import (
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

_NUMBERS = {
    "byte": "int8",
    "short": "int16",
    "integer": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "date": "int32",
    "timestamp": "int64",
    "timestamp_ntz": "int64",
}
"""NumPy's types of what is stored as a number."""


def literal_table(rows: Literals, *, physical: bool = False) -> pa.Table:
    """`rows` as an Arrow table; `physical` ones have the names and field ids that data files have."""
    columns = list(zip(rows.schema, rows.columns, strict=True))
    fields = [_field(item, physical=physical) for item, _ in columns]
    arrays = [_array(item.type, values, field.type) for (item, values), field in zip(columns, fields, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _field(item: StructField, *, physical: bool) -> pa.Field:
    from deltasql.schema.result_arrow import arrow_type

    kind = arrow_type(item.type)
    return stored_field(item, kind) if physical else pa.field(item.name, kind)


# Arrow arrays from their buffers: `pa.array` imports pandas at its first use, for 0.25 s.


def _array(kind: DataType, values: Sequence[Any], stored: pa.DataType) -> pa.Array:
    if kind == VOID or isinstance(kind, (ArrayType, MapType, StructType)):
        return pa.nulls(len(values), stored)
    gaps = [value is None for value in values]
    valid = pa.py_buffer(np.packbits(~np.array(gaps), bitorder="little")) if any(gaps) else None
    buffers = [pa.py_buffer(buffer) for buffer in _buffers(kind, values)]
    return pa.Array.from_buffers(stored, len(values), [valid, *buffers], sum(gaps))


def _buffers(kind: DataType, values: Sequence[Any]) -> list[bytes | np.ndarray]:
    """The buffers of an array but for the one that says where NULLs are."""
    match kind:
        case DecimalType():
            return [b"".join(_unscaled(value).to_bytes(16, "little", signed=True) for value in values)]
        case PrimitiveType("boolean"):
            return [np.packbits([bool(value) for value in values], bitorder="little")]
        case PrimitiveType("string" | "binary"):
            pieces = [value.encode() if isinstance(value, str) else value or b"" for value in values]
            return [np.cumsum([0, *map(len, pieces)], dtype=np.int32), b"".join(pieces)]
        case PrimitiveType(name):
            return [np.array([value or 0 for value in values], dtype=_NUMBERS[name])]
    raise AssertionError(f"literals of {kind} are left to Spark")


def _unscaled(value: Decimal | None) -> int:
    """The digits of a decimal, which has its column's scale, as a whole number."""
    if value is None:
        return 0
    sign, digits, _ = value.as_tuple()
    return int("".join(map(str, digits))) * (-1 if sign else 1)
