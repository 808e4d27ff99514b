"""Which files may hold a row for which a predicate is TRUE, by partition values and statistics.

A file is dropped only if it is certain that it holds none. Source: Delta protocol, Per-file Statistics and Partition
Value Serialization.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from decimal import Decimal
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, TypeAlias, Union
from typing import Any as AnyValue

from deltasql.planner.bounds import Bounds, read_bounds
from deltasql.planner.literals import Value, clock_time, date_days, moment, single
from deltasql.planner.predicates import (
    INTEGRAL,
    All,
    Any,
    Column,
    Comparison,
    Condition,
    Leaf,
    Like,
    NullTest,
    OneOf,
    Unknown,
    condition,
    holds,
    leaves,
)
from deltasql.planner.references import column_references, has_subquery, is_deterministic
from deltasql.planner.timezone import zone as session_zone
from deltasql.schema.types import DecimalType, StructType

if TYPE_CHECKING:
    import pyarrow as pa

    Keep: TypeAlias = Union[pa.ChunkedArray, pa.Array, bool]

_FEW = 16
_FEW_RUNS = 4096


def prune(
    files: pa.Table,
    predicate: str | None,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    *,
    timezone: str | None = None,
) -> pa.Table:
    """The files that may hold a row for which `predicate` is TRUE, in the same order.

    `files` has the columns `partitionValues` (struct of strings) and `stats` (JSON) of `Snapshot.files()`. `alias` may
    qualify columns. Without the session's `timezone`, timestamps that name no zone drop no file.
    """
    if predicate is None or files.num_rows == 0:
        return files
    asked = condition(predicate, schema, partition_columns, alias, timezone)
    files = _filtered(files, _kept(asked, _Partitions(files, timezone).keep))
    columns = {leaf.column for leaf in leaves(asked) if not isinstance(leaf, Unknown) and not leaf.column.partition}
    if not columns or files.num_rows == 0:
        return files
    bounds, partitions = read_bounds(files["stats"], columns), _Partitions(files, timezone)

    def keep(leaf: Leaf) -> Keep:
        return partitions.keep(leaf) if leaf.column.partition else _may_hold(leaf, bounds[leaf.column])

    return _filtered(files, _kept(asked, keep))


def partition_only(predicate: str, partition_columns: Sequence[str], alias: str | None = None) -> bool:
    """Whether partition values alone decide `predicate`: it has no other column, sub-query or random function."""
    if has_subquery(predicate) or not is_deterministic(predicate):
        return False
    names = {name.lower() for name in partition_columns}
    for reference in column_references(predicate):
        parts = [part.lower() for part in reference.parts]
        if alias is not None and len(parts) > 1 and parts[0] == alias.lower():
            parts = parts[1:]
        if len(parts) != 1 or parts[0] not in names:
            return False
    return True


def matches_partition(
    files: pa.Table,
    predicate: str | None,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    *,
    timezone: str | None = None,
) -> pa.Table | None:
    """The files in each of whose rows `predicate`, on partition columns only, is TRUE; None where only Spark can tell.

    For all other files it is TRUE in no row.
    """
    if predicate is None:
        return files
    asked = condition(predicate, schema, partition_columns, alias, timezone)
    if any(isinstance(leaf, Unknown) or leaf.column.partition is None for leaf in leaves(asked)):
        return None
    partitions = _Partitions(files, timezone)
    chosen = _filtered(files, _kept(asked, partitions.keep))
    return chosen if partitions.is_exact else None


# What to keep: a mask with true for each file to keep, or True or False for all of them


def _filtered(files: pa.Table, keep: Keep) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(keep, bool):
        return files if keep else files.slice(0, 0)
    if pc.all(keep, min_count=0).as_py():
        return files
    runs = _runs(keep)
    return files.filter(keep) if runs is None else pa.concat_tables([files.slice(*run) for run in runs])


def _runs(mask: pa.Array | pa.ChunkedArray) -> list[tuple[int, int]] | None:
    """Start and length of each run of true, at least one; None if there are many.

    A slice of a table is no copy; a filter copies the texts of statistics, which takes 2 s for a million files.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    mask = mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask
    changes = pc.indices_nonzero(pc.xor(mask.slice(1), mask.slice(0, len(mask) - 1)))
    if len(changes) > _FEW_RUNS:
        return None
    edges = [0, *(change + 1 for change in changes.to_pylist()), len(mask)]
    first = 0 if mask[0].as_py() else 1
    return [(start, end - start) for start, end in zip(edges[first::2], edges[first + 1 :: 2], strict=False)] or [
        (0, 0)
    ]


def _kept(asked: Condition, of_leaf: Callable[[Leaf], Keep]) -> Keep:
    """What a condition keeps, by what its leaves keep; a part that nothing is known of keeps all."""
    match asked:
        case Unknown():
            return True
        case All() | Any():
            return _combined(isinstance(asked, All), [_kept(part, of_leaf) for part in asked.parts])
    return of_leaf(asked)


def _combined(is_all: bool, parts: Sequence[Keep]) -> Keep:
    import pyarrow.compute as pc

    if any(part is (not is_all) for part in parts):
        return not is_all
    masks = [part for part in parts if not isinstance(part, bool)]
    return reduce(pc.and_ if is_all else pc.or_, masks) if masks else is_all


