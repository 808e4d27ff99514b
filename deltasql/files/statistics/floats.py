"""Exact bounds of floating-point columns, which footers written by Arrow lack.

Those ignore NaN, and have -0.0 as the lower and 0.0 as the upper bound of zeros.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from deltasql.base.lazy import np, pa, pc
from deltasql.files.statistics.of_footers import FloatBounds


class FloatRange(NamedTuple):
    """Least and greatest number, None if there are no numbers, and whether a value is NaN."""

    low: float | None = None
    high: float | None = None
    nan: bool = False

    def united(self, other: FloatRange) -> FloatRange:
        """The range of the union of the values of both ranges."""
        lows = [value for value in (self.low, other.low) if value is not None]
        highs = [value for value in (self.high, other.high) if value is not None]
        low, high = min(lows, key=_order, default=None), max(highs, key=_order, default=None)
        return FloatRange(low, high, self.nan or other.nan)

    @property
    def bounds(self) -> FloatBounds:
        """Lower and upper bound; the upper one is None if a value is NaN, which is greater than every number."""
        return self.low, None if self.nan else self.high


def _order(value: float) -> tuple[float, float]:
    """Sort key by which -0.0 is less than 0.0."""
    return value, math.copysign(1, value)


def float_bounds(table: pa.Table) -> dict[str, FloatBounds]:
    """The bounds of the floating-point columns, including those in structs, by dotted path."""
    return {path: item.bounds for path, item in float_ranges(table).items()}


def float_ranges(table: pa.Table) -> dict[str, FloatRange]:
    """The ranges of the floating-point columns, including those in structs, by dotted path."""
    return dict(
        item for field, column in zip(table.schema, table.columns, strict=True) for item in _ranges(field.name, column)
    )


def united(several: Iterable[Mapping[str, FloatRange]]) -> dict[str, FloatRange]:
    """The ranges by path over the rows of several tables."""
    merged: dict[str, FloatRange] = {}
    for ranges in several:
        for path, item in ranges.items():
            merged[path] = merged.get(path, FloatRange()).united(item)
    return merged


def has_floats(kind: pa.DataType) -> bool:
    """Whether a type is FLOAT or DOUBLE, or a struct that contains one at any depth."""
    if pa.types.is_struct(kind):
        return any(has_floats(field.type) for field in kind)
    return bool(pa.types.is_floating(kind))


def _ranges(path: str, column: pa.ChunkedArray) -> Iterator[tuple[str, FloatRange]]:
    if pa.types.is_struct(column.type):
        for index, field in enumerate(column.type):
            yield from _ranges(f"{path}.{field.name}", pc.struct_field(column, [index]))
    elif pa.types.is_floating(column.type):
        merged = FloatRange()
        for chunk in column.chunks:
            merged = merged.united(_of_chunk(chunk))
        yield path, merged


def _of_chunk(chunk: pa.Array) -> FloatRange:
    values = (chunk.drop_null() if chunk.null_count else chunk).to_numpy()
    unknown = np.isnan(values)
    nan = bool(unknown.any())
    numbers = values[~unknown] if nan else values
    if not numbers.size:
        return FloatRange(nan=nan)
    low, high = numbers.min(), numbers.max()
    if low == 0 or high == 0:
        negative = np.signbit(numbers[numbers == 0])
        low = np.copysign(low, -1.0 if negative.any() else 1.0) if low == 0 else low
        high = np.copysign(high, -1.0 if negative.all() else 1.0) if high == 0 else high
    return FloatRange(float(low), float(high), nan)
