"""SET clauses: conflicts, and structs that are rebuilt around the assigned fields."""

from __future__ import annotations

import pytest

from deltasql.base.errors import ConflictingAssignmentsError, FieldOfNonStructError
from deltasql.base.errors.base import Caret
from deltasql.plan.base import ColumnPath
from deltasql.planner.alignment import ResolvedAssignment, assigned_values, refuse_conflicts
from deltasql.schema.types import INTEGER, STRING, ArrayType, StructField, StructType

INNER = StructType((StructField("x", INTEGER), StructField("y", STRING)))
SCHEMA = StructType((StructField("id", INTEGER), StructField("s", INNER), StructField("arr", ArrayType(INTEGER))))


def assignment(path: str, value: str) -> ResolvedAssignment:
    names = tuple(path.split("."))
    return ResolvedAssignment(names, value, ColumnPath(names))


def caret(start: int, end: int) -> Caret:
    return Caret("", start, end)


def values(*assignments: ResolvedAssignment, old: StructType = SCHEMA) -> dict[str, str]:
    return assigned_values(assignments, old, SCHEMA, "t", lambda sql, kind, column: f"as<{column}>({sql})")


def test_a_column_takes_the_aligned_value() -> None:
    assert values(assignment("id", "1")) == {"id": "as<id>(1)"}


def test_the_other_fields_of_a_struct_stay() -> None:
    assert values(assignment("s.x", "1")) == {"s": "named_struct('x', as<s.x>(1), 'y', t.s.y)"}


def test_a_field_without_an_old_value_is_null() -> None:
    assert values(assignment("s.x", "1"), old=StructType()) == {
        "s": "named_struct('x', as<s.x>(1), 'y', CAST(NULL AS STRING))"
    }


def test_a_part_of_an_array_cannot_be_set() -> None:
    with pytest.raises(FieldOfNonStructError) as caught:
        values(assignment("arr.x", "1"))
    assert caught.value.condition == "DELTA_UNSUPPORTED_FIELD_UPDATE_NON_STRUCT"


@pytest.mark.parametrize(("first", "second"), [("id", "ID"), ("s", "s.x"), ("s.x", "S")])
def test_one_column_is_set_once(first: str, second: str) -> None:
    with pytest.raises(ConflictingAssignmentsError) as caught:
        refuse_conflicts([assignment(first, "1"), assignment(second, "2")], caret)
    assert caught.value.condition == "DELTA_CONFLICT_SET_COLUMN"


def test_siblings_do_not_conflict() -> None:
    refuse_conflicts([assignment("s.x", "1"), assignment("s.y", "2"), assignment("id", "3")], caret)
