"""The section of EXPLAIN on concurrent commits that would conflict with a change. The rules are in `log.commit`."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.errors.base import counted
from deltasql.log.actions.actions import Metadata
from deltasql.log.commit.conflict import IsolationLevel
from deltasql.log.properties.property_registry import ISOLATION_LEVEL
from deltasql.plan.reads import Reads
from deltasql.planner.changes import LayoutChange, RowChange, TableChange


def conflict_lines(change: TableChange | RowChange | LayoutChange) -> list[str]:
    """The read set of the change, and the concurrent commits that conflict with it; none for a new table."""
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
    files = counted(len(reads.files), "files")
    predicate = " ".join((reads.predicate or "").split())
    where = f" where {predicate}" if predicate not in {"", "TRUE"} and not reads.whole_table else ""
    yield f"read: {'the whole table' if reads.whole_table else files} of version {version}{where}"


def _judged(change: TableChange | RowChange | LayoutChange, level: str) -> Iterator[str]:
    yield "conflicts with: changes of schema, properties or features"
    if change.commit.reads is None:
        return
    if isinstance(change, LayoutChange):
        yield "conflicts with: removals of these files, as far as their rows cannot be moved after"
        return
    by_rows = isinstance(change, RowChange) and change.rows.probe is not None
    touched = "changes of the same rows" if by_rows else "removals of these files"
    # Whoever writes new metadata has looked at all rows, whatever the level.
    writes_metadata = any(isinstance(action, Metadata) for action in change.commit.actions)
    lenient = level == IsolationLevel.WRITE_SERIALIZABLE.value and not writes_metadata
    appends = f"appends alone do not conflict ({level})" if lenient else "appends too"
    yield f"conflicts with: {touched}, and new rows that it should have read; {appends}"
    if isinstance(change, RowChange) and change.rows.advice:
        yield f"note: {change.rows.advice}"
