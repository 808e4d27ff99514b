"""Values are brought to their column's type: casts, and structs field by field."""

from __future__ import annotations

import pytest

from deltasql.base.errors import (
    NestedArityError,
    NestedColumnsMismatchError,
    NestedOrderError,
    StrictAssignmentError,
    StructTypeMismatchError,
)
from deltasql.planner.alignment import Alignment, Casts, StructRule, is_path, same_type, updated_struct
from deltasql.schema.types import INTEGER, LONG, STRING, ArrayType, MapType, StructField, StructType


def struct(**fields: object) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in fields.items()))  # type: ignore[arg-type]


def by_name(policy: str = "ANSI") -> Alignment:
    return Alignment(StructRule.BY_NAME, "t", Casts(policy))


def test_an_equal_type_is_left_alone() -> None:
    assert by_name().value("s.a", INTEGER, INTEGER, "a") == "s.a"


@pytest.mark.parametrize(
    ("policy", "sql"),
    [("ANSI", "CAST(s.a AS INT)"), ("LEGACY", "TRY_CAST(s.a AS INT)"), ("STRICT", "CAST(s.a AS INT)")],
)
def test_an_atomic_value_is_cast_by_the_policy(policy: str, sql: str) -> None:
    source = INTEGER if policy == "STRICT" else LONG
    target = LONG if policy == "STRICT" else INTEGER
    expected = sql.replace("INT", "BIGINT") if policy == "STRICT" else sql
    assert by_name(policy).value("s.a", source, target, "a") == expected


def test_the_strict_policy_refuses_a_cast_that_may_lose_something() -> None:
    with pytest.raises(StrictAssignmentError) as caught:
        by_name("STRICT").value("s.a", LONG, INTEGER, "a")
    assert caught.value.condition == "CANNOT_UP_CAST_DATATYPE"


def test_fields_are_matched_by_name_in_any_order() -> None:
    sql = by_name().value("s.x", struct(b=STRING, a=LONG), struct(a=INTEGER, b=STRING), "x")
    assert sql == (
        "CASE WHEN s.x IS NULL THEN CAST(NULL AS STRUCT<a: INT, b: STRING>) "
        "ELSE named_struct('a', CAST(s.x.a AS INT), 'b', s.x.b) END"
    )


def test_a_value_that_is_no_path_is_bound_to_a_name_once() -> None:
    sql = by_name().value("f(s.x)", struct(a=LONG), struct(a=INTEGER), "x")
    assert sql.startswith("element_at(transform(array(f(s.x)), __x0 -> CASE WHEN __x0 IS NULL")


def test_elements_and_entries_follow_the_same_rule() -> None:
    array = by_name().value("s.v", ArrayType(LONG), ArrayType(INTEGER), "v")
    assert array == "transform(s.v, __x0 -> CAST(__x0 AS INT))"
    entries = by_name().value("s.m", MapType(STRING, LONG), MapType(STRING, INTEGER), "m")
    assert entries == "map_from_entries(transform(map_entries(s.m), __x0 -> struct(__x0.key, CAST(__x0.value AS INT))))"


@pytest.mark.parametrize("source", [{"a": INTEGER}, {"a": INTEGER, "b": STRING, "c": STRING}])
def test_by_name_wants_the_same_fields(source: dict[str, object]) -> None:
    with pytest.raises(NestedColumnsMismatchError) as caught:
        by_name().value("s.x", struct(**source), struct(a=INTEGER, b=STRING), "x")
    assert caught.value.condition == "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION"
    assert "All nested columns must match" in str(caught.value)


def test_the_lenient_rule_fills_a_missing_field_with_null() -> None:
    align = Alignment(StructRule.BY_NAME_LENIENT, "t")
    assert "'b', CAST(NULL AS STRING)" in align.value("s.x", struct(a=INTEGER), struct(a=INTEGER, b=STRING), "x")


def test_by_position_wants_the_same_number() -> None:
    align = Alignment(StructRule.BY_POSITION, "t")
    assert "'a', s.x.p" in align.value("s.x", struct(p=INTEGER), struct(a=INTEGER), "x")
    with pytest.raises(NestedArityError) as caught:
        align.value("s.x", struct(p=INTEGER), struct(a=INTEGER, b=INTEGER), "x")
    assert (caught.value.expected, caught.value.given) == (2, 1)


def test_a_struct_does_not_go_into_a_scalar() -> None:
    with pytest.raises(StructTypeMismatchError):
        by_name().value("s.x", struct(a=INTEGER), INTEGER, "x")


def test_update_star_keeps_fields_that_only_the_target_has() -> None:
    align = Alignment(StructRule.BY_NAME_LENIENT, "t")
    old = struct(y=INTEGER, z=INTEGER)
    sql = updated_struct(
        "s.c", struct(x=INTEGER, y=INTEGER), "t.c", old, struct(y=INTEGER, z=INTEGER, x=INTEGER), align, "c"
    )
    assert sql == (
        "CASE WHEN s.c IS NULL AND t.c IS NULL THEN CAST(NULL AS STRUCT<y: INT, z: INT, x: INT>) "
        "ELSE named_struct('y', s.c.y, 'z', t.c.z, 'x', s.c.x) END"
    )


def test_update_star_without_such_fields_takes_the_whole_value() -> None:
    align = Alignment(StructRule.BY_NAME_LENIENT, "t")
    assert updated_struct("s.c", struct(y=INTEGER), "t.c", struct(y=INTEGER), struct(y=INTEGER), align, "c") == "s.c"


def test_paths_are_told_from_expressions() -> None:
    assert is_path("s.a")
    assert is_path("`x y`.`a``b`")
    assert not is_path("s.a + 1")
    assert not is_path("f(a)")


def test_types_are_equal_as_values_whatever_their_nullability() -> None:
    assert same_type(ArrayType(INTEGER, True), ArrayType(INTEGER, False))
    assert not same_type(struct(a=INTEGER), struct(b=INTEGER))


def test_guarded_casts_compute_a_value_once_and_fail_by_themselves() -> None:
    align = Alignment(StructRule.BY_NAME, "t", Casts(guarded=True))
    column = align.value("s.a", STRING, INTEGER, "n")
    assert column.startswith("coalesce(TRY_CAST(s.a AS INT), IF(s.a IS NULL, NULL, ")
    assert "DELTASQL_CAST|n|INT|" in column
    expression = align.value("rand() || 'x'", STRING, INTEGER, "n")
    assert expression.count("rand()") == 1
    assert align.value("1", INTEGER, LONG, "n") == "CAST(1 AS BIGINT)"
    assert align.cast("NULL", INTEGER, "n") == "CAST(NULL AS INT)"


def test_names_of_the_column_do_not_go_elsewhere() -> None:
    align = Alignment(StructRule.BY_NAME_OR_POSITION, "t")
    ab, ba, bc, yz = (
        StructType(tuple(StructField(name, INTEGER) for name in names)) for names in ("ab", "BA", "bc", "yz")
    )
    assert "'a', x.A, 'b', x.B" in align.value("x", ba, ab, "s")
    assert "'a', x.y, 'b', x.z" in align.value("x", yz, ab, "s")
    with pytest.raises(NestedOrderError, match="field b would be stored as a"):
        align.value("x", bc, ab, "s")
