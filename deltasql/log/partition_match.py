"""Which partitions a scan can meet: a test over typed values becomes one over the strings of the log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

from deltasql.log.actions import Metadata
from deltasql.log.snapshot import physical_names
from deltasql.schema.types import STRING, DataType, DecimalType, PrimitiveType

RawValues = Mapping[str, "str | None"]


def partition_matcher(
    metadata: Metadata, test: Callable[[Mapping[str, Any]], bool | None]
) -> Callable[[RawValues], bool]:
    """A test of a file's partition values as the log has them, for `Transaction.record_read`.

    `test` gets Python values by logical column name: int, float, Decimal, bool, str, bytes, date, datetime (UTC for
    timestamps, without a zone for timestamp_ntz), None for null. It says None where SQL says NULL: the file is not
    met. A value that cannot be read, or compared, counts as met.
    """
    names = list(zip(metadata.partition_columns, physical_names(metadata), strict=True))
    kinds = {name: field.type for name in metadata.partition_columns if (field := metadata.schema.find(name))}

    def matches(values: RawValues) -> bool:
        try:
            typed = {name: typed_value(values.get(physical), kinds.get(name, STRING)) for name, physical in names}
            return test(typed) is True
        except (ValueError, TypeError, ArithmeticError):
            return True

    return matches


def in_partitions(metadata: Metadata, partitions: Collection[RawValues]) -> Callable[[RawValues], bool]:
    """A test for some whole partitions, given by their values as in the log: what a dynamic overwrite has read."""
    keys = physical_names(metadata)
    wanted = {tuple(values.get(key) or None for key in keys) for values in partitions}
    return lambda values: tuple(values.get(key) or None for key in keys) in wanted


def typed_value(text: str | None, kind: DataType) -> Any:
    """The value that a partition string of the log stands for; an empty one is null.

    Raises ValueError or ArithmeticError for a text that is none of the type, and for a timestamp without a zone:
    it is local to the machine that wrote it.
    """
    if not text:
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
        case PrimitiveType("timestamp"):
            return _instant(text)
        case PrimitiveType("timestamp_ntz"):
            return datetime.fromisoformat(_padded(text))
        case PrimitiveType("binary"):
            return text.encode("latin-1")
        case _:
            return text


def _instant(text: str) -> datetime:
    moment = datetime.fromisoformat(_padded(text.replace("Z", "+00:00")))
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment.astimezone(timezone.utc)


def _padded(text: str) -> str:
    """The text with 6 digits of a second's fraction, which Python 3.10 asks for."""
    head, point, rest = text.partition(".")
    if not point:
        return text
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return f"{head}.{rest[:digits].ljust(6, '0')[:6]}{rest[digits:]}"
