"""Types and schemas as text."""

from __future__ import annotations

import pytest

from deltasql.schema.text import (
    path_text,
    quote_name,
    quote_text,
    schema_ddl,
    sql_text,
    tree_text,
    type_text,
)
from deltasql.schema.types import (
    BYTE,
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

INNER = StructType((StructField("a", INTEGER, False, {"comment": "it's"}), StructField("x y", ArrayType(STRING))))
SCHEMA = StructType((StructField("id", LONG, False), StructField("s", INNER), StructField("m", MapType(STRING, INNER))))


@pytest.mark.parametrize(
    ("data_type", "text", "sql"),
    [
        (BYTE, "tinyint", "TINYINT"),
        (SHORT, "smallint", "SMALLINT"),
        (INTEGER, "int", "INT"),
        (LONG, "bigint", "BIGINT"),
        (TIMESTAMP_NTZ, "timestamp_ntz", "TIMESTAMP_NTZ"),
        (DecimalType(10, 2), "decimal(10,2)", "DECIMAL(10,2)"),
        (MapType(STRING, ArrayType(LONG)), "map<string,array<bigint>>", "MAP<STRING, ARRAY<BIGINT>>"),
        (INNER, "struct<a:int,x y:array<string>>", "STRUCT<a: INT, `x y`: ARRAY<STRING>>"),
        (StructType(), "struct<>", "STRUCT<>"),
    ],
)
def test_names_of_types(data_type: DataType, text: str, sql: str) -> None:
    assert type_text(data_type) == text
    assert sql_text(data_type) == sql


def test_constraints_are_written_where_asked() -> None:
    assert sql_text(INNER, constraints=True) == "STRUCT<a: INT NOT NULL COMMENT 'it\\'s', `x y`: ARRAY<STRING>>"


def test_column_list() -> None:
    inner = "STRUCT<a: INT, `x y`: ARRAY<STRING>>"
    assert schema_ddl(SCHEMA) == f"id BIGINT, s {inner}, m MAP<STRING, {inner}>"


def test_tree() -> None:
    assert tree_text(SCHEMA).splitlines() == [
        "root",
        " |-- id: bigint (nullable = false)",
        " |-- s: struct (nullable = true)",
        " |    |-- a: int (nullable = false)",
        " |    |-- x y: array (nullable = true)",
        " |    |    |-- element: string (containsNull = true)",
        " |-- m: map (nullable = true)",
        " |    |-- key: string",
        " |    |-- value: struct (valueContainsNull = true)",
        " |    |    |-- a: int (nullable = false)",
        " |    |    |-- x y: array (nullable = true)",
        " |    |    |    |-- element: string (containsNull = true)",
    ]


def test_quoting() -> None:
    assert path_text(("a", "x y", "1b", "q`q", "é")) == "a.`x y`.`1b`.`q``q`.`é`"
    assert quote_name("") == "``"
    assert quote_text("a\\b'c") == "'a\\\\b\\'c'"
