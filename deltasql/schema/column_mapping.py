"""Column mapping: fields are found in data files by an id or a physical name that renaming does not touch.

Source: Delta protocol, Column Mapping.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType

ID = "delta.columnMapping.id"
PHYSICAL_NAME = "delta.columnMapping.physicalName"
NESTED_IDS = "delta.columnMapping.nested.ids"
"""The ids of elements, keys and values, which are no fields of their own, by `<physical name>.element` and so on."""
PARQUET_FIELD_ID = "parquet.field.id"


def assign_ids(
    schema: StructType, highest: int, *, preserve_names: bool, nested: bool = False
) -> tuple[StructType, int]:
    """`schema` with an id and a physical name for every field that lacks them, and the highest id in use.

    Ids go on after `highest`, depth first. `preserve_names` is for a table that has data files already: the physical
    name is the present one. Else it is unique, so that a dropped column never comes back with its old data. With
    `nested` elements of arrays, keys and values of maps get ids too, after all the fields.
    """
    ids = count(max([highest, *_ids(schema)]) + 1)

    def named(field: StructField) -> StructField:
        metadata = dict(field.metadata)
        if ID not in metadata:
            metadata[ID] = next(ids)
        metadata.setdefault(PHYSICAL_NAME, field.name if preserve_names else f"col-{uuid4()}")
        return replace(field, type=_mapped(field.type, named), metadata=metadata)

    def with_nested(field: StructField) -> StructField:
        given_ids = field.metadata.get(NESTED_IDS, {})
        nested_ids = {path: given_ids[path] if path in given_ids else next(ids) for path in nested_paths(field)}
        return replace(
            field, type=_mapped(field.type, with_nested), metadata={**field.metadata, NESTED_IDS: nested_ids}
        )

    mapped = StructType(tuple(named(field) for field in schema))
    if nested:
        mapped = StructType(tuple(with_nested(field) for field in mapped))
    return mapped, next(ids) - 1


def nested_paths(field: StructField) -> list[str]:
    """The keys of NESTED_IDS for a field, from the outside in; what lies below a struct belongs to its fields."""

    def below(kind: DataType, path: str) -> Iterator[str]:
        parts: tuple[tuple[str, DataType], ...]
        match kind:
            case ArrayType():
                parts = (("element", kind.element),)
            case MapType():
                parts = (("key", kind.key), ("value", kind.value))
            case _:
                return
        for name, inner in parts:
            yield f"{path}.{name}"
            yield from below(inner, f"{path}.{name}")

    return list(below(field.type, physical_name(field)))


def _mapped(kind: DataType, named: Any) -> DataType:
    match kind:
        case StructType():
            return StructType(tuple(named(field) for field in kind))
        case ArrayType():
            return replace(kind, element=_mapped(kind.element, named))
        case MapType():
            return replace(kind, key=_mapped(kind.key, named), value=_mapped(kind.value, named))
        case _:
            return kind


def _fields(kind: DataType) -> Iterator[StructField]:
    match kind:
        case StructType():
            for field in kind:
                yield field
                yield from _fields(field.type)
        case ArrayType():
            yield from _fields(kind.element)
        case MapType():
            yield from _fields(kind.key)
            yield from _fields(kind.value)


def _ids(schema: StructType) -> Iterator[int]:
    """All ids of a schema."""
    for field in _fields(schema):
        if ID in field.metadata:
            yield int(field.metadata[ID])
        yield from field.metadata.get(NESTED_IDS, {}).values()


def physical_name(field: StructField) -> str:
    """The name of a field in data files, statistics and partition values."""
    return str(field.metadata.get(PHYSICAL_NAME, field.name))


def is_mapped(schema: StructType) -> bool:
    """Whether any field has another name in the files than in the table."""
    return any(PHYSICAL_NAME in field.metadata for field in _fields(schema))


def physical_schema(schema: StructType, *, declared: bool = False) -> StructType:
    """`schema` as data files have it: physical names, all nullable, and the id of each field for Parquet.

    As `declared`, columns that are NOT NULL stay so.
    """
    return StructType(tuple(_physical_field(field, declared) for field in schema))


def _physical_field(field: StructField, declared: bool) -> StructField:
    metadata = {PARQUET_FIELD_ID: field.metadata[ID]} if ID in field.metadata else {}
    kind = _physical_type(field.type, declared)
    return StructField(physical_name(field), kind, field.nullable or not declared, metadata)


def _physical_type(kind: DataType, declared: bool) -> DataType:
    match kind:
        case StructType():
            return physical_schema(kind, declared=declared)
        case ArrayType(element, contains_null):
            return ArrayType(_physical_type(element, declared), contains_null or not declared)
        case MapType(key, value, contains_null):
            return MapType(
                _physical_type(key, declared), _physical_type(value, declared), contains_null or not declared
            )
        case _:
            return kind


def has_dropped_columns(schema: StructType, highest: int) -> bool:
    """Whether a mapped column may have been dropped: ids are counted up to `highest` and never used again."""
    return highest != sum(1 for _ in _ids(schema))
