"""Arrow types of columns, which must be those of PySpark's own conversion."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.schema.evolution import arrow_schema, bare_schema
from deltasql.schema.json import schema_from_json, type_to_json
from deltasql.schema.types import (
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

ATOMS = (
    *("boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary", "date"),
    *("timestamp", "timestamp_ntz", "void", "variant"),
)


def nested(kind: DataType) -> list[DataType]:
    """A type, and what may hold it."""
    # Arrow has no column of nothing that must have values.
    field = StructField("x", kind, nullable=kind == VOID)
    return [
        kind,
        ArrayType(kind),
        ArrayType(kind, contains_null=kind == VOID),
        MapType(PrimitiveType("string"), kind),
        MapType(PrimitiveType("long"), kind, value_contains_null=kind == VOID),
        StructType((field, StructField("y", ArrayType(StructType((field,)))))),
    ]


@pytest.mark.parametrize("atom", [*map(PrimitiveType, ATOMS), DecimalType(1, 0), DecimalType(38, 18)], ids=str)
@pytest.mark.parametrize("bare", [False, True])
def test_types_are_those_of_pyspark(atom: DataType, bare: bool) -> None:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType as SparkStruct

    fields = [StructField(f"c{place}", kind, place % 2 == 0 or kind == VOID) for place, kind in enumerate(nested(atom))]
    schema = StructType(tuple(fields))
    schema = bare_schema(schema) if bare else schema
    theirs = to_arrow_schema(SparkStruct.fromJson(type_to_json(schema)), timezone="UTC")
    assert arrow_schema(schema).equals(theirs, check_metadata=True)


@pytest.mark.parametrize("kind", ["interval day to second", "geometry(4326)", "time(6)"])
def test_other_types_are_left_to_an_engine(kind: str) -> None:
    document: Any = {"type": "struct", "fields": [{"name": "x", "type": kind, "nullable": True, "metadata": {}}]}
    with pytest.raises(LeftToEngineError, match=r"columns of the type .* are not read in this process"):
        arrow_schema(schema_from_json(document))
