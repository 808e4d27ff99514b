"""Partition values as Python values of their column's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from deltasql.base.timezone import parse_timestamp
from deltasql.schema.lengths import declared_length
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The name of NULL in the name of a partition's directory, `column=value`."""
STORED_AS_NULL = ("", HIVE_NULL)
"""The texts that a partition column stores as NULL, for these are the names of its directory."""


def partition_value(row: Mapping[str, str | None], fields: Sequence[StructField]) -> tuple[Any, ...]:
    """The values of some partition columns of one file. Keys of `row` match without case."""
    folded = {key.lower(): value for key, value in row.items()}
    return tuple(_padded(typed(folded.get(field.name.lower()), field.type), field) for field in fields)


def _padded(value: Any, field: StructField) -> Any:
    """A value of CHAR(n) as it is read, padded also if its writer did not."""
    length = declared_length(field)
    return value if length is None or length.kind != "char" or value is None else str(value).ljust(length.length)


def typed(text: str | None, kind: DataType) -> Any:
    """The value that a partition string of the log stands for."""
    return _value(text, kind) if text else None


def _value(text: str, kind: DataType) -> Any:
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
