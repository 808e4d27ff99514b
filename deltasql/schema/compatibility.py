"""Whether data of one schema can be read with another."""

from __future__ import annotations

from deltasql.schema.column_mapping import physical_name
from deltasql.schema.text import type_text
from deltasql.schema.type_lattice import can_widen
from deltasql.schema.types import ArrayType, DataType, MapType, StructType


def unreadable_part(read: StructType, data: StructType, parent: str = "") -> str | None:
    """Why data of schema `data` cannot be read as `read`, in words; None if it can.

    Columns are matched by their physical names. `read` may have more of them, and wider types.
    """
    fields_read = {physical_name(field).lower(): field for field in read}
    for field in data:
        path = parent + field.name
        field_read = fields_read.get(physical_name(field).lower())
        if field_read is None:
            return f"column {path} is gone"
        if field_read.name.lower() != field.name.lower():
            return f"column {path} is now called {field_read.name}"
        reason = _unreadable_type(field_read.type, field.type, path)
        if reason is not None:
            return reason
    return None


def _unreadable_type(read: DataType, data: DataType, path: str) -> str | None:
    match read, data:
        case StructType(), StructType():
            return unreadable_part(read, data, f"{path}.")
        case ArrayType(), ArrayType():
            return _unreadable_type(read.element, data.element, f"{path}.element")
        case MapType(), MapType():
            key = _unreadable_type(read.key, data.key, f"{path}.key")
            return key or _unreadable_type(read.value, data.value, f"{path}.value")
        case _ if read == data or can_widen(data, read):
            return None
        case _:
            return f"column {path} is {type_text(read)} now, and was {type_text(data)}"
