"""What every row of a table must satisfy: NOT NULL columns and CHECK constraints, as conditions in Spark SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.plan.base import quote
from deltasql.plan.operators import Constraint
from deltasql.planner.char_types import length_check
from deltasql.schema.types import StructField, StructType

PREFIX = "delta.constraints."


def constraints_of(
    schema: StructType, configuration: Mapping[str, str], skip: frozenset[str] = frozenset()
) -> tuple[Constraint, ...]:
    """The constraints of a table, NOT NULL first. Columns in `skip` are known to be written as they were read."""
    lengths = [check for field in schema if field.name not in skip and (check := length_check(field))]
    not_null = [item for field in schema if field.name not in skip for item in _not_null(field, (), None)]
    checks = [Constraint(key[len(PREFIX) :], text) for key, text in configuration.items() if key.startswith(PREFIX)]
    return (*not_null, *lengths, *sorted(checks, key=lambda item: item.name))


def _not_null(field: StructField, parents: tuple[str, ...], parent: str | None) -> Iterator[Constraint]:
    """A field below a NULL struct is not missing: only a struct that is there must have it."""
    names = (*parents, field.name)
    path = ".".join(quote(name) for name in names)
    if not field.nullable:
        condition = f"{path} IS NOT NULL"
        condition = condition if parent is None else f"{parent} IS NULL OR {condition}"
        yield Constraint(f"NOT NULL {path}", condition, path)
    if isinstance(field.type, StructType):
        for item in field.type:
            yield from _not_null(item, names, path)
