"""Schemas to and from the JSON text of `metaData.schemaString`. Source: Delta protocol, Schema Serialization Format."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from deltasql.errors.schema import InvalidSchemaJsonError
from deltasql.schema.types import (
    EMPTY_METADATA,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

_DECIMAL = re.compile(r"decimal\(\s*(\d{1,9})\s*,\s*(-?\d{1,9})\s*\)", re.ASCII)
_MOST_LEVELS = 100
"""Deeper types would use up the stack of whoever walks through them; Spark's own parser gives up below that."""


def schema_from_json(schema: str | Mapping[str, Any]) -> StructType:
    """The schema in a `schemaString`, or in its parsed JSON. Raises InvalidSchemaJsonError."""
    document = _load(schema) if isinstance(schema, str) else schema
    try:
        parsed = type_from_json(document)
    except RecursionError as error:
        raise InvalidSchemaJsonError("it is nested too deeply") from error
    if not isinstance(parsed, StructType):
        raise InvalidSchemaJsonError("the outermost type is not a struct")
    return parsed


def schema_to_json(schema: StructType) -> str:
    """The `schemaString` of a schema, byte for byte as Spark writes it: no blanks, UTF-8 unescaped."""
    return json.dumps(type_to_json(schema), separators=(",", ":"), ensure_ascii=False)


def type_from_json(document: Any, level: int = 0) -> DataType:
    """The data type of a parsed JSON node: a token such as "integer", or an object with a "type".

    A token that names no type is kept as it is: what can be known without the column still can. Whoever uses the
    schema of a table first asks schema.foreign. Raises InvalidSchemaJsonError.
    """
    if isinstance(document, str):
        return _from_token(document)
    if level > _MOST_LEVELS:
        raise InvalidSchemaJsonError(f"types lie in one another at more than {_MOST_LEVELS} levels")
    try:
        match document["type"]:
            case "struct":
                return StructType(tuple(field_from_json(field, level + 1) for field in document["fields"]))
            case "array":
                return ArrayType(type_from_json(document["elementType"], level + 1), bool(document["containsNull"]))
            case "map":
                key = type_from_json(document["keyType"], level + 1)
                value = type_from_json(document["valueType"], level + 1)
                return MapType(key, value, bool(document["valueContainsNull"]))
            case other:
                raise InvalidSchemaJsonError(f"unknown type {other!r}")
    except (KeyError, TypeError) as error:
        raise InvalidSchemaJsonError(f"{error!r} in {document!r}") from error


def field_from_json(document: Mapping[str, Any], level: int = 0) -> StructField:
    """The field of a parsed JSON object, with all of its metadata."""
    name, metadata = document["name"], document.get("metadata")
    if not isinstance(name, str) or not (metadata is None or isinstance(metadata, Mapping)):
        raise InvalidSchemaJsonError(f"a column without a name, or with metadata that are no object: {document!r}")
    return StructField(
        name,
        type_from_json(document["type"], level),
        bool(document["nullable"]),
        MappingProxyType(dict(metadata)) if metadata else EMPTY_METADATA,
    )


def type_to_json(data_type: DataType) -> Any:
    """The JSON node of a data type, keys in Delta's order."""
    match data_type:
        case PrimitiveType(name):
            return name
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case ArrayType(element, contains_null):
            return {"type": "array", "elementType": type_to_json(element), "containsNull": contains_null}
        case MapType(key, value, contains_null):
            return {
                "type": "map",
                "keyType": type_to_json(key),
                "valueType": type_to_json(value),
                "valueContainsNull": contains_null,
            }
        case StructType(fields):
            return {"type": "struct", "fields": [field_to_json(field) for field in fields]}


def field_to_json(field: StructField) -> dict[str, Any]:
    """The JSON object of a field: name, type, nullable, metadata."""
    return {
        "name": field.name,
        "type": type_to_json(field.type),
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidSchemaJsonError(str(error)) from error


def _from_token(token: str) -> DataType:
    # Old writers called the void type "null", and a bare "decimal" is Spark's decimal(10,0).
    if token == "null":
        return PrimitiveType("void")
    if token == "decimal":
        return DecimalType(10, 0)
    decimal = _DECIMAL.fullmatch(token)
    return DecimalType(int(decimal[1]), int(decimal[2])) if decimal else PrimitiveType(token)
