"""Checks of a new schema."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.checks import check_partitioning, check_schema, check_table_schema
from deltasql.schema.types import (
    LONG,
    STRING,
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, data_type) for name, data_type in types.items()))


def named(name: str) -> StructType:
    return StructType((StructField(name, LONG), StructField("other", LONG)))


REQUIRED = StructType((StructField("x", LONG, False),))


def test_partition_columns_are_spelled_by_the_schema() -> None:
    assert check_table_schema(struct(Day=STRING, v=LONG), partitioned_by=["DAY"]) == ("Day",)
    assert check_table_schema(StructType()) == ()


@pytest.mark.parametrize(
    ("schema", "condition"),
    [
        (struct(a=LONG, A=LONG), "DELTA_DUPLICATE_COLUMNS_FOUND.TABLE_SCHEMA"),
        (struct(s=ArrayType(struct(a=LONG, A=LONG))), "DELTA_DUPLICATE_COLUMNS_FOUND.TABLE_SCHEMA"),
        (named("a b"), "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"),
        (struct(s=named("a=b")), "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"),
        (struct(a=PrimitiveType("interval day to second")), "DELTA_UNSUPPORTED_DATA_TYPES"),
        (struct(a=MapType(STRING, DecimalType(39, 0))), "DELTA_UNSUPPORTED_DATA_TYPES"),
        (struct(__delta_internal_row_index=LONG), "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED"),
        (struct(s=REQUIRED), "DELTA_NOT_NULL_NESTED_FIELD"),
        (struct(a=ArrayType(REQUIRED)), "DELTA_NESTED_NOT_NULL_CONSTRAINT"),
        (struct(a=MapType(REQUIRED, LONG)), "DELTA_NESTED_NOT_NULL_CONSTRAINT"),
        (struct(a=MapType(LONG, struct(s=REQUIRED))), "DELTA_NESTED_NOT_NULL_CONSTRAINT"),
    ],
)
def test_a_schema_that_is_refused(schema: StructType, condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        check_table_schema(schema, where="main.t")
    assert caught.value.condition == condition
    assert caught.value.message


@pytest.mark.parametrize(
    ("schema", "partitioned_by", "condition"),
    [
        (struct(day=STRING, v=LONG), ["dya"], "DELTA_PARTITION_COLUMN_NOT_FOUND"),
        (struct(a=LONG, s=struct(x=LONG)), ["s"], "DELTA_INVALID_PARTITION_COLUMN_TYPE"),
        (struct(a=LONG, s=VARIANT), ["s"], "DELTA_INVALID_PARTITION_COLUMN_TYPE"),
        (struct(a=LONG, b=LONG), ["a", "B"], "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION"),
        (struct(a=LONG, b=LONG), ["a", "A"], "DELTA_DUPLICATE_COLUMNS_FOUND.PARTITION_COLUMNS"),
        (
            StructType((StructField("i", LONG, True, {"delta.identity.start": 1}), StructField("v", LONG))),
            ["i"],
            "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
        ),
    ],
)
def test_partitioning_that_is_refused(schema: StructType, partitioned_by: list[str], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        check_table_schema(schema, partitioned_by=partitioned_by, where="main.t")
    assert caught.value.condition == condition
    assert caught.value.message


def test_column_mapping_allows_every_character() -> None:
    schema = named("a b")
    assert check_table_schema(schema, partitioned_by=["A B"], column_mapping=True) == ("a b",)


def test_columns_of_the_change_data_feed() -> None:
    arguments: dict[str, Any] = {"where": "main.t", "change_data_feed": True}
    assert check_table_schema(named("_change_type")) == ()
    with pytest.raises(DeltaSqlError) as caught:
        check_table_schema(named("_change_type"), **arguments)
    assert caught.value.condition == "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS"


def test_not_null_is_enforced_where_every_parent_is_not_null() -> None:
    check_table_schema(StructType((StructField("s", REQUIRED, False),)))


def test_a_changed_schema_keeps_its_partition_columns() -> None:
    check_schema(struct(a=LONG, b=LONG), ("a",))
    with pytest.raises(DeltaSqlError) as caught:
        check_schema(struct(a=LONG, b=LONG), ("c",))
    assert caught.value.condition == "DELTA_PARTITION_COLUMN_NOT_FOUND"
    with pytest.raises(DeltaSqlError) as caught:
        check_schema(struct(a=LONG, A=LONG))
    assert caught.value.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"


def test_a_partition_column_has_a_name_that_a_directory_can_have() -> None:
    with pytest.raises(DeltaSqlError) as caught:
        check_partitioning(named("a b"), ["a b"])
    assert caught.value.condition == "DELTA_INVALID_PARTITION_COLUMN_NAME"
