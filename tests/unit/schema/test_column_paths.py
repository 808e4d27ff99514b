"""Column paths."""

from __future__ import annotations

import pytest

from deltasql.base.errors import ColumnNotFoundError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.text import candidates, find_path, leaves, replace_type, resolve, suggestion, walk
from deltasql.schema.types import INTEGER, LONG, STRING, ArrayType, MapType, StructField, StructType

INNER = StructType((StructField("X", INTEGER), StructField("deep", ArrayType(StructType((StructField("y", LONG),))))))
SCHEMA = StructType(
    (
        StructField("id", LONG),
        StructField("Box", INNER),
        StructField("arr", ArrayType(INNER)),
        StructField("m", MapType(STRING, INNER, False)),
        StructField("nums", ArrayType(INTEGER)),
    )
)


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        (("ID",), ("id",)),
        (("box", "x"), ("Box", "X")),
        (("ARR", "Element", "x"), ("arr", "element", "X")),
        (("m", "VALUE", "deep", "element", "Y"), ("m", "value", "deep", "element", "y")),
        (("m", "key"), ("m", "key")),
    ],
)
def test_a_path_is_spelled_by_the_schema(path: tuple[str, ...], canonical: tuple[str, ...]) -> None:
    found = resolve(SCHEMA, path)
    assert found.path == canonical
    assert find_path(SCHEMA, path) == found


def test_what_a_path_leads_to() -> None:
    field = resolve(SCHEMA, ("box", "x"))
    assert (field.field, field.parent, field.nested_in_collection) == (INNER.fields[0], INNER, False)
    value = resolve(SCHEMA, ("m", "value"))
    assert (value.field.type, value.field.nullable, value.nested_in_collection) == (INNER, False, True)
    assert not resolve(SCHEMA, ("m", "key")).field.nullable


@pytest.mark.parametrize(
    ("path", "condition", "said"),
    [
        (("idd",), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", "Did you mean id?"),
        (("box", "z"), "FIELD_NOT_FOUND", "Fields: X, deep"),
        (("arr", "x"), "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME", "arr.element.x"),
        (("nums", "x"), "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME", "nums.element instead"),
        (("m", "x"), "DELTA_FOUND_MAP_TYPE_COLUMN", "m.key or m.value"),
        (("id", "x"), "INVALID_FIELD_NAME", "bigint"),
    ],
)
def test_a_path_that_leads_nowhere(path: tuple[str, ...], condition: str, said: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        resolve(SCHEMA, path, where="main.t")
    assert caught.value.condition == condition
    assert said in caught.value.message
    assert find_path(SCHEMA, path) is None


def test_case_counts_when_told() -> None:
    assert resolve(SCHEMA, ("Box",), case_sensitive=True).path == ("Box",)
    with pytest.raises(ColumnNotFoundError):
        resolve(SCHEMA, ("box",), case_sensitive=True)


def test_an_empty_path_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="at least one"):
        resolve(SCHEMA, ())


def test_walk_and_leaves() -> None:
    paths = [".".join(path) for path, _ in walk(SCHEMA)]
    assert paths[:5] == ["id", "Box", "Box.X", "Box.deep", "Box.deep.element.y"]
    assert "m.value.deep.element.y" in paths
    assert [".".join(path) for path, _ in leaves(SCHEMA)] == ["id", "Box.X", "Box.deep", "arr", "m", "nums"]


def test_replace_type_reaches_every_depth() -> None:
    path = ("m", "value", "deep", "element", "y")
    changed = replace_type(SCHEMA, path, lambda _: STRING)
    assert isinstance(changed, StructType)
    assert resolve(changed, path).field.type == STRING
    keyed = replace_type(SCHEMA, ("m", "key"), lambda _: LONG)
    assert isinstance(keyed, StructType)
    assert resolve(keyed, ("m", "key")).field.type == LONG
    with pytest.raises(ValueError, match="no type"):
        replace_type(INTEGER, ("a",), lambda _: STRING)


def test_suggestions_and_long_lists() -> None:
    assert suggestion("zzz", SCHEMA.names) == ""
    wide = StructType(tuple(StructField(f"c{n}", LONG) for n in range(25)))
    assert candidates(wide)[-1] == "… and 5 more"
