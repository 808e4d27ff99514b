"""Space-filling curves through the ranges of several columns: rows close in all of them get numbers that are close.

A row's values become numbers of ranges, `bits` bits each, from a sample of the rows. The bits of one level, one of each
column, are a digit; the digits from the highest level down are the row's place on the curve. On the Z-order curve they
stand as they are. On Hilbert's each is turned as the part of the curve that it lies on is turned: `Turns` has those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from deltasql.base import np
from deltasql.plan import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MOST_BITS = 10
"""A column is cut into 1024 ranges at most."""
_POSITION_BITS = 62


def range_bits(columns: int, sampled: int) -> int:
    """Bits for the range of each column: no more than the sample can tell apart, and all of them in one BIGINT."""
    return max(1, min(MOST_BITS, sampled.bit_length(), _POSITION_BITS // columns))


def boundaries(values: Sequence[Any], bits: int) -> list[Any]:
    """The 2^bits - 1 values between ranges that hold about as many of `values` each; none where there are none."""
    ordered = sorted(value for value in values if value is not None)
    count = 1 << bits
    return [ordered[index * len(ordered) // count] for index in range(1, count)] if ordered else []


@dataclass(frozen=True, slots=True)
class Turns:
    """Hilbert's curve in some dimensions: for a state and a digit, `state << columns | digit`, the next of both."""

    digits: tuple[int, ...]
    states: tuple[int, ...]


@dataclass(frozen=True)
class Line:
    """A curve through the grid of some columns with 2^bits ranges each."""

    curve: Curve
    columns: int
    bits: int

    @cached_property
    def turns(self) -> Turns | None:
        """None where digits stand as they are."""
        return hilbert_turns(self.columns) if self.curve is Curve.HILBERT and self.columns > 1 else None

    def positions(self, ranges: Sequence[Numbers]) -> Numbers:
        """The places of some rows, given the numbers of their ranges by column."""
        position, state = np.zeros(len(ranges[0]), np.int64), np.zeros(len(ranges[0]), np.int64)
        for level in reversed(range(self.bits)):
            digit = sum(((numbers >> level) & 1) << (self.columns - 1 - i) for i, numbers in enumerate(ranges))
            if self.turns is not None:
                key = state << self.columns | digit
                digit, state = np.array(self.turns.digits)[key], np.array(self.turns.states)[key]
            position = position << self.columns | digit
        return position


@lru_cache
def hilbert_turns(columns: int) -> Turns:
    """The turns in so many dimensions. A state is where a part of the curve begins, and in which direction it goes.

    Source: Hamilton, Compact Hilbert Indices, 2006.
    """
    size = 1 << columns
    digits, states = [0] * (columns << 2 * columns), [0] * (columns << 2 * columns)
    for direction in range(columns):
        for entry in range(size):
            for digit in range(size):
                rank = _gray_inverse(_rotated(digit ^ entry, -(direction + 1), columns))
                begin = entry ^ _rotated(_entry(rank), direction + 1, columns)
                turned = (direction + _direction(rank, columns) + 1) % columns
                key = (direction * size + entry) << columns | digit
                digits[key], states[key] = rank, turned * size + begin
    return Turns(tuple(digits), tuple(states))


def _rotated(value: int, left: int, columns: int) -> int:
    left %= columns
    return (value << left | value >> (columns - left)) & ((1 << columns) - 1)


def _gray_inverse(value: int) -> int:
    rank = 0
    while value:
        rank, value = rank ^ value, value >> 1
    return rank


def _entry(corner: int) -> int:
    """Where the curve enters its part number `corner`."""
    if corner == 0:
        return 0
    even = (corner - 1) // 2 * 2
    return even ^ even >> 1


def _direction(corner: int, columns: int) -> int:
    """Along which column it leaves that part."""
    if corner == 0:
        return 0
    odd = corner if corner % 2 else corner - 1
    return ((odd + 1 & -(odd + 1)).bit_length() - 1) % columns


SAMPLED_ROWS = 1 << 16
"""64 for each of 1024 ranges: the share of rows in a range is then exact to about a fifth."""
SEED = 17
