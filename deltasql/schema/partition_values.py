"""Partition values as Python values of their column's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from deltasql.planner.rows.char_types import declared_length
from deltasql.schema.timezone import parse_timestamp
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField

if TYPE_CHECKING:
    from deltasql.log.replay.snapshot import Snapshot


def partition_rows(snapshot: Snapshot, fields: Sequence[StructField]) -> list[tuple[Any, ...]]:
    """The distinct tuples of partition values of a snapshot, sorted with NULL first."""
    values = snapshot.files(("partitionValues",)).column("partitionValues").to_pylist()
    rows = {partition_value(row, fields) for row in values}
    return sorted(rows, key=lambda row: [(value is not None, value) for value in row])


def partition_value(row: Mapping[str, str | None], fields: Sequence[StructField]) -> tuple[Any, ...]:
    """The values of some partition columns of one file. Keys of `row` match without case."""
    folded = {key.lower(): value for key, value in row.items()}
    return tuple(_padded(typed(folded.get(field.name.lower()), field.type), field) for field in fields)


def _padded(value: Any, field: StructField) -> Any:
    """A value of CHAR(n) as it is read, whoever wrote it."""
    length = declared_length(field)
    return value if length is None or length.kind != "char" or value is None else str(value).ljust(length.length)


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
            # Spark gives timestamps back as the machine's local time, without a zone.
            moment = parse_timestamp(text)
            return moment.astimezone().replace(tzinfo=None) if moment is not None and moment.tzinfo else moment
        case PrimitiveType("binary"):
            return text.encode("latin-1", "replace")
        case _:
            return text