class _Partitions:
    """Evaluates conditions on partition values: once for each value that occurs, not for each file."""

    def __init__(self, files: pa.Table, timezone: str | None) -> None:
        self._values = files["partitionValues"]
        self._zone = None if timezone is None else session_zone(timezone)
        self.is_exact = True

    def keep(self, leaf: Leaf) -> Keep:
        """Files whose partition value makes `leaf` true; one that cannot be read is kept and spoils `is_exact`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if leaf.column.partition is None:
            return True
        encoded = self._strings(leaf.column).dictionary_encode()
        # The outcome for null, which has no place in the dictionary, stands after those of the values.
        outcomes = [self._outcome(leaf, text) for text in [*encoded.dictionary.to_pylist(), None]]
        return pa.array(outcomes, pa.bool_()).take(pc.fill_null(encoded.indices, len(outcomes) - 1))

    def _strings(self, column: Column) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        names = [field.name for field in self._values.type]
        name = next(item for item in names if item in {column.partition, column.path[0]})
        return pc.struct_field(self._values, name).cast(pa.string()).combine_chunks()

    def _outcome(self, leaf: Leaf, text: str | None) -> bool:
        # An empty string is null for every type.
        if not text:
            return isinstance(leaf, NullTest) and not leaf.negated
        value = _partition_value(leaf.column, text, self._zone)
        if value is None:
            self.is_exact = False
            return True
        return _is_true(leaf, value)


def _partition_value(column: Column, text: str, zone: tzinfo | None) -> Value | None:
    """A partition value as the log spells it, as one that compares; None if it is not understood."""
    try:
        return _PARTITION_VALUES["decimal" if isinstance(column.type, DecimalType) else column.kind](text, zone)
    except (KeyError, ValueError, ArithmeticError):
        return None


_PARTITION_VALUES: Mapping[str, Callable[[str, tzinfo | None], Value | None]] = {
    **dict.fromkeys(INTEGRAL, lambda text, zone: int(text)),
    "decimal": lambda text, zone: value if (value := Decimal(text)).is_finite() else None,
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
            return holds(value, leaf.op, leaf.value)
        case OneOf():
            return (value in leaf.values) != leaf.negated
        case Like():
            return (_pattern(leaf.pattern).fullmatch(str(value)) is not None) != leaf.negated


@lru_cache
def _pattern(like: str) -> re.Pattern[str]:
    parts = ({"%": ".*", "_": "."}.get(char) or re.escape(char) for char in like)
    return re.compile("".join(parts), re.DOTALL)


# Statistics


def _may_hold(leaf: Leaf, bounds: Bounds) -> Keep:
    """Files of which the bounds do not rule out a row for which `leaf` is TRUE."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(leaf, NullTest) and not leaf.negated:
        return _unless_known(pc.greater(bounds.nulls, 0))
    has_values = _unless_known(pc.less(bounds.nulls, bounds.rows))
    if isinstance(leaf, NullTest) or pa.types.is_null(bounds.low.type):
        return has_values
    match leaf:
        case Comparison():
            in_bounds = _compared(leaf.column, leaf.op, leaf.value, bounds)
        case OneOf():
            in_bounds = _one_of(leaf, bounds)
        case Like():
            in_bounds = _like(leaf, bounds)
    return _combined(True, [has_values, in_bounds])


def _unless_known(mask: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.fill_null(mask, True)


def _compared(column: Column, op: str, value: Value, bounds: Bounds) -> Keep:
    import pyarrow as pa
    import pyarrow.compute as pc

    constant = pa.scalar(value, bounds.low.type)
    match op:
        case "=":
            below, above = pc.less_equal(bounds.low, constant), pc.greater_equal(bounds.high, constant)
            return pc.and_(_unless_known(below), _unless_known(above))
        case "<" | "<=":
            return _unless_known((pc.less if op == "<" else pc.less_equal)(bounds.low, constant))
        case ">" | ">=":
            return _unless_known((pc.greater if op == ">" else pc.greater_equal)(bounds.high, constant))
    return _unequal(column, [value], bounds)


def _unequal(column: Column, values: Sequence[Value], bounds: Bounds) -> Keep:
    """Drops files in which every row has one and the same of `values`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # Bounds of floats hide NaN, those of timestamps are cut, and a long string may stand for others.
    exact = [value for value in values if not isinstance(value, str) or len(value) < 32]
    if column.kind not in {*INTEGRAL, "decimal", "date", "string"} or not exact:
        return True
    is_constant = pc.equal(bounds.low, bounds.high)
    is_listed = pc.is_in(bounds.low, value_set=pa.array(exact, bounds.low.type))
    return pc.invert(pc.fill_null(pc.and_(is_constant, is_listed), False))


def _one_of(leaf: OneOf, bounds: Bounds) -> Keep:
    """Files whose range holds one of the values."""
    import pyarrow as pa

    if leaf.negated:
        return _unequal(leaf.column, leaf.values, bounds)
    if len(leaf.values) <= _FEW:
        return _combined(False, [_compared(leaf.column, "=", value, bounds) for value in leaf.values])
    values = sorted(set(leaf.values))
    ranges = zip(bounds.low.to_pylist(), bounds.high.to_pylist(), strict=True)
    return pa.array([_range_holds(low, high, values) for low, high in ranges], pa.bool_())


def _range_holds(low: AnyValue, high: AnyValue, values: Sequence[AnyValue]) -> bool:
    first = 0 if low is None else bisect_left(values, low)
    return first < len(values) and (high is None or values[first] <= high)


def _like(leaf: Like, bounds: Bounds) -> Keep:
    """Files whose range holds a string that begins as the pattern does."""
    import pyarrow.compute as pc

    prefix = leaf.prefix
    if leaf.negated or not prefix:
        return True
    if prefix == leaf.pattern:
        return _compared(leaf.column, "=", prefix, bounds)
    below = pc.less_equal(pc.utf8_slice_codeunits(bounds.low, 0, len(prefix)), prefix)
    return pc.and_(_unless_known(below), _unless_known(pc.greater_equal(bounds.high, prefix)))
