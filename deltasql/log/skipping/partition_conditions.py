"""Conditions on partition columns, decided by their values in the log, and masks of the files that a scan keeps.

Source: Delta protocol, Partition Value Serialization. A mask may be True or False for all files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, TypeAlias, Union

from deltasql.base import np, pa, pc
from deltasql.base import zone as session_zone
from deltasql.log.skipping.conditions import (
    INTEGRAL,
    AllOf,
    AnyOf,
    BoundedColumn,
    Comparison,
    Condition,
    Leaf,
    Like,
    NullTest,
    OneOf,
    Unknown,
    comparison_holds,
)
from deltasql.schema import DecimalType, fits
from deltasql.sql import EXACT, Value, clock_time, date_days, moment, single

if TYPE_CHECKING:
    FileMask: TypeAlias = Union[pa.ChunkedArray, pa.Array, bool]
    """A mask with true for each file to keep, or True or False for all of them."""

_FEW_RUNS = 4096


def file_mask(selection: Condition, of_leaf: Callable[[Leaf], FileMask]) -> FileMask:
    """The files that a condition keeps, from those that its leaves keep; an Unknown part keeps all."""
    match selection:
        case Unknown():
            return True
        case AllOf() | AnyOf():
            return combined(isinstance(selection, AllOf), [file_mask(part, of_leaf) for part in selection.parts])
    return of_leaf(selection)


def combined(is_all: bool, parts: Sequence[FileMask]) -> FileMask:
    """The files that all of `parts` keep, or any of them."""
    if any(part is (not is_all) for part in parts):
        return not is_all
    masks = [part for part in parts if not isinstance(part, bool)]
    return reduce(pc.and_ if is_all else pc.or_, masks) if masks else is_all


def filtered(files: pa.Table, mask: FileMask) -> pa.Table:
    if isinstance(mask, bool):
        return files if mask else files.slice(0, 0)
    if pc.all(mask, min_count=0).as_py():
        return files
    runs = _runs(mask)
    return files.filter(mask) if runs is None else pa.concat_tables([files.slice(*run) for run in runs])


def _runs(mask: pa.Array | pa.ChunkedArray) -> list[tuple[int, int]] | None:
    """Start and length of each run of true, at least one; None if there are many.

    A slice of a table is no copy; a filter copies the texts of statistics, which takes 2 s for a million files.
    """
    mask = mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask
    changes = pc.indices_nonzero(pc.xor(mask.slice(1), mask.slice(0, len(mask) - 1)))
    if len(changes) > _FEW_RUNS:
        return None
    edges = [0, *(change + 1 for change in changes.to_pylist()), len(mask)]
    first = 0 if mask[0].as_py() else 1
    return [(start, end - start) for start, end in zip(edges[first::2], edges[first + 1 :: 2], strict=False)] or [
        (0, 0)
    ]


def first_numbers(count: int) -> np.ndarray:
    """The numbers of the first `count` files."""
    return np.arange(count)


def rows_of(mask: FileMask) -> np.ndarray | None:
    """The numbers of the files to keep, sorted; None for all."""
    from deltasql.schema import flags, indexes_of

    if isinstance(mask, bool):
        return None if mask else indexes_of(flags([]))
    return indexes_of(mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask)


class Partitions:
    """Evaluates conditions on partition values: once for each value that occurs, not for each file."""

    def __init__(self, files: pa.Table, timezone: str | None) -> None:
        self._values = files["partitionValues"]
        self._zone = None if timezone is None else session_zone(timezone)
        self.is_exact = True

    def mask(self, leaf: Leaf) -> FileMask:
        """Files whose partition value makes `leaf` true; one that cannot be read is included and clears `is_exact`."""
        from deltasql.schema import flags, scalar

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
