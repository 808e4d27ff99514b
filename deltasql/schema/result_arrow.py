"""Rows of Python values as an Arrow table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructField, StructType

PRIMITIVES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
    "variant": pa.string(),
}


def arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow type of a column; a type that Arrow has no name for is text."""
    match kind:
        case PrimitiveType(name=name):
            return PRIMITIVES.get(name, pa.string())
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element=element):
            return pa.list_(arrow_type(element))
        case MapType(key=key, value=value):
            kind_of_key = arrow_type(key)
            # Keys are never NULL, and a type of nothing but NULL has none.
            return pa.map_(pa.string() if pa.types.is_null(kind_of_key) else kind_of_key, arrow_type(value))
        case StructType():
            return pa.struct([pa.field(item.name, arrow_type(item.type), item.nullable) for item in kind])


def data_type(kind: pa.DataType) -> DataType:
    """The type of a column of Arrow's. Raises ValueError for one that tables do not have."""
    if pa.types.is_dictionary(kind):
        return data_type(kind.value_type)
    if pa.types.is_struct(kind):
        return StructType(tuple(StructField(item.name, data_type(item.type)) for item in kind))
    if pa.types.is_map(kind):
        return MapType(data_type(kind.key_type), data_type(kind.item_type))
    if any(is_kind(kind) for is_kind in _LISTS):
        return ArrayType(data_type(kind.value_type))
    if pa.types.is_decimal(kind):
        return DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return PrimitiveType("timestamp" if kind.tz else "timestamp_ntz")
    for is_kind, name in _NAMES:
        if is_kind(kind):
            return PrimitiveType(name)
    raise ValueError(f"Tables have no columns of the type {kind}.")


_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
_NAMES = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_int8, "byte"),
    (lambda kind: pa.types.is_int16(kind) or pa.types.is_uint8(kind), "short"),
    (lambda kind: pa.types.is_int32(kind) or pa.types.is_uint16(kind), "integer"),
    (pa.types.is_integer, "long"),
    (pa.types.is_float32, "float"),
    (pa.types.is_floating, "double"),
    (
        lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind),
        "string",
    ),
    (lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind), "binary"),
    (pa.types.is_date, "date"),
    (pa.types.is_null, "void"),
)
"""The first that says yes tells the name of the type; unsigned integers take the next wider one."""


def to_table(schema: StructType, rows: Sequence[Sequence[Any]]) -> pa.Table:
    """One column per field; a table of no columns keeps its number of rows at 0."""
    fields = [pa.field(item.name, arrow_type(item.type), item.nullable) for item in schema]
    columns = [
        pa.array([_value(item.type, row[index]) for row in rows], fields[index].type)
        for index, item in enumerate(schema)
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _value(kind: DataType, value: Any) -> Any:
    """A struct as a dict, a map as pairs: the shapes that Arrow takes."""
    if value is None:
        return None
    match kind:
        case StructType():
            values = [value[name] for name in kind.names] if isinstance(value, Mapping) else value
            return {item.name: _value(item.type, part) for item, part in zip(kind, values, strict=True)}
        case ArrayType(element=element):
            return [_value(element, item) for item in value]
        case MapType(key=key, value=item):
            pairs = value.items() if isinstance(value, Mapping) else value
            return [(_value(key, left), _value(item, right)) for left, right in pairs]
        case _:
            return value
