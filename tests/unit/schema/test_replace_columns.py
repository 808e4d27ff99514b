"""REPLACE COLUMNS."""

from __future__ import annotations

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.edits import replace_columns
from deltasql.schema.text import schema_ddl
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import (
    INTEGER,
    LONG,
    STRING,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, data_type) for name, data_type in types.items()))


BOXES = struct(colA=STRING, colB=struct(field1=STRING, field2=STRING))


def refused(new: StructType, old: StructType = BOXES, may_drop: bool = False) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as caught:
        replace_columns(old, new, may_drop=may_drop)
    return caught.value


def test_the_new_order_holds_at_every_depth() -> None:
    new = struct(colC=STRING, colB=struct(field2=STRING, nested=STRING, field1=STRING), COLA=STRING)
    changed = schema_ddl(replace_columns(BOXES, new))
    assert changed == "colC STRING, colB STRUCT<field2: STRING, nested: STRING, field1: STRING>, colA STRING"


def test_what_a_kept_column_keeps() -> None:
    old = StructType((StructField("a", LONG, False, {"comment": "old", "delta.columnMapping.id": 1}),))
    kept = replace_columns(old, struct(A=LONG)).fields[0]
    assert kept == StructField("a", LONG, True, {"comment": "old", "delta.columnMapping.id": 1})
    said = replace_columns(old, StructType((StructField("a", LONG, True, {"comment": "new"}),))).fields[0]
    assert said.metadata == {"comment": "new", "delta.columnMapping.id": 1}


def test_collections_are_replaced_inside() -> None:
    old = struct(a=ArrayType(struct(x=LONG)), m=MapType(STRING, struct(x=VOID)))
    new = struct(a=ArrayType(struct(y=LONG, x=LONG)), m=MapType(STRING, struct(x=LONG)))
    assert replace_columns(old, new) == new


def test_widening() -> None:
    changed = replace_columns(struct(a=INTEGER), struct(a=LONG), widening=Widening.ALWAYS).fields[0]
    assert changed.type == LONG
    assert changed.metadata["delta.typeChanges"] == [{"fromType": "integer", "toType": "long"}]


def test_refusals() -> None:
    assert refused(struct(colA=STRING)).condition == "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP"
    assert "colB.field2" in refused(struct(colA=STRING, colB=struct(field1=STRING))).message
    tightened = StructType((StructField("colA", STRING, False), BOXES.fields[1]))
    assert refused(tightened).condition == "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP"
    assert refused(struct(colA=LONG, colB=BOXES.fields[1].type)).condition == "DELTA_CANNOT_CHANGE_DATA_TYPE"
    assert refused(struct(colA=STRING, COLA=STRING)).condition == "DELTA_DUPLICATE_COLUMNS_FOUND.REPLACING_COLUMNS"


def test_with_column_mapping_columns_may_go() -> None:
    assert replace_columns(BOXES, struct(colA=STRING), may_drop=True).names == ("colA",)
    both = struct(colA=STRING, colB=struct(field1=STRING, field9=STRING))
    error = refused(both, may_drop=True)
    assert error.condition == "DELTA_AMBIGUOUS_DATA_TYPE_CHANGE"
    assert "colB.field9" in error.message
