"""The rows of a table of another format."""

from __future__ import annotations

from deltasql.catalog.definitions import TableSource
from deltasql.catalog.entries import TableEntry
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName
from deltasql.plan.operators import SourceFiles
from deltasql.planner.context import Context
from deltasql.planner.foreign.snapshots import source_snapshot
from deltasql.planner.selected_files import selected_files


def foreign_snapshot(context: Context, entry: TableEntry, name: TableName) -> Snapshot:
    """The files of a table of another format. Raises DeltaOnlyError for another version of them."""
    if name.temporal is not None:
        raise context.delta_only(name, entry, "time travel")
    return source_snapshot(context, entry, str(name))


def file_rows(
    context: Context, source: TableSource, snapshot: Snapshot, predicate: str | None, alias: str, *, described: bool
) -> SourceFiles:
    """The rows of those files of a table that may hold one for which `predicate` is TRUE, by Spark's reader."""
    files, _ = selected_files(context, snapshot, predicate, alias, ("location", "size"), None)
    paths, sizes = (files.column(name).to_pylist() for name in ("location", "size"))
    schema = snapshot.schema
    return SourceFiles(
        snapshot.location, source.format, tuple(paths), sum(sizes), source.options, described, {}, schema, True
    )
