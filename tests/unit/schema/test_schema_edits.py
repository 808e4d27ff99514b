"""Pure edits of a schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.edits import (
    add_column,
    drop_column,
    move_column,
    rename_column,
    set_comment,
    set_metadata,
    set_nullable,
    set_type,
)
from deltasql.schema.json import schema_to_json
from deltasql.schema.text import resolve, schema_ddl
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

Edit = Callable[[], StructType]


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, data_type) for name, data_type in types.items()))


FIELDS = struct(field1=STRING, field2=STRING)
BOXES = struct(colA=STRING, colB=FIELDS, arr=ArrayType(struct(x=INTEGER)), m=MapType(STRING, INTEGER))
NEW = StructField("", STRING)


def columns(schema: StructType) -> str:
    return schema_ddl(StructType(schema.fields[:2]))


def failure(edit: Edit) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as caught:
        edit()
    return caught.value


def test_a_nested_column_stands_where_it_was_put() -> None:
    changed = add_column(BOXES, ("COLB", "nested"), NEW, after="Field1")
    assert columns(changed) == "colA STRING, colB STRUCT<field1: STRING, nested: STRING, field2: STRING>"
    assert columns(BOXES) == "colA STRING, colB STRUCT<field1: STRING, field2: STRING>"


def test_positions_of_a_new_column() -> None:
    assert add_column(BOXES, ("n",), NEW).names == ("colA", "colB", "arr", "m", "n")
    assert add_column(BOXES, ("n",), NEW, first=True).names[0] == "n"
    assert add_column(BOXES, ("n",), NEW, after="cola").names[1] == "n"


def test_a_struct_in_an_array_is_reached_by_element() -> None:
    changed = add_column(BOXES, ("arr", "Element", "y"), NEW, first=True)
    assert resolve(changed, ("arr",)).field.type == ArrayType(struct(y=STRING, x=INTEGER))


@pytest.mark.parametrize(
    ("path", "field", "after", "condition"),
    [
        (("COLA",), NEW, None, "FIELD_ALREADY_EXISTS"),
        (("colB", "FIELD1"), NEW, None, "FIELD_ALREADY_EXISTS"),
        (("n",), StructField("n", STRING, False), None, "DELTA_OPERATION_NOT_ALLOWED"),
        (
            ("n",),
            StructField("n", STRING, True, {"CURRENT_DEFAULT": "1"}),
            None,
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        ),
        (("_Change_Type",), NEW, None, "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED"),
        (("colX", "y"), NEW, None, "DELTA_ADD_COLUMN_STRUCT_NOT_FOUND"),
        (("colB", "sub", "y"), NEW, None, "DELTA_ADD_COLUMN_STRUCT_NOT_FOUND"),
        (("colA", "y"), NEW, None, "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"),
        (("colA", "y", "z"), NEW, None, "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"),
        (("m", "value", "y"), NEW, None, "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"),
        (("arr", "element"), NEW, None, "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"),
        (("arr", "y"), NEW, None, "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME"),
        (("arr", "x", "y"), NEW, None, "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME"),
        (("m", "y"), NEW, None, "DELTA_FOUND_MAP_TYPE_COLUMN"),
        (("n",), NEW, "colX", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        (("colB", "n"), NEW, "field3", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        (
            ("n",),
            StructField("n", struct(a=STRING, A=LONG)),
            None,
            "DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS",
        ),
        (
            ("n",),
            StructField("n", StructType((StructField("a", STRING, False),))),
            None,
            "DELTA_NOT_NULL_NESTED_FIELD",
        ),
    ],
)
def test_a_column_that_cannot_be_added(
    path: tuple[str, ...], field: StructField, after: str | None, condition: str
) -> None:
    error = failure(lambda: add_column(BOXES, path, field, after=after, where="main.boxes"))
    assert error.condition == condition
    assert error.message


def test_an_unknown_sibling_is_named_with_its_struct() -> None:
    error = failure(lambda: add_column(BOXES, ("colB", "n"), NEW, after="feild2", where="main.boxes"))
    assert "feild2 in colB of main.boxes. Did you mean field2?" in error.message


def test_rename() -> None:
    changed = rename_column(BOXES, ("colb", "field1"), "field001")
    assert columns(changed) == "colA STRING, colB STRUCT<field001: STRING, field2: STRING>"
    assert rename_column(BOXES, ("cola",), "COLA").names[0] == "COLA"


@pytest.mark.parametrize(
    ("path", "name", "condition"),
    [
        (("colA",), "COLB", "FIELD_ALREADY_EXISTS"),
        (("colB", "field1"), "field2", "FIELD_ALREADY_EXISTS"),
        (("nope",), "x", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        (("colA",), "_commit_version", "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED"),
        (("arr", "element"), "x", "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
    ],
)
def test_a_rename_that_is_refused(path: tuple[str, ...], name: str, condition: str) -> None:
    assert failure(lambda: rename_column(BOXES, path, name)).condition == condition


def test_of_what_an_array_holds_only_the_type_can_be_changed() -> None:
    path = ("arr", "element")
    renamed = failure(lambda: rename_column(BOXES, path, "x"))
    moved = failure(lambda: move_column(BOXES, path, first=True))
    required = failure(lambda: set_nullable(BOXES, path, False))
    defaulted = failure(lambda: set_metadata(BOXES, path, "CURRENT_DEFAULT", None))
    assert {error.condition for error in (renamed, moved, required, defaulted)} == {renamed.condition}
    why = "arr.element: only its type can be changed, because it is not a field of a struct."
    assert renamed.message.startswith(f"Cannot rename {why}")
    assert moved.message.startswith(f"Cannot move {why}")
    assert required.message.startswith(f"Cannot change the nullability of {why}")
    assert defaulted.message.startswith(f"Cannot change CURRENT_DEFAULT of {why}")


def test_drop() -> None:
    assert drop_column(BOXES, ("COLA",)).names == ("colB", "arr", "m")
    assert columns(drop_column(BOXES, ("colB", "FIELD2"))) == "colA STRING, colB STRUCT<field1: STRING>"


@pytest.mark.parametrize(
    ("path", "condition"),
    [
        (("arr", "element", "x"), "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA"),
        (("m", "value"), "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE"),
        (("nope",), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        (("colB", "nope"), "FIELD_NOT_FOUND"),
    ],
)
def test_a_drop_that_is_refused(path: tuple[str, ...], condition: str) -> None:
    assert failure(lambda: drop_column(BOXES, path)).condition == condition


def test_the_last_column_stays() -> None:
    assert failure(lambda: drop_column(struct(a=LONG), ("a",), where="main.t")).message.endswith("first.")


def test_move() -> None:
    first = move_column(BOXES, ("colB", "field2"), first=True)
    assert columns(first) == "colA STRING, colB STRUCT<field2: STRING, field1: STRING>"
    assert move_column(BOXES, ("colA",), after="M").names == ("colB", "arr", "m", "colA")
    assert move_column(BOXES, ("colA",), after="cola") is BOXES
    error = failure(lambda: move_column(BOXES, ("colA",), after="field1"))
    assert error.condition == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"


def test_comment() -> None:
    commented = set_comment(BOXES, ("colB", "field1"), "one")
    assert resolve(commented, ("colB", "field1")).field.comment == "one"
    assert set_comment(commented, ("colB", "field1"), None) == BOXES
    error = failure(lambda: set_comment(BOXES, ("arr", "element"), "x"))
    assert error.condition == "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY"


def test_metadata() -> None:
    changed = set_metadata(BOXES, ("colA",), "CURRENT_DEFAULT", "'x'")
    assert changed.fields[0].metadata == {"CURRENT_DEFAULT": "'x'"}


def test_nullability() -> None:
    required = set_nullable(BOXES, ("colB",), False)
    nested = set_nullable(required, ("colB", "field1"), False)
    assert not resolve(nested, ("colB", "field1")).field.nullable
    assert set_nullable(required, ("colB",), True) == BOXES
    assert failure(lambda: set_nullable(BOXES, ("colB", "field1"), False)).condition == "DELTA_NOT_NULL_NESTED_FIELD"
    error = failure(lambda: set_nullable(BOXES, ("arr", "element", "x"), False))
    assert error.condition == "DELTA_NESTED_NOT_NULL_CONSTRAINT"


def test_a_wider_type_is_recorded_on_the_nearest_field() -> None:
    changed = set_type(BOXES, ("m", "value"), LONG, widening=Widening.ALWAYS)
    field = resolve(changed, ("m",)).field
    assert field.type == MapType(STRING, LONG)
    assert field.metadata["delta.typeChanges"] == [{"fromType": "integer", "toType": "long", "fieldPath": "value"}]
    nested = set_type(BOXES, ("arr", "element", "x"), LONG, widening=Widening.ALWAYS)
    assert '"delta.typeChanges":[{"fromType":"integer","toType":"long"}]' in schema_to_json(nested)


def test_types_that_change_freely() -> None:
    assert set_type(BOXES, ("colA",), STRING) is BOXES
    assert set_type(struct(v=VOID, a=LONG), ("v",), LONG) == struct(v=LONG, a=LONG)


@pytest.mark.parametrize(
    ("path", "condition"),
    [
        (("m", "value"), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
        (("colA",), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
        (("colB",), "DELTA_CANNOT_UPDATE_STRUCT_FIELD"),
        (("arr",), "DELTA_CANNOT_UPDATE_ARRAY_FIELD"),
        (("m",), "DELTA_CANNOT_UPDATE_MAP_FIELD"),
    ],
)
def test_a_type_that_cannot_change(path: tuple[str, ...], condition: str) -> None:
    assert failure(lambda: set_type(BOXES, path, LONG)).condition == condition


def test_a_refused_widening_says_what_would_allow_it() -> None:
    assert "enableTypeWidening" in failure(lambda: set_type(BOXES, ("m", "value"), LONG)).message
