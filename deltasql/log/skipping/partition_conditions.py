"""Conditions on partition columns, decided by the values that the log has for them.

Source: Delta protocol, Partition Value Serialization.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import tzinfo
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from deltasql.base.lazy import pa, pc
from deltasql.base.timezone import zone as session_zone
from deltasql.log.skipping.conditions import (
    INTEGRAL,
    BoundedColumn,
    Comparison,
    Leaf,
    Like,
    NullTest,
    OneOf,
    comparison_holds,
)
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import DecimalType
from deltasql.sql.constants import EXACT, clock_time, date_days, moment, single
from deltasql.sql.literals import Value

if TYPE_CHECKING:
    from deltasql.log.skipping.file_masks import FileMask


class Partitions:
    """Evaluates conditions on partition values: once for each value that occurs, not for each file."""

    def __init__(self, files: pa.Table, timezone: str | None) -> None:
        self._values = files["partitionValues"]
        self._zone = None if timezone is None else session_zone(timezone)
        self.is_exact = True

    def mask(self, leaf: Leaf) -> FileMask:
        """Files whose partition value makes `leaf` true; one that cannot be read is included and clears `is_exact`."""
        from deltasql.schema.arrow_values import flags, scalar

        if leaf.column.partition is None:
            return True
        values = encoded(self._values, leaf.column)
        # The outcome for null, which has no place in the dictionary, stands after those of the values.
        outcomes = [self._outcome(leaf, text) for text in [*values.dictionary.to_pylist(), None]]
        last = scalar(str(len(outcomes) - 1), values.indices.type)
        return flags(outcomes).take(pc.fill_null(values.indices, last))

    def _outcome(self, leaf: Leaf, text: str | None) -> bool:
        # An empty string is null for every type.
        if not text:
            return isinstance(leaf, NullTest) and not leaf.negated
        value = partition_value(leaf.column, text, self._zone)
        if value is None:
            self.is_exact = False
            return True
        return _is_true(leaf, value)


def encoded(partitions: pa.ChunkedArray, column: BoundedColumn) -> pa.DictionaryArray:
    """The values of a partition column, as the log spells them, in one piece; `partitions` are those of all columns."""
    names = [field.name for field in partitions.type]
    name = next(item for item in names if item in {column.partition, column.path[0]})
    values = pc.struct_field(partitions, [name])
    if not pa.types.is_dictionary(values.type):
        values = values.cast(pa.string()).dictionary_encode()
    values = values.unify_dictionaries().combine_chunks()
    return values.chunk(0) if isinstance(values, pa.ChunkedArray) else values


def partition_value(column: BoundedColumn, text: str, zone: tzinfo | None) -> Value | None:
    """A partition value as the log spells it, as one that compares; None if it is not understood."""
    try:
        if isinstance(column.type, DecimalType):
            # Other writers may have written more digits, which Spark rounds.
            number = Decimal(text).quantize(Decimal(1).scaleb(-column.type.scale), ROUND_HALF_UP, EXACT)
            return number if number.is_finite() else None
        return _PARTITION_VALUES[column.kind](text, zone)
    except (KeyError, ValueError, ArithmeticError):
        return None


def unreadable_text(partitions: pa.ChunkedArray, column: BoundedColumn) -> str | None:
    """The first value of a partition column that Spark cannot cast to its type, as the log spells it."""
    kind = "decimal" if isinstance(column.type, DecimalType) else column.kind
    form = _FORMS.get(kind)
    if form is None:
        return None
    texts = encoded(partitions, column).dictionary.to_pylist()
    return next((text for text in texts if text and not _has_form(text, form, column)), None)


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_FORMS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(rf"[\0-\x20\x7f]*(?:{form})[\0-\x20\x7f]*", re.ASCII | re.IGNORECASE)
    for kind, form in {
        **dict.fromkeys(INTEGRAL, r"[+-]?\d+"),
        "decimal": _NUMBER,
        **dict.fromkeys(("float", "double"), rf"{_NUMBER}[df]?|[+-]?inf(?:inity)?|nan"),
        "boolean": "true|false|t|f|yes|no|y|n|1|0",
        "date": r"[+-]?\d{4,7}(?:-\d{1,2}(?:-\d{1,2}(?:[ T].*)?)?)?",
    }.items()
}


def _has_form(text: str, form: re.Pattern[str], column: BoundedColumn) -> bool:
    return form.fullmatch(text) is not None and (column.kind not in INTEGRAL or fits(int(text.strip()), column.type))


_PARTITION_VALUES: Mapping[str, Callable[[str, tzinfo | None], Value | None]] = {
    **dict.fromkeys(INTEGRAL, lambda text, zone: int(text)),
    "float": lambda text, zone: single(float(text)),
    "double": lambda text, zone: float(text),
    "boolean": lambda text, zone: {"true": True, "false": False}.get(text),
    "string": lambda text, zone: text,
    "date": lambda text, zone: date_days(text),
    "timestamp": moment,
    "timestamp_ntz": lambda text, zone: clock_time(text),
}


def _is_true(leaf: Leaf, value: Value) -> bool:
    """Whether `leaf` is TRUE for one value of its column. NaN equals itself and is above all numbers."""
    match leaf:
        case NullTest():
            return leaf.negated
        case Comparison() if isinstance(value, float) and math.isnan(value):
            return ">" in leaf.op
        case Comparison():
            return comparison_holds(value, leaf.op, leaf.value)
        case OneOf():
            return (value in leaf.values) != leaf.negated
        case Like():
            return (_pattern(leaf.pattern).fullmatch(str(value)) is not None) != leaf.negated


@lru_cache
def _pattern(like: str) -> re.Pattern[str]:
    parts = ({"%": ".*", "_": "."}.get(char) or re.escape(char) for char in like)
    return re.compile("".join(parts), re.DOTALL)
