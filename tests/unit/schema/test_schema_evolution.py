"""Schema evolution and type widening."""

from __future__ import annotations

import pytest

from deltasql.base.errors import MergeDecimalsError, MergeFieldsError, MergeTypesError
from deltasql.schema.evolution import MergeMode, as_nullable, merge_schemas, merge_types, restrict
from deltasql.schema.type_lattice import Widening, can_implicitly_cast, can_widen
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, data_type) for name, data_type in types.items()))


def test_new_columns_follow_in_the_order_of_the_data() -> None:
    table = StructType((StructField("Key", LONG, False, {"comment": "k"}), StructField("value", STRING)))
    data = StructType(
        (StructField("z", LONG, False, {"comment": "z"}), StructField("KEY", LONG), StructField("y", DATE))
    )
    assert merge_schemas(table, data) == StructType(
        (*table.fields, StructField("z", LONG, True), StructField("y", DATE, True))
    )


def test_structs_grow_at_every_depth() -> None:
    table = struct(s=struct(a=LONG), arr=ArrayType(struct(a=LONG), False), m=MapType(STRING, struct(a=LONG)))
    data = struct(s=struct(b=LONG, a=LONG), ARR=ArrayType(struct(b=LONG)), m=MapType(STRING, struct(b=LONG, A=LONG)))
    grown = struct(a=LONG, b=LONG)
    assert merge_schemas(table, data) == struct(s=grown, arr=ArrayType(grown, False), m=MapType(STRING, grown))


def test_a_new_struct_is_nullable_inside() -> None:
    inner = StructType((StructField("a", ArrayType(LONG, False), False),))
    assert merge_schemas(StructType(), struct(s=inner)) == struct(s=struct(a=ArrayType(LONG, True)))
    assert as_nullable(MapType(STRING, LONG, False)) == MapType(STRING, LONG, True)


@pytest.mark.parametrize(
    ("table", "data", "merged"),
    [
        (LONG, LONG, LONG),
        (LONG, VOID, LONG),
        (VOID, LONG, LONG),
        (BYTE, INTEGER, INTEGER),
        (INTEGER, SHORT, INTEGER),
        (DecimalType(10, 2), DecimalType(10, 2), DecimalType(10, 2)),
        (struct(a=LONG), VOID, struct(a=LONG)),
    ],
)
def test_common_types(table: DataType, data: DataType, merged: DataType) -> None:
    assert merge_types(table, data) == merged


@pytest.mark.parametrize(
    ("table", "data"), [(LONG, INTEGER), (INTEGER, LONG), (STRING, LONG), (struct(a=LONG), LONG), (DATE, TIMESTAMP)]
)
def test_types_without_a_common_one(table: DataType, data: DataType) -> None:
    with pytest.raises(MergeTypesError) as caught:
        merge_types(table, data)
    assert caught.value.condition == "DELTA_MERGE_INCOMPATIBLE_DATATYPE"


@pytest.mark.parametrize(
    ("data", "difference"),
    [
        (DecimalType(12, 2), "precision (10 and 12)"),
        (DecimalType(10, 3), "scale (2 and 3)"),
        (DecimalType(9, 1), "precision (10 and 9) and scale (2 and 1)"),
    ],
)
def test_decimals_say_what_differs(data: DecimalType, difference: str) -> None:
    with pytest.raises(MergeDecimalsError) as caught:
        merge_types(DecimalType(10, 2), data)
    assert caught.value.difference == difference


def test_a_failure_names_the_whole_path() -> None:
    table = struct(m=MapType(STRING, ArrayType(struct(x=INTEGER))))
    data = struct(M=MapType(STRING, ArrayType(struct(X=BINARY))))
    with pytest.raises(MergeFieldsError) as caught:
        merge_schemas(table, data, mode=MergeMode.IMPLICIT_CAST)
    error = caught.value
    assert error.condition == "DELTA_FAILED_TO_MERGE_FIELDS"
    assert (error.column, error.table_type, error.data_type) == ("m.value.element.x", "int", "binary")
    assert isinstance(error.__cause__, MergeTypesError)


def test_modes() -> None:
    assert merge_types(INTEGER, LONG, mode=MergeMode.IMPLICIT_CAST) == INTEGER
    assert merge_types(INTEGER, BINARY, mode=MergeMode.KEEP_TABLE_TYPE) == INTEGER
    assert merge_types(INTEGER, BINARY, mode=MergeMode.OVERRIDE) == BINARY
    assert merge_types(DecimalType(10, 2), DecimalType(12, 4), mode=MergeMode.IMPLICIT_CAST) == DecimalType(10, 2)


