"""Whether concurrent statements came to what some serial order gives: rows in, verdict out.

Only rows count here, not files: what a table holds must be what the statements give one after another.
Source: Delta Lake documentation, Isolation levels.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Order = tuple[str, ...]
"""Statements by their labels, one after another."""

MOST_STATEMENTS = 5
"""Of more statements the orders are too many to run: six have 720."""


@dataclass(frozen=True, slots=True)
class SerialRows:
    """What the check query gave: its columns, then its rows in any order, as text."""

    columns: str
    rows: tuple[str, ...]

    def same(self, other: SerialRows | None) -> bool:
        return other is not None and self.columns == other.columns and Counter(self.rows) == Counter(other.rows)


RunSerially = Callable[[Order], "SerialRows | None"]
"""The rows after these statements on a fresh table; None where one of them fails."""


def allowed_orders(commits: Order, any_order: bool, idle: Sequence[str] = ()) -> Iterator[Order]:
    """The serial orders that may explain `commits`, which stand in the order of the history: that one first.

    Serializable allows that order alone, WriteSerializable (`any_order`) every one. `idle` statements have committed
    no version. They may have come at any time: at best they are left out.
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
    """The first of the orders that gives the rows, or None."""
    return next((order for order in orders if rows.same(run(order))), None)


def with_change(rows: SerialRows, before: SerialRows | None, after: SerialRows | None) -> SerialRows | None:
    """`rows` with the rows deleted and added that tell `after` from `before`; None where they are not there.

    So a refused statement would have left the table, had its rows been merged with those of the others.
    """
    if before is None or after is None or not rows.columns == before.columns == after.columns:
        return None
    old, new, present = Counter(before.rows), Counter(after.rows), Counter(rows.rows)
    gone = old - new
    if gone - present:
        return None
    return SerialRows(rows.columns, tuple((present - gone + (new - old)).elements()))
