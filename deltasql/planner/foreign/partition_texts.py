"""Partition values as folders name them → as the log has them, of the types that the user has declared."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import timezone, tzinfo
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from deltasql.base.errors.sources import PartitionCountError, PartitionNameError, SourcePartitionValueError
from deltasql.base.timezone import parse_timestamp
from deltasql.files.foreign.tables import SourceFile
from deltasql.log.storage.locations import located
from deltasql.plan.base import quote
from deltasql.schema.text import sql_text
from deltasql.schema.type_lattice import fits, is_integral
from deltasql.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
)

_WHOLE = re.compile(r"[+-]?\d{1,38}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), "true"),
    **dict.fromkeys(("false", "f", "no", "n", "0"), "false"),
}
_LIMITS = {"infinity": math.inf, "inf": math.inf, "nan": math.nan}


def partition_texts(
    file: SourceFile, fields: Sequence[StructField], root: str, zone: tzinfo, *, ignore_failures: bool = False
) -> list[str | None]:
    """The values of a file's partition columns as the log has them, in the order of `fields`.

    `root` is the table's location, `zone` that of timestamps without one. With `ignore_failures` a text that is no
    value of its type is NULL. Raises PartitionCountError, PartitionNameError, SourcePartitionValueError.
    """
    location = located(file.path, root)
    if len(file.partitions) != len(fields):
        expected, present = (
            ", ".join(map(quote, names)) for names in (_names(fields), [n for n, _ in file.partitions])
        )
        raise PartitionCountError(location, len(fields), expected or "none", len(file.partitions), present or "none")
    values = []
    for field, (name, text) in zip(fields, file.partitions, strict=True):
        if field.name.lower() != name.lower():
            raise PartitionNameError(location, quote(field.name), quote(name))
        try:
            values.append(None if text is None else partition_text(text, field.type, zone))
        except (ValueError, InvalidOperation, OverflowError):
            if not ignore_failures:
                raise SourcePartitionValueError(text or "", quote(field.name), sql_text(field.type), location) from None
            values.append(None)
    return values


def _names(fields: Sequence[StructField]) -> list[str]:
    return [field.name for field in fields]


def partition_text(text: str, kind: DataType, zone: tzinfo) -> str:
    """The text in the log for a value that a folder names. Raises ValueError, InvalidOperation, OverflowError."""
    if is_integral(kind):
        return _whole(text.strip(), kind)
    if isinstance(kind, DecimalType):
        return _decimal(text.strip(), kind)
    if kind in (FLOAT, DOUBLE):
        return _inexact(text.strip())
    if kind == BOOLEAN:
        return _required(_TRUTHS.get(text.strip().lower()))
    if kind in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        return _moment(text.strip(), kind, zone)
    return text


def _required(text: str | None) -> str:
    if text is None:
        raise ValueError
    return text


def _whole(text: str, kind: DataType) -> str:
    if not _WHOLE.fullmatch(text) or not fits(int(text), kind):
        raise ValueError(text)
    return str(int(text))


def _decimal(text: str, kind: DecimalType) -> str:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    rounded = Decimal(text).quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
    if rounded.copy_abs() >= 10 ** (kind.precision - kind.scale):
        raise ValueError(text)
    return f"{rounded:f}"


def _inexact(text: str) -> str:
    """Numbers as they stand: who reads them rounds them."""
    if _NUMBER.fullmatch(text):
        return text
    limit = _LIMITS.get(text.lstrip("+-").lower())
    if limit is None:
        raise ValueError(text)
    return "NaN" if math.isnan(limit) else f"{'-' * text.startswith('-')}Infinity"


def _moment(text: str, kind: DataType, zone: tzinfo) -> str:
    moment = parse_timestamp(text)
    if moment is None:
        raise ValueError(text)
    if kind == DATE:
        return moment.date().isoformat()
    if kind == TIMESTAMP_NTZ:
        if moment.tzinfo is not None:
            raise ValueError(text)
        return moment.isoformat(" ")
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    return f"{aware.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
