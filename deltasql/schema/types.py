"""Data types of Delta tables: immutable trees that compare by value. Source: Delta protocol, schema serialization.

The columns of data files in which moved rows carry their ids. Source: Delta protocol, Row Tracking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias, Union

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
    match kind:
        case StructType(fields):
            return any(has_collations(item.type) for item in fields)
        case ArrayType(element):
            return has_collations(element)
        case MapType(key, value):
            return has_collations(key) or has_collations(value)
        case _:
            return collation_of(kind) is not None


@dataclass(frozen=True, slots=True)
class RowIdColumns:
    """Physical names: of a row's id, and of the version that last changed it. No column of the table has them."""

    row_id: str
    version: str
