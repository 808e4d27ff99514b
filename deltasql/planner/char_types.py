"""CHAR(n) and VARCHAR(n): strings in the files, with a length that is kept when rows are written. Source: Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deltasql.plan.base import quote
from deltasql.plan.operators import Constraint
from deltasql.schema.types import StructField

TYPE_KEY = "__CHAR_VARCHAR_TYPE_STRING"
LENGTH_CHECK = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
_DECLARED = re.compile(r"(char|varchar)\((\d+)\)")


@dataclass(frozen=True, slots=True)
class Length:
    """char(n) or varchar(n)."""

    kind: str
    length: int

    @property
    def text(self) -> str:
        return f"{self.kind}({self.length})"


def length_of(text: str) -> Length | None:
    """The length that a type's text declares."""
    match = _DECLARED.fullmatch("".join(text.lower().split()).replace("character", "char"))
    return None if match is None else Length(match[1], int(match[2]))


def declared_length(field: StructField) -> Length | None:
    """The length that a column is declared with."""
    return length_of(str(field.metadata.get(TYPE_KEY, "")))


def stored(field: StructField, sql: str) -> str:
    """SQL of the value as it is stored: CHAR is filled up with blanks, blanks beyond the length are cut off."""
    declared = declared_length(field)
    if declared is None:
        return sql
    trimmed = f"rtrim({sql})"
    padded = f"rpad({trimmed}, greatest(length({trimmed}), {declared.length}), ' ')"
    if declared.kind == "char":
        return padded
    return f"CASE WHEN length({sql}) > {declared.length} THEN {padded} ELSE {sql} END"


def length_check(field: StructField) -> Constraint | None:
    """The constraint that a top-level CHAR or VARCHAR column is not too long."""
    declared = declared_length(field)
    if declared is None:
        return None
    name = quote(field.name)
    return Constraint(f"{LENGTH_CHECK}{name}", f"{name} IS NULL OR length({name}) <= {declared.length}")
