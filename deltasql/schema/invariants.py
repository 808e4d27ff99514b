"""Column invariants: conditions that a column's metadata has, and that every written row must satisfy.

Delta has had them before CHECK constraints, and engines no longer make them. Source: Delta protocol, Column Invariants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from deltasql.schema.types import StructField, StructType

INVARIANTS = "delta.invariants"


def column_invariants(schema: StructType) -> dict[str, str]:
    """The conditions of columns and of fields in structs, by the name that Delta gives them.

    Of metadata that cannot be read the text stands for the condition, which nobody can compute either.
    """
    return {f"EXPRESSION({text})": text for text in _conditions(schema)}


def _conditions(schema: StructType) -> Iterator[str]:
    for field in schema:
        if INVARIANTS in field.metadata:
            yield _condition(field)
        if isinstance(field.type, StructType):
            yield from _conditions(field.type)


def _condition(field: StructField) -> str:
    rule = field.metadata[INVARIANTS]
    try:
        return str(json.loads(rule)["expression"]["expression"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return str(rule)
