"""Texts with a collation in schemas: in the JSON of a log, in names, and beside other types."""

from __future__ import annotations

import json

import pytest

from deltasql.base.errors import ChangeColumnError, UnknownTypesError
from deltasql.log.protocol import requested_features
from deltasql.schema.checks import check_foreign, check_partitioning, check_types
from deltasql.schema.edits import set_type
from deltasql.schema.evolution import MergeMode, merge_schemas
from deltasql.schema.json import schema_from_json, schema_to_json
from deltasql.schema.text import sql_text, type_text
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import (
    INTEGER,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
    collated,
    collation_of,
    has_collations,
    without_collations,
)

LCASE, GERMAN = collated("UTF8_LCASE"), collated("de_CI")
NESTED = MapType(STRING, ArrayType(StructType((StructField("x", GERMAN),))))
SCHEMA = StructType(
    (
        StructField("id", INTEGER),
        StructField("a", LCASE, metadata={"comment": "c"}),
        StructField("b.c", MapType(STRING, ArrayType(LCASE))),
        StructField("d", NESTED),
    )
)


def test_the_json_has_them_in_the_metadata_of_the_nearest_field() -> None:
    fields = {field["name"]: field for field in json.loads(schema_to_json(SCHEMA))["fields"]}
    assert fields["a"]["type"] == "string"
    assert fields["a"]["metadata"] == {"comment": "c", "__COLLATIONS": {"a": "spark.UTF8_LCASE"}}
    assert fields["b.c"]["metadata"] == {"__COLLATIONS": {"b.c.value.element": "spark.UTF8_LCASE"}}
    assert fields["b.c"]["type"]["valueType"]["elementType"] == "string"
    inner = fields["d"]["type"]["valueType"]["elementType"]["fields"][0]
    assert fields["d"]["metadata"] == {}
    assert inner == {
        "name": "x",
        "type": "string",
        "nullable": True,
        "metadata": {"__COLLATIONS": {"x": "icu.de_CI"}},
    }
    assert schema_from_json(schema_to_json(SCHEMA)) == SCHEMA


@pytest.mark.parametrize(
    ("kind", "identifier", "expected"),
    [
        ("string", "ICU.de_CI", GERMAN),
        ("string", "icu.de_CI.153.120.0.0", GERMAN),
        ("string", "spark.UTF8_BINARY", STRING),
        ("string collate UTF8_BINARY", None, STRING),
        ("string collate UTF8_LCASE", None, LCASE),
        ("integer", "icu.de", INTEGER),
    ],
)
def test_identifiers_of_other_writers(kind: str, identifier: str | None, expected: object) -> None:
    metadata = {"__COLLATIONS": {"a": identifier}} if identifier else {}
    field = {"name": "a", "type": kind, "nullable": True, "metadata": metadata}
    assert schema_from_json({"type": "struct", "fields": [field]}).fields[0].type == expected


def test_a_provider_that_spark_does_not_have() -> None:
    field = {"name": "a", "type": "string", "nullable": True, "metadata": {"__COLLATIONS": {"a": "acme.x"}}}
    with pytest.raises(UnknownTypesError) as caught:
        check_foreign(schema_from_json({"type": "struct", "fields": [field]}), "t")
    assert caught.value.columns == ["a string collate acme.x"]


def test_names_and_values() -> None:
    assert type_text(LCASE) == "string collate UTF8_LCASE"
    assert sql_text(ArrayType(GERMAN)) == "ARRAY<STRING COLLATE de_CI>"
    assert collated("utf8_binary") == STRING
    assert collation_of(GERMAN) == "de_CI"
    assert collation_of(STRING) is None
    assert has_collations(SCHEMA)
    assert not has_collations(without_collations(SCHEMA))
    check_types(SCHEMA)


def test_tables_with_them_need_the_feature() -> None:
    assert requested_features(SCHEMA, {}) == {"collations"}
    assert requested_features(StructType((StructField("d", NESTED),)), {}) == {"collations"}


def test_a_change_of_the_collation_is_no_widening() -> None:
    changed = set_type(SCHEMA, ("b.c", "value", "element"), STRING, widening=Widening.NEVER)
    assert changed.fields[2] == StructField("b.c", MapType(STRING, ArrayType(STRING)))
    assert set_type(SCHEMA, ("a",), GERMAN, widening=Widening.NEVER).fields[1].metadata == {"comment": "c"}
    with pytest.raises(ChangeColumnError):
        set_type(SCHEMA, ("a",), INTEGER, widening=Widening.NEVER)


@pytest.mark.parametrize("mode", [MergeMode.STRICT, MergeMode.IMPLICIT_CAST])
def test_rows_of_another_collation_keep_that_of_the_table(mode: MergeMode) -> None:
    data = StructType((StructField("a", STRING), StructField("b.c", NESTED.value), StructField("new", GERMAN)))
    data = StructType((data.fields[0], StructField("b.c", MapType(STRING, ArrayType(GERMAN))), data.fields[2]))
    merged = merge_schemas(SCHEMA, data, mode=mode)
    assert merged.fields == (*SCHEMA.fields, StructField("new", GERMAN))


def test_no_partition_by_them() -> None:
    with pytest.raises(Exception, match="string collate UTF8_LCASE"):
        check_partitioning(SCHEMA, ["a"])
