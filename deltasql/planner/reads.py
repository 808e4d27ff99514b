"""What a statement depends on: files of its target, or all of it where its own queries read it as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deltasql.plan.operators import Operator, Rewrite, Scan, children
from deltasql.planner.changes import Reads

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.snapshot import Snapshot

WHOLE_TABLE = Reads("TRUE", whole_table=True)


def reads_of(operator: Rewrite, predicate: str | None) -> Reads:
    """The target's files that the rewrite looks at, which `predicate` chose; all where its queries read the table."""
    target = operator.target
    others = (child for child in children(operator) if child is not target)
    if any(_reads(child, target.table, target.version) for child in others):
        return WHOLE_TABLE
    return Reads(predicate, tuple(target.files.column("path").to_pylist()))


def reads_of_files(files: pa.Table, predicate: str) -> Reads:
    """Some files that go, chosen by `predicate`."""
    return Reads(predicate, tuple(files.column("path").to_pylist()))


def reads_table(rows: Operator, snapshot: Snapshot) -> bool:
    """Whether a query looks at the table whose snapshot this is, by itself or through views."""
    return _reads(rows, snapshot.table, snapshot.version)


def _reads(rows: Operator, table: str, version: int) -> bool:
    # An older version does not change any more, so that nothing depends on what others commit.
    return any((scan.table, scan.version) == (table, version) for scan in scans(rows))


def scans(operator: Operator) -> Iterator[Scan]:
    """The scans at or below an operator."""
    if isinstance(operator, Scan):
        yield operator
    for child in children(operator):
        yield from scans(child)
