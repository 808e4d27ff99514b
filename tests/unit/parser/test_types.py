"""Data types from text."""

from __future__ import annotations

import pytest

from deltasql.base.errors import ParseSyntaxError, UnsupportedDatatypeError
from deltasql.schema import types
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructField, StructType
from deltasql.sql.parser import parse_type


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("int", types.INTEGER),
        ("INTEGER", types.INTEGER),
        ("tinyint", types.BYTE),
        ("byte", types.BYTE),
        ("smallint", types.SHORT),
        ("short", types.SHORT),
        ("bigint", types.LONG),
        ("Long", types.LONG),
        ("float", types.FLOAT),
        ("real", types.FLOAT),
        ("double", types.DOUBLE),
        ("string", types.STRING),
        ("char(3)", PrimitiveType("char(3)")),
        ("VARCHAR ( 3 )", PrimitiveType("varchar(3)")),
        ("binary", types.BINARY),
        ("boolean", types.BOOLEAN),
        ("date", types.DATE),
        ("timestamp", types.TIMESTAMP),
        ("timestamp_ntz", types.TIMESTAMP_NTZ),
        ("variant", types.VARIANT),
        ("void", types.VOID),
        ("decimal", DecimalType(10, 0)),
        ("DEC(5)", DecimalType(5, 0)),
        ("numeric(38, 38)", DecimalType(38, 38)),
        ("array<array<int>>", ArrayType(ArrayType(types.INTEGER))),
        ("map<string, array<map<int,date>>>", MapType(types.STRING, ArrayType(MapType(types.INTEGER, types.DATE)))),
        ("struct<>", StructType()),
        (
            "struct<a int, b: struct<`c d`:date>>",
            StructType(
                (
                    StructField("a", types.INTEGER),
                    StructField("b", StructType((StructField("c d", types.DATE),))),
                )
            ),
        ),
    ],
)
def test_type(text: str, data_type: DataType) -> None:
    assert parse_type(text) == data_type


def test_field_details() -> None:
    data_type = parse_type(
        "STRUCT<a: INT NOT NULL COMMENT 'it''s', b CHARACTER (5), c: VARCHAR(2) COMMENT 'x', d STRING>"
    )
    assert isinstance(data_type, StructType)
    a, b, c, d = data_type.fields
    assert (a.nullable, a.comment) == (False, "it's")
    assert (b.type, dict(b.metadata)) == (PrimitiveType("char(5)"), {})
    assert (c.type, dict(c.metadata)) == (PrimitiveType("varchar(2)"), {"comment": "x"})
    assert (dict(d.metadata), d.nullable) == ({}, True)


@pytest.mark.parametrize("text", ["array", "array<int", "map<int>", "struct<a>", "int int", "<", "decimal(1,2,3)", "1"])
def test_wrong_type(text: str) -> None:
    with pytest.raises((ParseSyntaxError, UnsupportedDatatypeError)):
        parse_type(text)
