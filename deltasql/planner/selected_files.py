"""The files of a snapshot that a query has to read."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.lazy import pa
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.context import Context
from deltasql.settings.write_settings import STATISTICS_SKIP
from deltasql.skipping.predicates import condition
from deltasql.skipping.pruning import first_files, skip_files


def selected_files(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None,
    alias: str | None,
    columns: Sequence[str],
    enough: int | None,
) -> tuple[pa.Table, int]:
    """The files that may hold a row for which `predicate` is TRUE, and how many there are in all."""
    if predicate is None and enough is None:
        files = snapshot.files(columns)
        return files, files.num_rows
    zone, partitions = context.time_zone, snapshot.partition_columns
    selection = None if predicate is None else condition(predicate, snapshot.schema, partitions, alias, zone)
    by_statistics = context.setting(STATISTICS_SKIP)
    if enough is not None and by_statistics:
        first = snapshot.read_files(lambda files: first_files(files, selection, columns, enough, zone))
        if first is not None:
            return first
    return snapshot.read_files(lambda files: skip_files(files, selection, columns, zone, by_statistics=by_statistics))
