"""Types of partition columns, inferred from the names of folders. Source: Spark, Partition Discovery."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce

from deltasql.base.errors.sources import PartitionFoldersError
from deltasql.base.timezone import parse_timestamp
from deltasql.plan.base import quote
from deltasql.schema.type_lattice import MOST_DIGITS, fits
from deltasql.schema.types import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

Folders = Sequence[tuple[str, "str | None"]]
"""Names and values of the folders that a file is in, the outermost first; None is a null."""

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?", re.ASCII)
_LIMITS = frozenset({"nan", "infinity", "+infinity", "-infinity"})


def partition_fields(files: Iterable[Folders], location: str) -> StructType:
    """The partition columns of some files, with the narrowest types for all of their values.

    Raises PartitionFoldersError for files whose folders name different columns.
    """
    values: dict[str, list[str | None]] | None = None
    first: list[str] = []
    for folders in files:
        names = [name for name, _ in folders]
        if values is None:
            first, values = names, {name: [] for name in names}
        if names != first:
            raise PartitionFoldersError(location, _shown(first), _shown(names))
        for name, value in folders:
            values[name].append(value)
    found = (values or {}).items()
    return StructType(tuple(StructField(name, _common_type(texts)) for name, texts in found))


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(quote, names)) or "none"


def _common_type(values: Sequence[str | None]) -> DataType:
    kinds = {_type_of(value) for value in set(values) if value is not None}
    return reduce(_wider, sorted(kinds, key=str)) if kinds else STRING


def _type_of(text: str) -> DataType:
    if _WHOLE.fullmatch(text):
        kind = next((kind for kind in (INTEGER, LONG) if fits(int(text), kind)), None)
        digits = len(text.lstrip("+-0"))
        return kind or (DecimalType(digits, 0) if digits <= MOST_DIGITS else DOUBLE)
    if _NUMBER.fullmatch(text) or text.lower() in _LIMITS:
        return DOUBLE
    if _TIMESTAMP.fullmatch(text) and parse_timestamp(text) is not None:
        return TIMESTAMP
    if _DATE.fullmatch(text) and parse_timestamp(text) is not None:
        return DATE
    return STRING


def _wider(first: DataType, second: DataType) -> DataType:
    """The type of a column that has values of both. BIGINT and DOUBLE have none that holds all values of both."""
    kinds = {first, second}
    decimals = [kind for kind in kinds if isinstance(kind, DecimalType)]
    if len(kinds) == 1:
        return first
    if kinds <= {INTEGER, LONG}:
        return LONG
    if kinds == {INTEGER, DOUBLE}:
        return DOUBLE
    if kinds == {DATE, TIMESTAMP}:
        return TIMESTAMP
    if decimals and kinds - set(decimals) <= {INTEGER, LONG}:
        return DecimalType(max(20, *(kind.precision for kind in decimals)), 0)
    return STRING
