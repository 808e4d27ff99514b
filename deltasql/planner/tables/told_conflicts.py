"""What of other writers' commits would disturb a change, as EXPLAIN tells it. How it is judged is in `log.commit`."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import ISOLATION_LEVEL
from deltasql.log.protocol.protocol import Protocol
from deltasql.plan.reads import Reads
from deltasql.planner.changes import LayoutChange, RowChange, TableChange


def conflict_lines(change: TableChange | RowChange | LayoutChange) -> list[str]:
    """What the change has read, and what another commit must not do with that meanwhile; none for a new table."""
    snapshot = change.commit.snapshot
    if snapshot is None:
        return []
    return [
        "== Conflicts ==",
        *_read(change.commit.reads, snapshot.version),
        *_judged(change, snapshot.properties[ISOLATION_LEVEL]),
    ]


def _read(reads: Reads | None, version: int) -> Iterator[str]:
    if reads is None:
        yield "read: no rows"
        return
    files = f"{len(reads.files)} file{'' if len(reads.files) == 1 else 's'}"
    predicate = " ".join((reads.predicate or "").split())
    where = f" where {predicate}" if predicate not in {"", "TRUE"} and not reads.whole_table else ""
    yield f"read: {'the whole table' if reads.whole_table else files} of version {version}{where}"


def _judged(change: TableChange | RowChange | LayoutChange, level: str) -> Iterator[str]:
    if any(isinstance(action, (Metadata, Protocol)) for action in change.commit.actions):
        yield "conflicts with: other changes of schema, properties or features"
    if change.commit.reads is None:
        return
    if isinstance(change, RowChange) and change.rows.probe is not None:
        yield f"conflicts with: changes of the same rows ({level})"
        return
    if isinstance(change, LayoutChange):
        yield "conflicts with: removals of these files, as far as their rows cannot be moved after"
        return
    yield f"conflicts with: removals of these files, and new rows that may belong to what was read ({level})"
    if isinstance(change, RowChange) and change.rows.advice:
        yield f"rows are not told apart: {change.rows.advice}"
