"""Data types of Delta tables as immutable trees that compare by value, with column mapping and row id columns.

Source: Delta protocol, schema serialization.

GEOMETRY(srid) and GEOGRAPHY(srid) are called by the number of the coordinate system of their values: `geometry(4326)`.
In logs a system has the name that an authority gave it: `geometry(OGC:CRS84)`, and a GEOGRAPHY says how points are
joined as well: `geography(OGC:CRS84, spherical)`. `any` is a type of queries, whose values have several systems.
Source: Delta protocol, RFC Geospatial types.

With column mapping, fields are found in data files by an id or a physical name that renaming does not touch. Source:
Delta protocol, Column Mapping. Moved rows carry their ids in columns of data files. Source: Delta protocol, Row
Tracking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count
from types import MappingProxyType
from typing import Any, TypeAlias, Union
from uuid import uuid4

_CASE_COUNTS: ContextVar[bool] = ContextVar("deltasql_case_counts", default=False)


@contextmanager
def matching(*, case_sensitive: bool) -> Iterator[None]:
    """While it lasts, names of columns are case-sensitive: `spark.sql.caseSensitive`.

    It holds for this thread, and for the names that users give; two columns of a table never differ in case alone.
    """
    token = _CASE_COUNTS.set(case_sensitive)
    try:
        yield
    finally:
        _CASE_COUNTS.reset(token)


def case_matters() -> bool:
    """Whether the statement tells names apart that differ in letter case alone."""
    return _CASE_COUNTS.get()


EMPTY_METADATA: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PrimitiveType:
    """A type without parameters; `name` is its token in the schema JSON: `integer`, `long`, `timestamp_ntz` …

    A log may hold any token; schema.foreign tells which of them are types.
    """

    name: str


@dataclass(frozen=True, slots=True)
class DecimalType:
    """decimal(precision, scale), 1 ≤ precision ≤ 38."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class ArrayType:
    """array<element>"""

    element: DataType
    contains_null: bool = True


@dataclass(frozen=True, slots=True)
class MapType:
    """map<key, value>; keys are never null."""

    key: DataType
    value: DataType
    value_contains_null: bool = True


@dataclass(frozen=True, slots=True)
class StructField:
    """One named field of a struct. `metadata` holds JSON values by key, as Delta writes them (`comment`, `delta.…`)."""

    name: str
    type: DataType
    nullable: bool = True
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY_METADATA, hash=False)

    @property
    def comment(self) -> str | None:
        return self.metadata.get("comment")


@dataclass(frozen=True, slots=True)
class StructType:
    """An ordered set of fields; the schema of a table is one."""

    fields: tuple[StructField, ...] = ()

    def __iter__(self) -> Iterator[StructField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.fields)

    def find(self, name: str, case_sensitive: bool | None = None) -> StructField | None:
        """The field called `name`, or None. By default the statement's setting decides whether letter case counts."""
        if case_matters() if case_sensitive is None else case_sensitive:
            return next((item for item in self.fields if item.name == name), None)
        folded = name.lower()
        return next((item for item in self.fields if item.name.lower() == folded), None)


DataType: TypeAlias = Union[PrimitiveType, DecimalType, ArrayType, MapType, StructType]

BOOLEAN = PrimitiveType("boolean")
BYTE = PrimitiveType("byte")
SHORT = PrimitiveType("short")
INTEGER = PrimitiveType("integer")
LONG = PrimitiveType("long")
FLOAT = PrimitiveType("float")
DOUBLE = PrimitiveType("double")
STRING = PrimitiveType("string")
BINARY = PrimitiveType("binary")
DATE = PrimitiveType("date")
TIMESTAMP = PrimitiveType("timestamp")
TIMESTAMP_NTZ = PrimitiveType("timestamp_ntz")
VOID = PrimitiveType("void")
VARIANT = PrimitiveType("variant")

BINARY_COLLATION = "UTF8_BINARY"
"""How texts compare by default: byte by byte."""
_COLLATED = "string collate "
WRITTEN_BINARY = PrimitiveType(f"{_COLLATED}{BINARY_COLLATION}")
"""STRING COLLATE UTF8_BINARY as it is declared, before the default collation of the table is applied."""


def collated(collation: str) -> PrimitiveType:
    """STRING COLLATE `collation`: a type of its own, so that code for texts that compare by bytes does not take it.

    UTF8_BINARY gives STRING.
    """
    return STRING if collation.upper() == BINARY_COLLATION else PrimitiveType(f"{_COLLATED}{collation}")


def collation_of(kind: DataType) -> str | None:
    """The collation of a text that compares by other rules than those of its bytes; None for any other type."""
    if not isinstance(kind, PrimitiveType) or not kind.name.startswith(_COLLATED) or kind == WRITTEN_BINARY:
        return None
    return kind.name.removeprefix(_COLLATED)


def without_collations(kind: DataType) -> DataType:
    """A type with STRING for texts of any collation, at any depth: how its values are stored."""
    return _with_texts(kind, lambda text: STRING)


def with_default_collation(kind: DataType, collation: str | None) -> DataType:
    """A declared type in a table of this default collation, which applies to STRING without COLLATE, but not to keys.

    None is the default UTF8_BINARY.
    """
    default = STRING if collation is None else collated(collation)

    def resolved(text: DataType) -> DataType:
        return STRING if text == WRITTEN_BINARY else default if text == STRING else text

    return _with_texts(kind, resolved, keys=False)


