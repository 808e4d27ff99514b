"""The files of a snapshot that a query has to read.

The location of what a query names as a table.

The rows and columns of its relations that a query uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from deltasql.base.errors.log import PartitionTextError
from deltasql.base.lazy import pa
from deltasql.base.settings.session_settings import STATISTICS_SKIP
from deltasql.files.inspection import sure_bounds
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.skipping.partition_conditions import unreadable_text
from deltasql.log.skipping.predicates import condition, find_column
from deltasql.log.skipping.pruning import first_files, skip_files
from deltasql.plan.base import TableName
from deltasql.planner.context import Context
from deltasql.planner.information.inventory import Asked
from deltasql.schema.text import sql_text
from deltasql.sql.queries.query_columns import named_columns
from deltasql.sql.queries.query_filters import scan_filters, scan_limits
from deltasql.sql.queries.relations import TableReference


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


def location_of(context: Context, name: TableName) -> str | None:
    """The location of a table of the catalog; None for one of Spark. Raises TableNotFoundError for other names."""
    if name.path is not None:
        return context.catalog.located(name.path)
    entry = context.catalog.resolve(name.parts) if len(name.parts) <= 3 else None
    if entry is not None:
        return entry.location
    if is_files(name) or context.analyst.knows(name.parts):
        return None
    return context.catalog.require(name.parts, context.views if len(name.parts) == 1 else ()).location


def is_files(name: TableName | TableReference) -> bool:
    """Whether a name stands for files, as `` parquet.`/path` `` does: Spark reads them."""
    return len(name.parts) == 2 and name.parts[0].lower() in FILE_FORMATS


FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml"})


class UsedRows:
    """The rows and columns that a query uses, by the offset of a relation's name; read from its text on demand."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    @cached_property
    def filters(self) -> Mapping[int, str]:
        """See `scan_filters`."""
        return scan_filters(self._sql)

    @cached_property
    def limits(self) -> Mapping[int, int]:
        """See `scan_limits`."""
        return scan_limits(self._sql)

    @cached_property
    def columns(self) -> frozenset[str] | None:
        """See `named_columns`."""
        return named_columns(self._sql)

    def asked(self, reference: TableReference) -> Asked:
        """The use of a view of an information schema."""
        return Asked(self.filters.get(reference.start), reference.alias or reference.parts[-1], self.columns)
