"""Variants as text, for readers without a type for them."""

from __future__ import annotations

from itertools import count

from deltasql.plan.base import quote
from deltasql.schema.text import text_sql
from deltasql.schema.types import VARIANT, ArrayType, DataType, MapType, StructType


def variant_text(sql: str, kind: DataType) -> str | None:
    """SQL of the value `sql` whose variants, at any depth, are their JSON text; None where `kind` holds none."""
    return _text(sql, kind, count())


def _text(sql: str, kind: DataType, names: count[int]) -> str | None:
    match kind:
        case StructType():
            return _struct(sql, kind, names)
        case ArrayType(element):
            item = f"__v{next(names)}"
            body = _text(item, element, names)
            return body and f"transform({sql}, {item} -> {body})"
        case MapType(_, value):
            # A variant cannot be the key of a map.
            key, item = f"__v{next(names)}", f"__v{next(names)}"
            body = _text(item, value, names)
            return body and f"transform_values({sql}, ({key}, {item}) -> {body})"
        case _:
            return f"to_json({sql})" if kind == VARIANT else None


def _struct(sql: str, kind: StructType, names: count[int]) -> str | None:
    paths = [f"{sql}.{quote(field.name)}" for field in kind]
    texts = [_text(path, field.type, names) for path, field in zip(paths, kind, strict=True)]
    if not any(texts):
        return None
    fields = zip(kind, texts, paths, strict=True)
    values = ", ".join(f"{text_sql(field.name)}, {text or path}" for field, text, path in fields)
    return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({values}) END"
