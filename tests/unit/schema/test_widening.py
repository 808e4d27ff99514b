"""What type changes leave in a schema, and which of them another rule refuses."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.schema.checks import TypeChange, unsupported_changes, with_table_version
from deltasql.schema.type_lattice import Widening, can_widen
from deltasql.schema.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)


def changed(kind: DataType, *changes: dict[str, Any]) -> StructField:
    return StructField("a", kind, metadata={"delta.typeChanges": list(changes)})


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        (BYTE, LONG, True),
        (FLOAT, DOUBLE, True),
        (DecimalType(5, 2), DecimalType(8, 2), True),
        (DecimalType(5, 2), DecimalType(8, 3), False),
        (DATE, TIMESTAMP_NTZ, False),
        (INTEGER, DOUBLE, False),
        (INTEGER, DecimalType(10, 0), False),
    ],
)
def test_what_iceberg_reads(old: DataType, new: DataType, allowed: bool) -> None:
    assert can_widen(old, new)
    assert can_widen(old, new, Widening.ICEBERG) is allowed


def test_unsupported_changes_are_found_at_any_depth() -> None:
    wrong = {"fromType": "integer", "toType": "string", "fieldPath": "value.element"}
    inner = StructType((changed(DOUBLE, {"fromType": "integer", "toType": "double"}),))
    schema = StructType((StructField("s", ArrayType(inner)), changed(MapType(STRING, ArrayType(STRING)), wrong)))
    assert list(unsupported_changes(schema)) == [TypeChange(("a", "value", "element"), INTEGER, STRING)]
    found = list(unsupported_changes(schema, Widening.ICEBERG))
    assert found[0] == TypeChange(("s", "element", "a"), INTEGER, DOUBLE)


def test_changes_get_the_version_once() -> None:
    first = {"fromType": "short", "toType": "integer", "tableVersion": 2}
    second = {"fromType": "integer", "toType": "long"}
    inner = StructType((changed(INTEGER, {"fromType": "byte", "toType": "integer"}),))
    schema = StructType((changed(LONG, first, second), StructField("m", MapType(SHORT, ArrayType(inner)))))
    versioned = with_table_version(schema, 7)
    assert versioned.fields[0].metadata["delta.typeChanges"] == [first, {**second, "tableVersion": 7}]
    below = versioned.fields[1].type
    assert isinstance(below, MapType)
    assert isinstance(below.value, ArrayType)
    assert isinstance(below.value.element, StructType)
    assert below.value.element.fields[0].metadata["delta.typeChanges"][0]["tableVersion"] == 7
    assert with_table_version(versioned, 8) == versioned
