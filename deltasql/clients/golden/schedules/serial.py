"""Checks of serializability: whether some serial order of concurrent statements explains their result. Pure.

Only rows are compared, not files.
Source: Delta Lake documentation, Isolation levels.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Order = tuple[str, ...]
"""A serial order of statements, by their labels."""

MOST_STATEMENTS = 5
"""Most statements for which all orders are run: six would have 720."""


@dataclass(frozen=True, slots=True)
class SerialRows:
    """Result of the check query as text: its columns, and its rows in any order."""

    columns: str
    rows: tuple[str, ...]

    def same(self, other: SerialRows | None) -> bool:
        return other is not None and self.columns == other.columns and Counter(self.rows) == Counter(other.rows)


RunSerially = Callable[[Order], "SerialRows | None"]
"""The rows after serial execution of these statements on the setup; None if one of them fails."""


def allowed_orders(commits: Order, any_order: bool, idle: Sequence[str] = ()) -> Iterator[Order]:
    """The serial orders that may explain `commits`, which are in order of versions; that order comes first.

    Serializable allows that order alone, WriteSerializable (`any_order`) every one. `idle` statements, which have
    committed no version, may be anywhere: orders without them come first.
    """
    orders: Iterable[Order] = itertools.permutations(commits) if any_order else (commits,)
    yield from orders
    for number in range(1, len(idle) + 1):
        for chosen in itertools.permutations(idle, number):
            yield from _with_inserted(commits, chosen, any_order)


def _with_inserted(commits: Order, idle: Order, any_order: bool) -> Iterator[Order]:
    for order in itertools.permutations((*commits, *idle)):
        if any_order or tuple(label for label in order if label in commits) == commits:
            yield order


def explaining(rows: SerialRows, orders: Iterable[Order], run: RunSerially) -> Order | None:
    """The first of the orders that results in `rows`, or None."""
    return next((order for order in orders if rows.same(run(order))), None)


def with_change(rows: SerialRows, before: SerialRows | None, after: SerialRows | None) -> SerialRows | None:
    """`rows` with the difference from `before` to `after` applied; None if rows to delete are missing.

    This is the result if the changes of a refused statement had been committed after those of the others.
    """
    if before is None or after is None or not rows.columns == before.columns == after.columns:
        return None
    old, new, present = Counter(before.rows), Counter(after.rows), Counter(rows.rows)
    gone = old - new
    if gone - present:
        return None
    return SerialRows(rows.columns, tuple((present - gone + (new - old)).elements()))
