"""Reflection of tables as SQLAlchemy's dictionaries."""

from __future__ import annotations

from typing import Any

from deltasql.catalog import Catalog
from deltasql.clients.sqlalchemy.types import type_of_field
from deltasql.schema.identity import identity_of
from deltasql.schema.types import StructField
from deltasql.session.reflection import Description

_DEFAULT, _GENERATED = "CURRENT_DEFAULT", "delta.generationExpression"


def columns(description: Description) -> list[dict[str, Any]]:
    """One dictionary per column."""
    return [_column(field) for field in description.columns]


def _column(field: StructField) -> dict[str, Any]:
    identity = identity_of(field)
    column: dict[str, Any] = {
        "name": field.name,
        "type": type_of_field(field),
        "nullable": field.nullable,
        "default": field.metadata.get(_DEFAULT),
        "comment": field.comment,
    }
    if identity is not None:
        # Of any other column SQLAlchemy advises to say nothing: the key stays one that may be numbered by the client.
        column["autoincrement"] = True
        column["identity"] = {
            "always": not identity.allow_explicit,
            "start": identity.start,
            "increment": identity.step,
        }
    if _GENERATED in field.metadata:
        column["computed"] = {"sqltext": field.metadata[_GENERATED], "persisted": True}
    return column


def primary_key(description: Description) -> dict[str, Any]:
    """The primary key; without columns if there is none."""
    for key in description.keys:
        if key.references is None:
            return {"constrained_columns": list(key.columns), "name": key.name}
    return {"constrained_columns": [], "name": None}


def foreign_keys(description: Description, schema: str | None, names: Catalog) -> list[dict[str, Any]]:
    """One dictionary per foreign key. The schema of the parent is None if it is the current one and so is `schema`.

    It has its catalog before it if `schema` has, or if it is none of the current catalog.
    """
    keys: list[dict[str, Any]] = []
    for key in description.keys:
        if key.references is None:
            continue
        parent = key.references.table or description.relation.parts
        parent_schema = tuple(parent[:-1])
        is_near = schema is None and parent_schema == (names.current_catalog, names.current_schema)
        is_short = parent_schema[0] == names.current_catalog and "." not in (schema or "")
        shown_schema = parent_schema[1:] if is_short else parent_schema
        keys.append(
            {
                "name": key.name,
                "constrained_columns": list(key.columns),
                "referred_schema": None if is_near else ".".join(shown_schema),
                "referred_table": parent[-1],
                "referred_columns": list(key.references.columns),
                "options": {},
            }
        )
    return keys


def checks(description: Description) -> list[dict[str, Any]]:
    """One dictionary per CHECK."""
    return [{"name": name, "sqltext": text} for name, text in sorted(description.checks.items())]
