"""Schemas to and from the JSON text of `metaData.schemaString`, and partition values of the log as Python values.

Source: Delta protocol, Schema Serialization Format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from deltasql.base import errors, parse_timestamp
from deltasql.schema.text import declared_length
from deltasql.schema.types import (
    EMPTY_METADATA,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collated,
    collation_of,
    shape_from_token,
    shape_token,
    without_collations,
)

COLLATIONS = "__COLLATIONS"
"""The key of column metadata for the collations of texts, by paths as `c`, `c.element`, `c.value.key`."""
_IDENTIFIER = re.compile(r"(?:spark|icu)\.(\w+)(?:\..*)?", re.ASCII | re.IGNORECASE)
"""Provider, name, and a version, which schemas should not have."""
_OWN_COLLATION = re.compile(r"string\s+collate\s+(\w+)", re.ASCII | re.IGNORECASE)
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,9})\s*,\s*(-?\d{1,9})\s*\)", re.ASCII)
_MOST_LEVELS = 100
"""Deeper types would use up the stack of whoever walks through them; Spark's own parser gives up below that."""


def schema_from_json(schema: str | Mapping[str, Any]) -> StructType:
    """The schema in a `schemaString`, or in its parsed JSON. Raises InvalidSchemaJsonError."""
    document = _load(schema) if isinstance(schema, str) else schema
    try:
        parsed = type_from_json(document)
    except RecursionError as error:
        raise errors.InvalidSchemaJsonError("it is nested too deeply") from error
    if not isinstance(parsed, StructType):
        raise errors.InvalidSchemaJsonError("the outermost type is not a struct")
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
        raise errors.InvalidSchemaJsonError(f"types lie in one another at more than {_MOST_LEVELS} levels")
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
                raise errors.InvalidSchemaJsonError(f"unknown type {other!r}")
    except (KeyError, TypeError) as error:
        raise errors.InvalidSchemaJsonError(f"{error!r} in {document!r}") from error


def field_from_json(document: Mapping[str, Any], level: int = 0) -> StructField:
    """The field of a parsed JSON object, with all of its metadata."""
    name, metadata = document["name"], document.get("metadata")
    if not isinstance(name, str) or not (metadata is None or isinstance(metadata, Mapping)):
        raise errors.InvalidSchemaJsonError(
            f"a column without a name, or with metadata that are no object: {document!r}"
        )
    kind, nullable = type_from_json(document["type"], level), bool(document["nullable"])
    if not metadata:
        return StructField(name, kind, nullable, EMPTY_METADATA)
    collations = metadata.get(COLLATIONS)
    if isinstance(collations, Mapping):
        kind = _with_collations(kind, name, collations)
        metadata = {key: value for key, value in metadata.items() if key != COLLATIONS}
    return StructField(name, kind, nullable, MappingProxyType(dict(metadata)))


def type_to_json(data_type: DataType) -> Any:
    """The JSON node of a data type, keys in Delta's order."""
    match data_type:
        case PrimitiveType(name):
            return shape_token(data_type) or name
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
    metadata = dict(field.metadata)
    collations = {path: _identifier(name) for path, name in _collations(field.type, field.name)}
    return {
        "name": field.name,
        "type": type_to_json(_stored(field.type) if collations else field.type),
        "nullable": field.nullable,
        "metadata": {**metadata, COLLATIONS: collations} if collations else metadata,
    }


def _with_collations(kind: DataType, path: str, collations: Mapping[str, Any]) -> DataType:
    """`kind` with the collations of its texts. Fields of structs inside have metadata of their own."""
    match kind:
        case ArrayType(element):
            return replace(kind, element=_with_collations(element, f"{path}.element", collations))
        case MapType(key, value):
            inner = [
                _with_collations(part, f"{path}.{at}", collations) for part, at in ((key, "key"), (value, "value"))
            ]
            return replace(kind, key=inner[0], value=inner[1])
        case PrimitiveType("string") if path in collations:
            identifier = str(collations[path])
            match = _IDENTIFIER.fullmatch(identifier)
            # One that is not understood stays a part of the type's name, which no table may have.
            return PrimitiveType(f"string collate {identifier}") if match is None else collated(match[1])
        case _:
            return kind


def _collations(kind: DataType, path: str) -> Iterator[tuple[str, str]]:
    """The paths of texts with collations in a field, without those in structs, and the collations."""
    match kind:
        case ArrayType(element):
            yield from _collations(element, f"{path}.element")
        case MapType(key, value):
            yield from _collations(key, f"{path}.key")
            yield from _collations(value, f"{path}.value")
        case PrimitiveType() if (name := collation_of(kind)) is not None:
            yield path, name


def _identifier(collation: str) -> str:
    return f"{'spark' if collation.upper().startswith('UTF8') else 'icu'}.{collation}"


def _stored(kind: DataType) -> DataType:
    """`kind` beside the metadata of its field. Fields of structs inside have metadata of their own."""
    match kind:
        case ArrayType(element):
            return replace(kind, element=_stored(element))
        case MapType(key, value):
            return replace(kind, key=_stored(key), value=_stored(value))
        case StructType():
            return kind
        case _:
            return without_collations(kind)


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidSchemaJsonError(str(error)) from error


def _from_token(token: str) -> DataType:
    # Old writers called the void type "null", and a bare "decimal" is Spark's decimal(10,0).
    if token == "null":
        return PrimitiveType("void")
    if token == "decimal":
        return DecimalType(10, 0)
    own = _OWN_COLLATION.fullmatch(token)
    if own is not None:
        return collated(own[1])
    decimal = _DECIMAL.fullmatch(token)
    if decimal is not None:
        return DecimalType(int(decimal[1]), int(decimal[2]))
    return shape_from_token(token) or PrimitiveType(token)


HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The name of NULL in the name of a partition's directory, `column=value`."""
STORED_AS_NULL = ("", HIVE_NULL)
"""The texts that a partition column stores as NULL, for these are the names of its directory."""


def partition_value(row: Mapping[str, str | None], fields: Sequence[StructField]) -> tuple[Any, ...]:
    """The values of some partition columns of one file. Keys of `row` match without case."""
    folded = {key.lower(): value for key, value in row.items()}
    return tuple(_padded(typed(folded.get(field.name.lower()), field.type), field) for field in fields)


def _padded(value: Any, field: StructField) -> Any:
    """A value of CHAR(n) as it is read, padded also if its writer did not."""
    length = declared_length(field)
    return value if length is None or length.kind != "char" or value is None else str(value).ljust(length.length)


def typed(text: str | None, kind: DataType) -> Any:
    """The value that a partition string of the log stands for."""
    return _value(text, kind) if text else None


def _value(text: str, kind: DataType) -> Any:
    match kind:
        case DecimalType():
            return Decimal(text)
        case PrimitiveType("byte" | "short" | "integer" | "long"):
            return int(text)
        case PrimitiveType("float" | "double"):
            return float(text)
        case PrimitiveType("boolean"):
            return text.lower() == "true"
        case PrimitiveType("date"):
            return date.fromisoformat(text)
        case PrimitiveType("timestamp" | "timestamp_ntz"):
            # Spark gives timestamps back as the machine's local time, without a zone.
            moment = parse_timestamp(text)
            return moment.astimezone().replace(tzinfo=None) if moment is not None and moment.tzinfo else moment
        case PrimitiveType("binary"):
            return text.encode("latin-1", "replace")
        case _:
            return text
