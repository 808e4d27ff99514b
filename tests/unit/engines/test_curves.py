from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from deltasql.engines.curves import Line, boundaries, hilbert_turns, range_bits
from deltasql.engines.spark.rewrites.arrange import search_steps
from deltasql.plan.operators import Curve


def cells(columns: int, bits: int) -> list[tuple[int, ...]]:
    return list(product(range(1 << bits), repeat=columns))


def places(curve: Curve, columns: int, bits: int) -> list[int]:
    """The place of every cell of the grid."""
    grid = np.array(cells(columns, bits), np.int64)
    found = Line(curve, columns, bits).positions([grid[:, index] for index in range(columns)])
    return [int(place) for place in found]


@pytest.mark.parametrize(("columns", "bits"), [(1, 5), (2, 1), (2, 5), (3, 1), (3, 3), (4, 1), (4, 2)])
def test_hilberts_curve_meets_every_cell_and_only_steps_to_neighbours(columns: int, bits: int) -> None:
    found = places(Curve.HILBERT, columns, bits)
    assert sorted(found) == list(range(1 << columns * bits))
    path = [cell for _, cell in sorted(zip(found, cells(columns, bits), strict=True))]
    steps = {sum(abs(a - b) for a, b in zip(left, right, strict=True)) for left, right in pairwise(path)}
    assert steps == {1}


def test_the_z_order_curve_interleaves_bits() -> None:
    line = Line(Curve.ZORDER, 2, 3)
    assert line.turns is None
    found = line.positions([np.array([0b101, 0b111]), np.array([0b010, 0b000])])
    assert found.tolist() == [0b100110, 0b101010]


def test_turns_are_one_table_for_all_states() -> None:
    for columns in (2, 3, 4):
        turns = hilbert_turns(columns)
        assert len(turns.digits) == len(turns.states) == columns << 2 * columns
        assert max(turns.states) < columns << columns


def test_boundaries_cut_a_sample_into_equal_parts() -> None:
    assert boundaries([5, None, 1, 3, 2, 4, 6, 8, 7], 2) == [3, 5, 7]
    assert boundaries(["b"], 2) == ["b", "b", "b"]
    assert boundaries([None, None], 3) == []
    assert list(search_steps(3)) == [4, 2, 1]


@pytest.mark.parametrize(("columns", "sampled", "bits"), [(1, 0, 1), (2, 3, 2), (2, 10**5, 10), (8, 10**5, 7)])
def test_bits_fit_the_sample_and_one_number(columns: int, sampled: int, bits: int) -> None:
    assert range_bits(columns, sampled) == bits
    assert columns * bits <= 62