def test_widening_beats_the_mode_and_is_recorded() -> None:
    merged = merge_schemas(
        struct(a=INTEGER), struct(a=LONG), mode=MergeMode.IMPLICIT_CAST, widening=Widening.SAME_FAMILY_TYPE
    )
    assert merged.fields[0].type == LONG
    assert merged.fields[0].metadata == {"delta.typeChanges": [{"fromType": "integer", "toType": "long"}]}
    again = merge_schemas(merged, struct(a=INTEGER), mode=MergeMode.IMPLICIT_CAST, widening=Widening.ALWAYS)
    assert again == merged


@pytest.mark.parametrize(
    ("data", "table"),
    [
        (LONG, INTEGER),
        (STRING, INTEGER),
        (INTEGER, STRING),
        (INTEGER, LONG),
        (DATE, TIMESTAMP),
        (TIMESTAMP, TIMESTAMP_NTZ),
        (STRING, DecimalType(10, 2)),
        (DecimalType(10, 2), FLOAT),
        (BOOLEAN, STRING),
        (BINARY, STRING),
        (STRING, BINARY),
        (VOID, struct(a=LONG)),
        (ArrayType(LONG), ArrayType(STRING)),
        (MapType(LONG, LONG), MapType(STRING, INTEGER)),
        (struct(a=LONG), struct(a=LONG)),
    ],
)
def test_spark_casts_by_itself(data: DataType, table: DataType) -> None:
    assert can_implicitly_cast(data, table)


@pytest.mark.parametrize(
    ("data", "table"),
    [
        (STRING, BOOLEAN),
        (BINARY, INTEGER),
        (INTEGER, BOOLEAN),
        (INTEGER, DATE),
        (LONG, TIMESTAMP),
        (LONG, VOID),
        (VARIANT, STRING),
        (STRING, VARIANT),
        (ArrayType(BINARY), ArrayType(LONG)),
        (struct(a=LONG), STRING),
    ],
)
def test_spark_does_not_cast_by_itself(data: DataType, table: DataType) -> None:
    assert not can_implicitly_cast(data, table)


@pytest.mark.parametrize(
    ("old", "new", "same_family"),
    [
        (BYTE, SHORT, True),
        (BYTE, LONG, True),
        (FLOAT, DOUBLE, True),
        (DATE, TIMESTAMP_NTZ, True),
        (DecimalType(10, 2), DecimalType(12, 4), True),
        (DecimalType(10, 2), DecimalType(12, 2), True),
        (INTEGER, DOUBLE, False),
        (BYTE, DecimalType(10, 0), False),
        (INTEGER, DecimalType(12, 2), False),
        (LONG, DecimalType(20, 0), False),
    ],
)
def test_types_that_widen(old: DataType, new: DataType, same_family: bool) -> None:
    assert can_widen(old, new)
    assert can_widen(old, new, Widening.SAME_FAMILY_TYPE) is same_family
    assert not can_widen(old, new, Widening.NEVER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LONG, LONG),
        (LONG, INTEGER),
        (LONG, DOUBLE),
        (INTEGER, FLOAT),
        (INTEGER, STRING),
        (DATE, TIMESTAMP),
        (INTEGER, DecimalType(10, 1)),
        (LONG, DecimalType(19, 0)),
        (DecimalType(10, 2), DecimalType(11, 4)),
        (DecimalType(10, 2), DecimalType(12, 1)),
        (DecimalType(10, 2), DOUBLE),
    ],
)
def test_types_that_do_not_widen(old: DataType, new: DataType) -> None:
    assert not can_widen(old, new)


def test_the_part_of_a_schema_that_is_assigned() -> None:
    source = struct(key=LONG, s=struct(a=LONG, b=struct(c=LONG, d=LONG)), extra=LONG)
    assert restrict(source, [("S", "b", "C"), ("KEY",)]) == struct(key=LONG, s=struct(b=struct(c=LONG)))
    assert restrict(source, [("s",), ("s", "a")]) == struct(s=source.fields[1].type)
    assert restrict(source, [("nope",), ("s", "nope"), ("key", "x")]) == StructType()
    assert restrict(source, [(name,) for name in source.names]) == source
