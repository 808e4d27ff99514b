"""Type widening: type changes that need no rewrite of files. Source: Delta protocol, Type Widening."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

from deltasql.schema.json import type_to_json
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
    """Which types evolution may widen by itself: `spark.databricks.delta.typeWidening.allowAutomaticWidening`."""

    NEVER = "NEVER"
    SAME_FAMILY_TYPE = "SAME_FAMILY_TYPE"
    ALWAYS = "ALWAYS"


def can_widen(old: DataType, new: DataType, widening: Widening = Widening.ALWAYS) -> bool:
    """Whether files with values of `old` can be read as `new`; equal types are no widening."""
    if widening is Widening.NEVER or old == new:
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
