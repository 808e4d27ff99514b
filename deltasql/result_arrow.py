"""Rows of Python values as an Arrow table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType

_PRIMITIVES: dict[str, pa.DataType] = {
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
            return _PRIMITIVES.get(name, pa.string())
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element=element):
            return pa.list_(arrow_type(element))
        case MapType(key=key, value=value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case StructType():
            return pa.struct([pa.field(item.name, arrow_type(item.type), item.nullable) for item in kind])


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
