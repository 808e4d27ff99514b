"""Columns as data files have them: under physical names, with field ids."""

from __future__ import annotations

from deltasql.lazy import pa
from deltasql.schema.column_mapping import ID, physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType


def stored_field(item: StructField, kind: pa.DataType) -> pa.Field:
    """A column, or a field of a struct, whose values are of Arrow's type `kind`, as data files have it."""
    metadata = {"PARQUET:field_id": str(item.metadata[ID])} if ID in item.metadata else None
    return pa.field(physical_name(item), _with_ids(item.type, kind), metadata=metadata)


def _with_ids(kind: DataType, arrow: pa.DataType) -> pa.DataType:
    """An Arrow type under physical names, with the ids of the fields of structs in it."""
    match kind:
        case StructType():
            return pa.struct([stored_field(item, field.type) for item, field in zip(kind, arrow, strict=True)])
        case ArrayType(element):
            return pa.list_(pa.field("element", _with_ids(element, arrow.value_type)))
        case MapType(key, value):
            return pa.map_(_with_ids(key, arrow.key_type), _with_ids(value, arrow.item_type))
        case _:
            return arrow
