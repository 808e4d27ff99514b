"""Delta's types in SQLAlchemy. Existing types of SQLAlchemy are reused: ARRAY, DATE, DECIMAL, VARCHAR …"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import types as sa
from sqlalchemy.types import ARRAY

from deltasql.schema.text import quote_text
from deltasql.schema.types import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    without_collations,
)

__all__ = ["ARRAY", "MAP", "STRING", "STRUCT", "TIMESTAMP", "TIMESTAMP_NTZ", "TINYINT", "VARIANT", "type_of_field"]


class STRING(sa.String):
    """STRING, of any length."""

    __visit_name__ = "STRING"


class TINYINT(sa.Integer):
    """TINYINT, -128 to 127."""

    __visit_name__ = "TINYINT"


class TIMESTAMP(sa.TIMESTAMP):
    """TIMESTAMP: a point in time. Values are aware datetimes."""

    __visit_name__ = "TIMESTAMP"

    def __init__(self, timezone: bool = True) -> None:
        super().__init__(timezone=timezone)


class TIMESTAMP_NTZ(sa.DateTime):  # noqa: N801 - the name in SQL
    """TIMESTAMP_NTZ: date and time without a zone. Values are naive datetimes."""

    __visit_name__ = "TIMESTAMP_NTZ"


class VARIANT(sa.UserDefinedType[Any]):
    """VARIANT. Fetched values are JSON text; `func.parse_json` converts a text."""

    __visit_name__ = "VARIANT"
    cache_ok = True


class MAP(sa.UserDefinedType[Any]):
    """MAP<key, value>; values are dicts."""

    __visit_name__ = "MAP"
    cache_ok = True

    def __init__(self, key: sa.TypeEngine[Any] | type[sa.TypeEngine[Any]], value: Any) -> None:
        self.key: sa.TypeEngine[Any] = sa.to_instance(key)
        self.value: sa.TypeEngine[Any] = sa.to_instance(value)


class STRUCT(sa.UserDefinedType[Any]):
    """STRUCT<name: type, …> of pairs of name and type; fetched values are named tuples."""

    __visit_name__ = "STRUCT"
    cache_ok = True

    def __init__(self, *fields: tuple[str, Any]) -> None:
        self.fields: tuple[tuple[str, sa.TypeEngine[Any]], ...] = tuple(
            (name, sa.to_instance(kind)) for name, kind in fields
        )


class QuotedString(sa.String):
    """Strings whose literals are quoted as Spark parses them, with escaped backslashes."""

    def literal_processor(self, dialect: Any) -> Callable[[str], str]:
        return quote_text


class QuotedBytes(sa.LargeBinary):
    """Bytes whose literals are `X'…'`."""

    def literal_processor(self, dialect: Any) -> Callable[[bytes], str]:
        return lambda value: f"X'{value.hex()}'"


class LiteralArray(sa.ARRAY[Any]):
    """Arrays whose literals are calls of `array`."""

    def literal_processor(self, dialect: Any) -> Callable[[Any], str] | None:
        of_item = self.item_type.dialect_impl(dialect).literal_processor(dialect)
        if of_item is None:
            return None

        def item(value: Any) -> str:
            return "NULL" if value is None else of_item(value)

        return lambda value: _array_literal(value, item)


def _array_literal(value: Any, item: Callable[[Any], str]) -> str:
    parts = (_array_literal(part, item) if isinstance(part, (list, tuple)) else item(part) for part in value)
    return f"array({', '.join(parts)})"


_PRIMITIVES: dict[str, type[sa.TypeEngine[Any]]] = {
    "boolean": sa.BOOLEAN,
    "byte": TINYINT,
    "short": sa.SMALLINT,
    "integer": sa.INTEGER,
    "long": sa.BIGINT,
    "double": sa.DOUBLE,
    "string": STRING,
    "binary": sa.BINARY,
    "date": sa.DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
    "variant": VARIANT,
}
_FLOAT_DIGITS = 24
"""Binary digits up to which a number is a FLOAT; above it is a DOUBLE."""
_LENGTH = re.compile(r"(char|varchar)\((\d+)\)", re.IGNORECASE)
_LENGTHS = "__CHAR_VARCHAR_TYPE_STRING"


def type_of_field(field: StructField) -> sa.TypeEngine[Any]:
    """The type of a column, CHAR and VARCHAR included; NullType for one without a counterpart in SQLAlchemy."""
    declared = _LENGTH.fullmatch(str(field.metadata.get(_LENGTHS, "")))
    if declared is not None:
        return (sa.CHAR if declared[1].lower() == "char" else sa.VARCHAR)(int(declared[2]))
    return type_of(without_collations(field.type))


def type_of(kind: DataType) -> sa.TypeEngine[Any]:
    """The SQLAlchemy type of a Delta type; NullType for one without a counterpart."""
    match kind:
        case PrimitiveType(name="float"):
            return sa.FLOAT(_FLOAT_DIGITS)
        case PrimitiveType(name=name):
            return _PRIMITIVES.get(name, sa.NullType)()
        case DecimalType(precision=precision, scale=scale):
            return sa.DECIMAL(precision, scale)
        case ArrayType(element=element):
            return _array(element)
        case MapType(key=key, value=value):
            return MAP(type_of(key), type_of(value))
        case StructType(fields=fields):
            return STRUCT(*((field.name, type_of(field.type)) for field in fields))


def _array(element: DataType) -> sa.TypeEngine[Any]:
    """The type of an array; SQLAlchemy represents nested arrays by `dimensions`."""
    depth = 1
    while isinstance(element, ArrayType):
        depth, element = depth + 1, element.element
    return ARRAY(type_of(element), dimensions=depth)
