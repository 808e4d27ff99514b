"""Type widening: the record of type changes that need no rewrite of files. Source: Delta protocol, Type Widening.

Which changes these are `deltasql.schema.type_lattice.can_widen` tells.

Spark's Parquet reader gives a narrow file's values as the wide type by itself, for every pair that is allowed here,
at every depth and with either of its readers; so files of before and after a change are read together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from deltasql.schema.json import type_from_json, type_to_json
from deltasql.schema.paths import walk
from deltasql.schema.type_lattice import Widening, can_widen
from deltasql.schema.types import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    without_collations,
)

TYPE_CHANGES = "delta.typeChanges"


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One change of an atomic type; `path` goes through `element`, `key` and `value`."""

    path: tuple[str, ...]
    old: DataType
    new: DataType


def record_type_changes(old: StructField, new: StructField) -> StructField:
    """`new` with its atomic type changes since `old` added to the metadata `delta.typeChanges`.

    Changes inside arrays and maps are recorded here with a `fieldPath`; those inside structs
    belong to their own fields, which must have been recorded before.
    """
    changes = list(_changes(old.type, new.type, ()))
    if not changes:
        return new
    recorded = [*old.metadata.get(TYPE_CHANGES, ()), *changes]
    return replace(new, metadata={**new.metadata, TYPE_CHANGES: recorded})


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


def _changes(old: DataType, new: DataType, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    match old, new:
        case ArrayType(a), ArrayType(b):
            yield from _changes(a, b, (*path, "element"))
        case MapType(a, x), MapType(b, y):
            yield from _changes(a, b, (*path, "key"))
            yield from _changes(x, y, (*path, "value"))
        case (StructType(), _) | (_, StructType()):
            return
        case _ if without_collations(old) != without_collations(new):
            change = {"fromType": type_to_json(old), "toType": type_to_json(new)}
            yield {**change, "fieldPath": ".".join(path)} if path else change
