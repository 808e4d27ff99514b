"""Schemas to and from schemaString."""

from __future__ import annotations

import pytest

from deltasql.base.errors import InvalidSchemaJsonError
from deltasql.schema.json import schema_from_json, schema_to_json
from deltasql.schema.types import INTEGER, LONG, STRING, VOID, ArrayType, DecimalType, MapType, StructField, StructType

ONE_COLUMN = '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}}]}'


def test_one_column_is_written_as_spark_writes_it() -> None:
    assert schema_to_json(StructType((StructField("a", INTEGER),))) == ONE_COLUMN


def test_every_shape_comes_back_byte_for_byte() -> None:
    text = (
        '{"type":"struct","fields":['
        '{"name":"é x","type":{"type":"struct","fields":[{"name":"d","type":"decimal(10,2)","nullable":false,'
        '"metadata":{"comment":"ü","delta.columnMapping.id":4,"unknown":{"a":[1]}}}]},"nullable":true,"metadata":{}},'
        '{"name":"m","type":{"type":"map","keyType":"string","valueType":'
        '{"type":"array","elementType":"timestamp_ntz","containsNull":false},"valueContainsNull":true},'
        '"nullable":true,"metadata":{}}]}'
    )
    schema = schema_from_json(text)
    assert schema_to_json(schema) == text
    inner = schema.fields[0].type
    assert isinstance(inner, StructType)
    assert inner.fields[0].type == DecimalType(10, 2)
    assert inner.fields[0].comment == "ü"


def test_parsed_json_is_taken_as_well() -> None:
    document = {"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": False}]}
    assert schema_from_json(document) == StructType((StructField("a", LONG, False),))


def test_old_spellings() -> None:
    fields = ",".join(f'{{"name":"{t}","type":"{t}","nullable":true,"metadata":{{}}}}' for t in ("null", "decimal"))
    schema = schema_from_json(f'{{"type":"struct","fields":[{fields}]}}')
    assert [field.type for field in schema] == [VOID, DecimalType(10, 0)]


def test_collections_compare_by_value() -> None:
    array = ArrayType(MapType(STRING, LONG))
    schema = StructType((StructField("a", array),))
    assert schema_from_json(schema_to_json(schema)) == schema


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '"integer"',
        '{"type":"array","elementType":"long","containsNull":true}',
        '{"type":"struct"}',
        '{"type":"struct","fields":[{"name":"a","nullable":true}]}',
        '{"type":"struct","fields":[{"name":"a","type":{"type":"vector"},"nullable":true}]}',
        '{"type":"struct","fields":[{"name":"a","type":7,"nullable":true}]}',
    ],
)
def test_a_damaged_schema_is_refused(text: str) -> None:
    with pytest.raises(InvalidSchemaJsonError) as caught:
        schema_from_json(text)
    assert caught.value.reason
