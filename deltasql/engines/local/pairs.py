"""In-process joins of small tables."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import Numbers, np, pc
from deltasql.engines.local.values import BoundRows, indexes_where, values
from deltasql.files.thresholds import JOINED_PAIRS
from deltasql.schema.types import BOOLEAN, DOUBLE
from deltasql.sql.evaluated.expressions import ColumnOf, Compared, Joined, RowExpression, Widened

_TOO_MANY_PAIRS = f"more than {JOINED_PAIRS:,} pairs of rows meet"


def equal_pairs(left: BoundRows, right: BoundRows, on: RowExpression) -> tuple[Numbers, Numbers]:
    """Row indexes, left and right, of the pairs of rows for which `on` is TRUE, ordered by the left index.

    Raises LeftToEngineError where more than JOINED_PAIRS pairs would have to be evaluated.
    """
    first, second = _candidates(left, right, on)
    hit = indexes_where(on, paired(left, first, right, second))
    return first[hit], second[hit]


def paired(left: BoundRows, first: Numbers, right: BoundRows, second: Numbers) -> BoundRows:
    """Joined rows: the left row with each index in `first`, beside the right row with the index in `second`."""
    return BoundRows({**left.at(first).tables, **right.at(second).tables}, len(first))


def _candidates(left: BoundRows, right: BoundRows, on: RowExpression) -> tuple[Numbers, Numbers]:
    """Row indexes of a superset of the pairs for which `on` is TRUE: those equal in one equality of `on`, else all."""
    for key in equalities(on):
        sides = {_alias(key.left): key.left, _alias(key.right): key.right}
        mine = [sides[alias] for alias in left.tables if alias in sides]
        others = [sides[alias] for alias in right.tables if alias in sides]
        if len(mine) == len(others) == 1:
            return _with_equal(left, mine[0], right, others[0])
    if left.count * right.count > JOINED_PAIRS:
        raise LeftToEngineError(_TOO_MANY_PAIRS)
    return np.repeat(np.arange(left.count), right.count), np.tile(np.arange(right.count), left.count)


def equalities(on: RowExpression) -> Iterator[Compared]:
    """Equalities that `on` implies, over types that allow a lookup: no BOOLEAN, and no DOUBLE, which has two zeros."""
    match on:
        case Compared("=") as comparison if comparison.left.type not in {BOOLEAN, DOUBLE}:
            yield comparison
        case Joined("AND", parts):
            for part in parts:
                yield from equalities(part)


def _alias(side: RowExpression) -> str | None:
    """Alias of the table whose column, possibly widened, a side of a comparison is; None for any other expression."""
    match side:
        case ColumnOf(alias):
            return alias
        case Widened(value):
            return _alias(value)
        case _:
            return None


def _with_equal(
    left: BoundRows, mine: RowExpression, right: BoundRows, others: RowExpression
) -> tuple[Numbers, Numbers]:
    """Row indexes, left and right, of all pairs with equal values; NULL equals nothing."""
    left_values, right_values = values(mine, left), values(others, right)
    distinct = pc.unique(right_values).drop_null()
    codes = pc.index_in(left_values, value_set=distinct, skip_nulls=True)
    their_codes = pc.fill_null(pc.index_in(right_values, value_set=distinct, skip_nulls=True), len(distinct)).to_numpy()
    order = np.argsort(their_codes, kind="stable")
    at = np.flatnonzero(pc.is_valid(codes).to_numpy(zero_copy_only=False))
    indexes = pc.drop_null(codes).to_numpy(zero_copy_only=False)
    starts, ends = (np.searchsorted(their_codes[order], indexes, side=side) for side in ("left", "right"))
    times = ends - starts
    if times.sum() > JOINED_PAIRS:
        raise LeftToEngineError(_TOO_MANY_PAIRS)
    # The places behind each start, one after another.
    steps = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    return np.repeat(at, times), order[np.repeat(starts, times) + steps]
