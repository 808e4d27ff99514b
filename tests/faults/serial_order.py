"""Searches the serial order that explains what concurrent statements on one table have told and read.

Rows are `(kind, key, n, tag)`: of the kind `l` elements of lists, of the kind `c` counters. Every write has a tag of
its own, so that each version's rows say which write has made it, acknowledged or not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Row = tuple[str, int, int, str]


@dataclass(frozen=True)
class Operation:
    """A write of one table, or a read. `end` is None where its process was killed before it had told.

    An append adds the row of its key, an increment counts up its keys, `both` is a transaction of the two, a removal
    takes away the element with the tag `of`. `layout` changes no row.
    """

    do: str
    tag: str
    begin: float
    keys: tuple[int, ...] = ()
    of: str = ""
    end: float | None = None
    version: int | None = None
    rows: tuple[Row, ...] | None = None
    failed: bool = False


def after(rows: Mapping[Row, int], operation: Operation) -> dict[Row, int]:
    """The rows with how often each is there, once the operation is done."""
    found = dict(rows)
    if operation.do in {"increment", "both"}:
        for kind, key, n, tag in rows:
            if kind == "c" and key in operation.keys:
                del found[kind, key, n, tag]
                found[kind, key, n + 1, operation.tag] = 1
    if operation.do in {"append", "both"}:
        row = ("l", operation.keys[0], 0, operation.tag)
        found[row] = found.get(row, 0) + 1
    if operation.do == "remove":
        found = {row: count for row, count in found.items() if not (row[0] == "l" and row[3] == operation.of)}
    return found


def counted(rows: Sequence[Row]) -> dict[Row, int]:
    found: dict[Row, int] = defaultdict(int)
    for row in rows:
        found[row] += 1
    return dict(found)


def faults(operations: Sequence[Operation], versions: Sequence[Sequence[Row]]) -> Iterator[str]:
    """What no serial order explains. `versions` has the rows of each version; number 0 comes before all operations."""
    states = [counted(rows) for rows in versions]
    order: dict[int, Operation] = {}
    for operation in operations:
        if operation.version is not None and not operation.failed:
            if operation.version in order or not 0 < operation.version < len(states):
                yield f"version {operation.version} of {operation} is taken or not there"
            order[operation.version] = operation
    open_ones = {item.tag: item for item in operations if item.end is None and item.do != "read"}
    for number in range(1, len(states)):
        known = order.get(number)
        if known is None:
            known = next(
                (item for item in open_ones.values() if after(states[number - 1], item) == states[number]), None
            )
            if known is None:
                yield f"no statement explains version {number}"
                continue
            order[number] = open_ones.pop(known.tag)
        elif after(states[number - 1], known) != states[number]:
            yield f"version {number} is not what {known} makes of the version before"
    yield from _late_writes(order)
    yield from _wrong_reads(operations, states, order)


def _late_writes(order: Mapping[int, Operation]) -> Iterator[str]:
    """What had ended before another began comes before it."""
    latest = float("-inf")
    for number in sorted(order):
        operation = order[number]
        if operation.end is not None and operation.end < latest:
            yield f"version {number} had been told before one of an earlier version began: {operation}"
        latest = max(latest, operation.begin)


def _wrong_reads(
    operations: Sequence[Operation], states: Sequence[Mapping[Row, int]], order: Mapping[int, Operation]
) -> Iterator[str]:
    """Each read is of a version that was there in its time, and none is older than what was told or read before."""
    places: dict[frozenset[tuple[Row, int]], list[int]] = defaultdict(list)
    for number, state in enumerate(states):
        places[frozenset(state.items())].append(number)
    told = [(item.end, number) for number, item in order.items() if item.end is not None]
    reads = [item for item in operations if item.rows is not None and item.end is not None]
    for read in sorted(reads, key=lambda item: item.end or 0.0):
        assert read.rows is not None
        assert read.end is not None
        least = max((number for end, number in told if end < read.begin), default=0)
        fitting = places.get(frozenset(counted(read.rows).items()), [])
        at = bisect_left(fitting, least)
        if at == len(fitting):
            yield f"a read fits {fitting or 'no version'}, and version {least} had been told before it began: {read}"
        elif fitting[at] in order and order[fitting[at]].begin > read.end:
            yield f"a read saw version {fitting[at]} before it was begun: {read}"
        else:
            told.append((read.end, fitting[at]))
