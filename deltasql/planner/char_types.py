"""CHAR(n) and VARCHAR(n): strings in the files, with a length that is kept when rows are written. Source: Spark."""

from __future__ import annotations

import re

from deltasql.plan.base import quote
from deltasql.plan.operators import Constraint
from deltasql.schema.types import StructField

TYPE_KEY = "__CHAR_VARCHAR_TYPE_STRING"
LENGTH_CHECK = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
_DECLARED = re.compile(r"(char|varchar)\((\d+)\)")


def stored(field: StructField, sql: str) -> str:
    """SQL of the value as it is stored: CHAR is filled up with blanks, blanks beyond the length are cut off."""
    declared = _DECLARED.fullmatch(str(field.metadata.get(TYPE_KEY, "")))
    if declared is None:
        return sql
    trimmed = f"rtrim({sql})"
    padded = f"rpad({trimmed}, greatest(length({trimmed}), {declared[2]}), ' ')"
    if declared[1] == "char":
        return padded
    return f"CASE WHEN length({sql}) > {declared[2]} THEN {padded} ELSE {sql} END"


def length_check(field: StructField) -> Constraint | None:
    """The constraint that a top-level CHAR or VARCHAR column is not too long."""
    declared = _DECLARED.fullmatch(str(field.metadata.get(TYPE_KEY, "")))
    if declared is None:
        return None
    name = quote(field.name)
    return Constraint(f"{LENGTH_CHECK}{name}", f"{name} IS NULL OR length({name}) <= {declared[2]}")
