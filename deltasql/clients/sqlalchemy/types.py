"""Delta's types in SQLAlchemy, and reflection of tables as SQLAlchemy's dictionaries.

Existing types of SQLAlchemy are reused: ARRAY, DATE, DECIMAL, VARCHAR …
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import types as sa
from sqlalchemy.types import ARRAY

from deltasql.catalog import Catalog
from deltasql.schema import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    identity_of,
    quote_text,
    without_collations,
)
from deltasql.session import Description

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


_DEFAULT, _GENERATED = "CURRENT_DEFAULT", "delta.generationExpression"


def columns(description: Description) -> list[dict[str, Any]]:
    """One dictionary per column."""
    return [_column(field) for field in description.columns]


def _column(field: StructField) -> dict[str, Any]:
    identity = identity_of(field)
    column: dict[str, Any] = {
        "name": field.name,
        "type": type_of_field(field),
        "nullable": field.nullable,
        "default": field.metadata.get(_DEFAULT),
        "comment": field.comment,
    }
    if identity is not None:
        # Of any other column SQLAlchemy advises to say nothing: the key stays one that may be numbered by the client.
        column["autoincrement"] = True
        column["identity"] = {
            "always": not identity.allow_explicit,
            "start": identity.start,
            "increment": identity.step,
        }
    if _GENERATED in field.metadata:
        column["computed"] = {"sqltext": field.metadata[_GENERATED], "persisted": True}
    return column


def primary_key(description: Description) -> dict[str, Any]:
    """The primary key; without columns if there is none."""
    for key in description.keys:
        if key.kind == "PRIMARY KEY":
            return {"constrained_columns": list(key.columns), "name": key.name}
    return {"constrained_columns": [], "name": None}


def foreign_keys(description: Description, schema: str | None, names: Catalog) -> list[dict[str, Any]]:
    """One dictionary per foreign key. The schema of the parent is None if it is the current one and so is `schema`.

    It has its catalog before it if `schema` has, or if it is none of the current catalog.
    """
    keys: list[dict[str, Any]] = []
    for key in description.keys:
        if key.references is None:
            continue
        parent = key.references.table or description.relation.parts
        parent_schema = tuple(parent[:-1])
        is_near = schema is None and parent_schema == (names.current_catalog, names.current_schema)
        is_short = parent_schema[0] == names.current_catalog and "." not in (schema or "")
        shown_schema = parent_schema[1:] if is_short else parent_schema
        keys.append(
            {
                "name": key.name,
                "constrained_columns": list(key.columns),
                "referred_schema": None if is_near else ".".join(shown_schema),
                "referred_table": parent[-1],
                "referred_columns": list(key.references.columns),
                "options": {},
            }
        )
    return keys


def checks(description: Description) -> list[dict[str, Any]]:
    """One dictionary per CHECK."""
    return [{"name": name, "sqltext": text} for name, text in sorted(description.checks.items())]
