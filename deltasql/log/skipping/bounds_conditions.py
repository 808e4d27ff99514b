"""Conditions on data columns, decided by the bounds of each file. Source: Delta protocol, Per-file Statistics."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import pa, pc
from deltasql.log.skipping.conditions import INTEGRAL, BoundedColumn, Comparison, Leaf, Like, NullTest, OneOf, Unknown
from deltasql.log.skipping.file_masks import combined
from deltasql.sql.literals import Value

if TYPE_CHECKING:
    from deltasql.log.skipping.column_bounds import Bounds
    from deltasql.log.skipping.file_masks import FileMask

_FEW = 16


def may_match(leaf: Leaf, bounds: Bounds, *, ignores_nan: bool = True) -> FileMask:
    """Files of which the bounds do not rule out a row for which `leaf` is TRUE.

    `ignores_nan`: upper bounds of floats may leave out NaN, the greatest value.
    """
    from deltasql.schema.arrow_values import ZERO

    if isinstance(leaf, NullTest) and not leaf.negated:
        return true_if_null(pc.greater(bounds.nulls, ZERO))
    has_values = true_if_null(pc.less(bounds.nulls, bounds.rows))
    if isinstance(leaf, NullTest) or pa.types.is_null(bounds.low.type):
        return has_values
    in_bounds: FileMask
    match leaf:
        case Comparison() if ignores_nan and depends_on_nan(leaf):
            in_bounds = True
        case Comparison():
            in_bounds = _compared(leaf.column, leaf.op, leaf.value, bounds)
        case OneOf():
            in_bounds = _one_of(leaf, bounds)
        case Like():
            in_bounds = _like(leaf, bounds)
    return combined(True, [has_values, in_bounds])


def depends_on_nan(leaf: Leaf | Unknown) -> bool:
    """Whether `leaf` is TRUE for NaN."""
    return isinstance(leaf, Comparison) and ">" in leaf.op and leaf.column.kind in {"float", "double"}


def true_if_null(mask: pa.ChunkedArray) -> pa.ChunkedArray:
    from deltasql.schema.arrow_values import TRUE

    return pc.fill_null(mask, TRUE)


def constants(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    """Values of a predicate as they compare with bounds of this type."""
    from deltasql.schema.arrow_values import strings

    texts = [format(value, "f") if isinstance(value, Decimal) else str(value) for value in values]
    return strings(texts).cast(kind)


def _compared(column: BoundedColumn, op: str, value: Value, bounds: Bounds) -> FileMask:
    constant = constants([value], bounds.low.type)[0]
    match op:
        case "=":
            below, above = pc.less_equal(bounds.low, constant), pc.greater_equal(bounds.high, constant)
            return pc.and_(true_if_null(below), true_if_null(above))
        case "<" | "<=":
            return true_if_null((pc.less if op == "<" else pc.less_equal)(bounds.low, constant))
        case ">" | ">=":
            return true_if_null((pc.greater if op == ">" else pc.greater_equal)(bounds.high, constant))
    return _unequal(column, [value], bounds)


def _unequal(column: BoundedColumn, values: Sequence[Value], bounds: Bounds) -> FileMask:
    """Drops files in which every row has one and the same of `values`."""
    # Bounds of floats hide NaN, those of timestamps are cut, and a long string may stand for others.
    exact = [value for value in values if not isinstance(value, str) or len(value) < 32]
    if column.kind not in {*INTEGRAL, "decimal", "date", "string"} or not exact:
        return True
    is_constant = pc.equal(bounds.low, bounds.high)
    is_listed = pc.is_in(bounds.low, options=pc.SetLookupOptions(constants(exact, bounds.low.type)))
    return true_if_null(pc.invert(pc.and_(is_constant, is_listed)))


def _one_of(leaf: OneOf, bounds: Bounds) -> FileMask:
    """Files whose range holds one of the values."""
    from deltasql.schema.arrow_values import flags

    if leaf.negated:
        return _unequal(leaf.column, leaf.values, bounds)
    if len(leaf.values) <= _FEW:
        return combined(False, [_compared(leaf.column, "=", value, bounds) for value in leaf.values])
    values = sorted(set(leaf.values))
    ranges = zip(bounds.low.to_pylist(), bounds.high.to_pylist(), strict=True)
    return flags([_range_contains(low, high, values) for low, high in ranges])


def _range_contains(low: Any, high: Any, values: Sequence[Any]) -> bool:
    first = 0 if low is None else bisect_left(values, low)
    return first < len(values) and (high is None or values[first] <= high)


def _like(leaf: Like, bounds: Bounds) -> FileMask:
    """Files whose range holds a string that begins as the pattern does."""
    prefix = leaf.prefix
    if leaf.negated or not prefix:
        return True
    if prefix == leaf.pattern:
        return _compared(leaf.column, "=", prefix, bounds)
    constant = constants([prefix], bounds.low.type)[0]
    below = pc.less_equal(pc.utf8_slice_codeunits(bounds.low, 0, len(prefix)), constant)
    return pc.and_(true_if_null(below), true_if_null(pc.greater_equal(bounds.high, constant)))
