"""Partition values as Python values of their column's type."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField

if TYPE_CHECKING:
    from deltasql.log.snapshot import Snapshot


def partition_rows(snapshot: Snapshot, fields: Sequence[StructField]) -> list[tuple[Any, ...]]:
    """The distinct tuples of partition values of a snapshot, sorted with NULL first."""
    values = snapshot.files(("partitionValues",)).column("partitionValues").to_pylist()
    distinct = {tuple(_value(row, field.name) for field in fields) for row in values}
    rows = [tuple(typed(text, field.type) for text, field in zip(row, fields, strict=True)) for row in distinct]
    return sorted(rows, key=lambda row: [(value is not None, value) for value in row])


def _value(row: dict[str, str | None], name: str) -> str | None:
    return next((value for key, value in row.items() if key.lower() == name.lower()), None)


def typed(text: str | None, kind: DataType) -> Any:
    """The value that a partition string of the log stands for."""
    if text is None or text == "":
        return None
    match kind:
        case DecimalType():
            return Decimal(text)
        case PrimitiveType("byte" | "short" | "integer" | "long"):
            return int(text)
        case PrimitiveType("float" | "double"):
            return float(text)
        case PrimitiveType("boolean"):
            return text.lower() == "true"
        case PrimitiveType("date"):
            return date.fromisoformat(text)
        case PrimitiveType("timestamp" | "timestamp_ntz"):
            return datetime.fromisoformat(text.replace("Z", "+00:00"))
        case PrimitiveType("binary"):
            return text.encode("latin-1", "replace")
        case _:
            return text