def _with_texts(kind: DataType, change: Callable[[DataType], DataType], *, keys: bool = True) -> DataType:
    """`kind` with what `change` makes of its texts; without `keys` those in keys of maps are STRING."""
    match kind:
        case StructType(fields):
            return StructType(tuple(replace(item, type=_with_texts(item.type, change, keys=keys)) for item in fields))
        case ArrayType(element):
            return replace(kind, element=_with_texts(element, change, keys=keys))
        case MapType(key, value):
            key = _with_texts(key, change if keys else lambda text: STRING)
            return replace(kind, key=key, value=_with_texts(value, change, keys=keys))
        case PrimitiveType(name) if name == "string" or name.startswith(_COLLATED):
            return change(kind)
        case _:
            return kind


def has_collations(kind: DataType) -> bool:
    """Whether a type is a text with a collation, or has one inside."""
    return _has(kind, lambda leaf: collation_of(leaf) is not None)


def has_shapes(kind: DataType) -> bool:
    """Whether a type is GEOMETRY or GEOGRAPHY, or has one inside."""
    return _has(kind, is_shape)


def _has(kind: DataType, is_one: Callable[[DataType], bool]) -> bool:
    match kind:
        case StructType(fields):
            return any(_has(item.type, is_one) for item in fields)
        case ArrayType(element):
            return _has(element, is_one)
        case MapType(key, value):
            return _has(key, is_one) or _has(value, is_one)
        case _:
            return is_one(kind)


GEOMETRY, GEOGRAPHY = "geometry", "geography"
SPHERICAL = "spherical"
"""How points of a GEOGRAPHY are joined: by the shortest way on a sphere. PySpark has the word in capital letters."""
_SYSTEMS = {
    GEOMETRY: {"0": "SRID:0", "3857": "EPSG:3857", "4326": "OGC:CRS84"},
    GEOGRAPHY: {"4326": "OGC:CRS84"},
}
"""The name of each coordinate system by its number."""
_ANY = "any"
_NAMED = {"OGC:CRS84": "4326", "EPSG:4326": "4326", "EPSG:3857": "3857"}
"""The numbers of systems by their names; `SRID:n` is number n. Coordinates of all are x before y."""
_TOKEN = re.compile(rf"({GEOMETRY}|{GEOGRAPHY})(?:\(\s*([\w:]+)\s*(?:,\s*(\w+)\s*)?\))?", re.ASCII | re.IGNORECASE)
_TYPE = re.compile(rf"({GEOMETRY}|{GEOGRAPHY})\((\w+)\)", re.ASCII)

STORED_SHAPES = frozenset(f"{kind}({srid})" for kind, systems in _SYSTEMS.items() for srid in systems)
"""The names of the types that a column of a table may have."""
UNSTORED_SHAPES = frozenset(f"{kind}({_ANY})" for kind in _SYSTEMS)


def shape_type(kind: str, srid: int | str) -> PrimitiveType | None:
    """The type GEOMETRY or GEOGRAPHY of a coordinate system, or of `any`; None for a system that is not known."""
    text = str(srid).lower()
    return PrimitiveType(f"{kind.lower()}({text})") if text in {_ANY, *_SYSTEMS[kind.lower()]} else None


def known_systems(kind: str) -> tuple[str, ...]:
    """The numbers of the coordinate systems that GEOMETRY or GEOGRAPHY has."""
    return tuple(_SYSTEMS[kind.lower()])


def shape_parts(data_type: DataType) -> tuple[str, str] | None:
    """`geometry` or `geography`, and the number of the coordinate system or `any`; None for any other type."""
    found = _TYPE.fullmatch(data_type.name) if isinstance(data_type, PrimitiveType) else None
    return None if found is None else (found[1], found[2])


def is_shape(data_type: DataType) -> bool:
    """Whether the type is GEOMETRY or GEOGRAPHY."""
    return shape_parts(data_type) is not None


def shape_from_token(token: str) -> PrimitiveType | None:
    """The type of a token of schema JSON; None for another type, an unknown system, or edges that are not spherical."""
    found = _TOKEN.fullmatch(token)
    if found is None or (found[3] or SPHERICAL).lower() != SPHERICAL:
        return None
    system = (found[2] or "OGC:CRS84").upper()
    return shape_type(found[1], _NAMED.get(system) or system.removeprefix("SRID:"))


def shape_token(data_type: PrimitiveType) -> str | None:
    """The token of the type in schema JSON; None for any other type."""
    parts = shape_parts(data_type)
    if parts is None:
        return None
    kind, srid = parts
    system = _SYSTEMS[kind].get(srid, f"SRID:{srid.upper()}")
    return f"{kind}({system}, {SPHERICAL})" if kind == GEOGRAPHY else f"{kind}({system})"


@dataclass(frozen=True, slots=True)
class RowIdColumns:
    """Physical names: of a row's id, and of the version that last changed it. No column of the table has them."""

    row_id: str
    version: str


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
    for item in _fields(schema):
        if ID in item.metadata:
            yield int(item.metadata[ID])
        yield from item.metadata.get(NESTED_IDS, {}).values()


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
