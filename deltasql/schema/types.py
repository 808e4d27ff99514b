"""Data types of Delta tables: immutable trees that compare by value. Source: Delta protocol, schema serialization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
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
