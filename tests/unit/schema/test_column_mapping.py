"""Ids and physical names of fields."""

from __future__ import annotations

from deltasql.schema.types import (
    ID,
    INTEGER,
    NESTED_IDS,
    PHYSICAL_NAME,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
    assign_ids,
    has_dropped_columns,
    is_mapped,
    physical_name,
    physical_schema,
)

INNER = StructType((StructField("x", INTEGER), StructField("y", STRING)))
SCHEMA = StructType(
    (
        StructField("a", INTEGER, False),
        StructField("s", INNER),
        StructField("l", ArrayType(INNER)),
        StructField("m", MapType(STRING, StructType((StructField("v", INTEGER),)))),
    )
)


def ids(schema: StructType) -> list[int]:
    """All ids, depth first."""
    found = []
    for field in schema:
        found.append(field.metadata[ID])
        kind = field.type
        if isinstance(kind, ArrayType):
            kind = kind.element
        if isinstance(kind, MapType):
            kind = kind.value
        if isinstance(kind, StructType):
            found += ids(kind)
    return found


def test_ids_are_given_depth_first() -> None:
    mapped, highest = assign_ids(SCHEMA, 0, preserve_names=True)
    assert len(set(ids(mapped))) == 9
    assert max(ids(mapped)) == highest == 9
    assert is_mapped(mapped)
    assert not is_mapped(SCHEMA)


def test_a_table_with_files_keeps_its_names() -> None:
    mapped, _ = assign_ids(SCHEMA, 0, preserve_names=True)
    assert [physical_name(field) for field in mapped] == ["a", "s", "l", "m"]
    assert [field.nullable for field in mapped] == [False, True, True, True]


def test_new_fields_get_unique_names_and_go_on_after_the_highest_id() -> None:
    mapped, highest = assign_ids(SCHEMA, 0, preserve_names=True)
    grown = StructType((*mapped, StructField("new", INTEGER)))
    again, top = assign_ids(grown, highest, preserve_names=False)
    assert again.fields[:4] == mapped.fields
    assert again.fields[4].metadata[ID] == top == highest + 1
    assert again.fields[4].metadata[PHYSICAL_NAME].startswith("col-")


def test_a_dropped_columns_id_is_not_used_again() -> None:
    mapped, highest = assign_ids(SCHEMA, 0, preserve_names=True)
    fewer = StructType((*mapped.fields[:-1], StructField("new", INTEGER)))
    _, top = assign_ids(fewer, highest, preserve_names=False)
    assert top == highest + 1


def test_elements_keys_and_values_get_ids_after_the_fields() -> None:
    kind = MapType(STRING, StructType((StructField("x", ArrayType(ArrayType(INTEGER))),)))
    schema = StructType((StructField("a", INTEGER), StructField("l", ArrayType(STRING)), StructField("m", kind)))
    plain, highest = assign_ids(schema, 0, preserve_names=True)
    mapped, top = assign_ids(plain, highest, preserve_names=True, nested=True)
    assert (highest, top) == (4, 9)
    assert [field.metadata[NESTED_IDS] for field in mapped] == [{}, {"l.element": 5}, {"m.key": 6, "m.value": 7}]
    pairs = mapped.fields[2].type
    assert isinstance(pairs, MapType)
    assert isinstance(pairs.value, StructType)
    assert pairs.value.fields[0].metadata[NESTED_IDS] == {"x.element": 8, "x.element.element": 9}
    assert assign_ids(mapped, top, preserve_names=True, nested=True) == (mapped, top)
    assert not has_dropped_columns(mapped, 9)
    assert has_dropped_columns(StructType(mapped.fields[:2]), 9)


def test_files_have_physical_names_and_ids_at_every_depth() -> None:
    mapped, _ = assign_ids(SCHEMA, 0, preserve_names=False)
    physical = physical_schema(mapped)
    assert all(field.nullable and field.name.startswith("col-") for field in physical)
    assert physical.fields[0].metadata == {"parquet.field.id": mapped.fields[0].metadata[ID]}
    inner = physical.fields[1].type
    assert isinstance(inner, StructType)
    assert all(field.name.startswith("col-") for field in inner)
