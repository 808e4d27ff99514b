"""Type widening: type changes that need no rewrite of files. Source: Delta protocol, Type Widening.

Spark's Parquet reader gives a narrow file's values as the wide type by itself, for every pair that is allowed here,
at every depth and with either of its readers; so files of before and after a change are read together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from deltasql.schema.json import type_from_json, type_to_json
from deltasql.schema.paths import walk
from deltasql.schema.types import (
    DATE,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

TYPE_CHANGES = "delta.typeChanges"

INTEGRAL = ("byte", "short", "integer", "long")
_INTEGER_DIGITS = {"byte": 10, "short": 10, "integer": 10, "long": 20}


class Widening(Enum):
    """Which types may widen: in evolution `spark.databricks.delta.typeWidening.allowAutomaticWidening` says it."""

    NEVER = "NEVER"
    ICEBERG = "ICEBERG"
    """Those that Iceberg knows too: no value of the setting, but what a table that both read is held to."""
    SAME_FAMILY_TYPE = "SAME_FAMILY_TYPE"
    ALWAYS = "ALWAYS"


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One change of an atomic type; `path` goes through `element`, `key` and `value`."""

    path: tuple[str, ...]
    old: DataType
    new: DataType


def can_widen(old: DataType, new: DataType, widening: Widening = Widening.ALWAYS) -> bool:
    """Whether files with values of `old` can be read as `new`; equal types are no widening."""
    if widening is Widening.NEVER or old == new:
        return False
    if widening is Widening.ICEBERG and not _iceberg_reads(old, new):
        return False
    return _same_family(old, new) or (widening is Widening.ALWAYS and _across_families(old, new))


def record_type_changes(old: StructField, new: StructField) -> StructField:
    """`new` with its atomic type changes since `old` added to the metadata `delta.typeChanges`.

    Changes inside arrays and maps are recorded here with a `fieldPath`; those inside structs
    belong to their own fields, which must have been recorded before.
    """
    changes = list(_changes(old.type, new.type, ()))
    if not changes:
        return new
    known = [*old.metadata.get(TYPE_CHANGES, ()), *changes]
    return replace(new, metadata={**new.metadata, TYPE_CHANGES: known})


def unsupported_changes(schema: StructType, widening: Widening = Widening.ALWAYS) -> Iterator[TypeChange]:
    """The recorded type changes that `widening` does not allow: another engine, or another rule, made them."""
    for path, field in walk(schema):
        for change in field.metadata.get(TYPE_CHANGES, ()):
            old, new = type_from_json(change["fromType"]), type_from_json(change["toType"])
            if old != new and not can_widen(old, new, widening):
                below = str(change.get("fieldPath", ""))
                yield TypeChange((*path, *(below.split(".") if below else ())), old, new)


def with_table_version(schema: StructType, version: int) -> StructType:
    """`schema` whose type changes all have a `tableVersion`: `version` where they have none.

    Readers of the feature `typeWidening-preview` ask for it; it is the version of the commit that made the change.
    """
    return StructType(tuple(_versioned(field, version) for field in schema))


def _versioned(field: StructField, version: int) -> StructField:
    changes = [{**change, "tableVersion": change.get("tableVersion", version)} for change in _recorded(field)]
    metadata = {**field.metadata, TYPE_CHANGES: changes} if changes else field.metadata
    return replace(field, type=_versioned_type(field.type, version), metadata=metadata)


def _versioned_type(kind: DataType, version: int) -> DataType:
    match kind:
        case StructType():
            return with_table_version(kind, version)
        case ArrayType(element):
            return replace(kind, element=_versioned_type(element, version))
        case MapType(key, value):
            return replace(kind, key=_versioned_type(key, version), value=_versioned_type(value, version))
        case _:
            return kind


def _recorded(field: StructField) -> list[dict[str, Any]]:
    return list(field.metadata.get(TYPE_CHANGES, ()))


def _iceberg_reads(old: DataType, new: DataType) -> bool:
    same_scale = not isinstance(old, DecimalType) or (isinstance(new, DecimalType) and old.scale == new.scale)
    return same_scale and new != TIMESTAMP_NTZ


def _same_family(old: DataType, new: DataType) -> bool:
    match old, new:
        case PrimitiveType(a), PrimitiveType(b) if a in INTEGRAL and b in INTEGRAL:
            return INTEGRAL.index(a) < INTEGRAL.index(b)
        case DecimalType(p, s), DecimalType(q, t):
            return t >= s and q - t >= p - s
        case PrimitiveType("float"), PrimitiveType("double"):
            return True
        case _:
            return old == DATE and new == TIMESTAMP_NTZ


def _across_families(old: DataType, new: DataType) -> bool:
    match old, new:
        case PrimitiveType("byte" | "short" | "integer"), PrimitiveType("double"):
            return True
        case PrimitiveType(name), DecimalType(precision, scale) if name in INTEGRAL:
            return precision - scale >= _INTEGER_DIGITS[name]
        case _:
            return False


def _changes(old: DataType, new: DataType, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    match old, new:
        case ArrayType(a), ArrayType(b):
            yield from _changes(a, b, (*path, "element"))
        case MapType(a, x), MapType(b, y):
            yield from _changes(a, b, (*path, "key"))
            yield from _changes(x, y, (*path, "value"))
        case (StructType(), _) | (_, StructType()):
            return
        case _ if old != new:
            change = {"fromType": type_to_json(old), "toType": type_to_json(new)}
            yield {**change, "fieldPath": ".".join(path)} if path else change
