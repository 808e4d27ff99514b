"""Which types a default may have: Spark's rule of constants that are brought to the type of a column."""

from __future__ import annotations

from deltasql.schema.type_lattice import can_widen, is_integral, is_number
from deltasql.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructType,
)


def may_default(default_type: DataType, column: DataType) -> bool:
    """Whether a constant of the type `default_type` may be the default of a column, if its value fits.

    Numbers, texts and times are cast as in an INSERT. Truth values, arrays, maps and structs only widen: 'true' and 1
    are none of TRUE.
    """
    plain = not any(isinstance(kind, (ArrayType, MapType, StructType)) for kind in (default_type, column))
    return _widens(default_type, column) or (plain and BOOLEAN not in (default_type, column))


def _widens(default_type: DataType, column: DataType) -> bool:
    if default_type in (column, VOID):
        return True
    match default_type, column:
        case ArrayType(old), ArrayType(new):
            return _widens(old, new)
        case MapType(old_key, old), MapType(new_key, new):
            return _widens(old_key, new_key) and _widens(old, new)
        case StructType(old_fields), StructType(new_fields):
            pairs = zip(old_fields, new_fields, strict=False)
            return len(old_fields) == len(new_fields) and all(_widens(old.type, new.type) for old, new in pairs)
        case (ArrayType() | MapType() | StructType(), _) | (_, ArrayType() | MapType() | StructType()):
            return False
    return column == STRING or (default_type, column) == (DATE, TIMESTAMP) or _number_widens(default_type, column)


def _number_widens(default_type: DataType, column: DataType) -> bool:
    if column in (FLOAT, DOUBLE) and is_integral(default_type):
        return True
    return (default_type, column) == (FLOAT, DOUBLE) or (
        is_number(default_type) and is_number(column) and can_widen(default_type, column)
    )
