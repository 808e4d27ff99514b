"""The files of a snapshot that a query has to read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from deltasql.datafiles.inspection import sure_bounds
from deltasql.errors.log import PartitionTextError
from deltasql.lazy import pa
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.context import Context
from deltasql.schema.text import sql_text
from deltasql.settings.write_settings import STATISTICS_SKIP
from deltasql.skipping.partition_conditions import unreadable_text
from deltasql.skipping.predicates import condition, find_column
from deltasql.skipping.pruning import first_files, skip_files


def selected_files(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None,
    alias: str | None,
    columns: Sequence[str],
    enough: int | None,
) -> tuple[pa.Table, int]:
    """The files that may hold a row for which `predicate` is TRUE, and how many there are in all.

    Raises PartitionTextError.
    """
    needed = tuple(dict.fromkeys((*columns, *(("partitionValues",) if snapshot.partition_columns else ()))))
    files, total = _selected(context, snapshot, predicate, alias, needed, enough)
    check_partitions(files, snapshot)
    return files.select(columns), total


def check_partitions(files: pa.Table, snapshot: Snapshot) -> None:
    """Raises PartitionTextError for a partition value that is not of the type of its column."""
    for name in snapshot.partition_columns:
        column = find_column((name,), snapshot.schema, snapshot.partition_columns)
        text = None if column is None else unreadable_text(files["partitionValues"], column)
        if column is not None and text is not None:
            raise PartitionTextError(text, name, sql_text(column.type), snapshot.table)


def _selected(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None,
    alias: str | None,
    columns: Sequence[str],
    enough: int | None,
) -> tuple[pa.Table, int]:
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
    count_nan = partial(sure_bounds, context.analyst.stores)
    skip = partial(skip_files, selection=selection, columns=columns, timezone=zone, by_statistics=by_statistics)
    return snapshot.read_files(partial(skip, count_nan=count_nan))
