"""OPTIMIZE, REORG and auto compaction: which files are rewritten as which others; the engine moves the rows.

No row changes. Source: features of Delta, OPTIMIZE and auto compaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from deltasql.base import SessionSettings, Setting, errors, pa, pc, session_settings
from deltasql.log import AUTO_COMPACT as TABLE_COMPACTS
from deltasql.log import (
    AUTO_OPTIMIZE,
    INDEXED_COLUMNS,
    MAX_COLUMN_ID,
    TARGET_FILE_SIZE,
    DeltaLog,
    Operation,
    Snapshot,
    TableProperties,
    alike,
    bin_sizes,
    clustering_columns,
    in_order,
    index_rule,
    indexed_leaves,
    joined_numbers,
    marked_files,
    numbers_of,
    operations,
    packed,
    partition_numbers,
    record_count,
    row_id_columns,
    stores_partitions,
    table_uri,
)
from deltasql.plan import (
    ROW_ID_COLUMNS,
    SCAN_COLUMNS,
    Alone,
    ColumnPath,
    Curve,
    LogicalPlan,
    Pruning,
    Reads,
    Rearrange,
    Scan,
    SqlText,
    TableName,
    TableVersion,
)
from deltasql.planner import (
    OPTIMIZED,
    Answer,
    CommitSpec,
    Context,
    LayoutChange,
    LayoutInput,
    LayoutOutcome,
    Plan,
    layout_row,
    plan,
)
from deltasql.schema import Path, find_path, has_dropped_columns, is_shape, path_text, type_text
from deltasql.statements.inspect import chosen_files, partition_predicate
from deltasql.statements.table_metadata import check_statistics, chosen_for_clustering, cube_ids, json_list


@dataclass(frozen=True, slots=True)
class Optimize(LogicalPlan):
    """OPTIMIZE {t | 'path'} [FULL] [WHERE predicate] [ZORDER BY (columns)]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("OPTIMIZE", Alone.MOVES)

    table: TableName
    full: bool
    predicate: SqlText | None
    zorder_by: tuple[ColumnPath, ...] | None


@dataclass(frozen=True, slots=True)
class Reorg(LogicalPlan):
    """REORG TABLE t [WHERE predicate] APPLY (PURGE)"""

    alone: ClassVar[tuple[str, Alone] | None] = ("REORG TABLE", Alone.MOVES)

    table: TableName
    predicate: SqlText | None


@dataclass(frozen=True, slots=True)
class UpgradeUniform(LogicalPlan):
    """REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = n))"""

    alone: ClassVar[tuple[str, Alone] | None] = ("REORG TABLE … UPGRADE UNIFORM", Alone.STEPS)

    table: TableName
    version: int


DEFAULT_FILE_SIZE = 1 << 30
CUBE_FILES = 100
"""A cube of this many full files is not clustered again."""
_COLUMNS = (*SCAN_COLUMNS, "tags")


@dataclass(frozen=True, slots=True)
class Layout:
    """An OPTIMIZE or REORG during planning: its candidate files, and the contents of its commit and result."""

    log: DeltaLog
    snapshot: Snapshot
    operation: Operation
    parameters: Mapping[str, Any]
    predicate: str | None
    files: pa.Table
    considered: LayoutInput

    def change(
        self,
        files: pa.Table,
        bins: pa.Array,
        curve: Curve | None = None,
        columns: tuple[Path, ...] = (),
        slices: tuple[int, ...] = (),
    ) -> Plan:
        """The plan that rewrites `files` into new ones; without files, the result without a commit."""
        if files.num_rows == 0:
            return Answer(OPTIMIZED, (layout_row(table_uri(self.snapshot.location), self.considered, LayoutOutcome()),))
        scan = Scan(
            table=TableVersion(self.snapshot.table, self.snapshot.location, self.snapshot.version),
            schema=self.snapshot.schema,
            partition_columns=self.snapshot.partition_columns,
            files=files,
            pruning=Pruning(self.snapshot.num_files),
            row_ids=row_id_columns(self.snapshot.protocol, self.snapshot.metadata),
        )
        stored = bool(scan.partition_columns) and stores_partitions(self.snapshot.protocol, self.snapshot.configuration)
        operator = Rearrange(scan, bins, curve, columns, slices, stored)
        reads = Reads(self.predicate or "TRUE", tuple(files.column("path").to_pylist()))
        return LayoutChange(
            CommitSpec(self.log, self.snapshot, self.operation, self.parameters, reads=reads), operator, self.considered
        )


@plan.register
def plan_optimize(statement: Optimize, context: Context) -> Plan:
    """Compacts small files per partition. ZORDER BY rewrites all files of the partitions."""
    log, snapshot = context.writable(statement.table)
    context.refuse_maintenance(log, "OPTIMIZE")
    if clustering_columns(snapshot):
        return _clustered(statement, log, snapshot, context)
    if statement.full:
        raise errors.OptimizeFullError(table=snapshot.table).at(
            context.caret(statement.table.start, statement.table.end)
        )
    columns = tuple(_zorder_column(column, snapshot, context) for column in statement.zorder_by or ())
    _check_statistics(columns, snapshot, context)
    parameters = {
        "predicate": _predicates(statement.predicate, context),
        "zOrderBy": json_list(columns),
        "clusterBy": "[]",
        "auto": False,
    }
    layout = layout_of(log, snapshot, operations.OPTIMIZE, parameters, statement.predicate, context)
    if not columns:
        return layout.change(*_compacted(layout.files, snapshot, context))
    layout = replace(layout, considered=replace(layout.considered, zorder=True))
    files, bins = in_order(layout.files, partition_numbers(layout.files))
    slices = _slices(files, bins, _file_size(session_settings.OPTIMIZE_MAX_FILE_SIZE, snapshot, context))
    return layout.change(files, bins, Curve.ZORDER, columns, slices)


def _clustered(statement: Optimize, log: DeltaLog, snapshot: Snapshot, context: Context) -> Plan:
    """Clusters files outside cubes and cubes that are not full into one cube; with FULL all files that are not one yet.

    A cube is a set of files that were clustered together. One by other columns than the present stays until FULL.
    """
    columns = clustering_columns(snapshot)
    if statement.predicate is not None:
        caret = context.caret(statement.predicate.start, statement.predicate.end)
        raise errors.ClusteringWithPredicateError(snapshot.table, statement.predicate.text).at(caret)
    if statement.zorder_by:
        caret = context.caret(statement.zorder_by[0].start, statement.zorder_by[-1].end)
        raise errors.ClusteringWithZOrderError(snapshot.table, tuple(path_text(path) for path in columns)).at(caret)
    check_statistics(columns, snapshot.metadata, snapshot.table)
    parameters = {
        "clusterBy": json_list(columns),
        "predicate": "[]",
        "auto": False,
        "isFull": statement.full,
        "zOrderBy": "[]",
    }
    layout = layout_of(log, snapshot, operations.OPTIMIZE, parameters, None, context)
    limit = _file_size(session_settings.OPTIMIZE_MAX_FILE_SIZE, snapshot, context)
    choice = chosen_for_clustering(layout.files, json_list(columns), CUBE_FILES * limit, full=statement.full)
    layout = replace(layout, considered=replace(layout.considered, cubes=choice.cubes))
    files, bins = in_order(choice.files, partition_numbers(choice.files))
    return layout.change(files, bins, Curve.HILBERT, columns, _slices(files, bins, limit))


@plan.register
def plan_reorg(statement: Reorg, context: Context) -> Plan:
    """Rewrites files with deleted rows or dropped columns, to purge them. Each stays in its cube."""
    log, snapshot = context.writable(statement.table)
    context.refuse_maintenance(log, "REORG")
    return reorganized(
        log, snapshot, statement.predicate, lambda files: _with_remains(files, snapshot, context), context
    )


def reorganized(
    log: DeltaLog,
    snapshot: Snapshot,
    predicate: SqlText | None,
    choose: Callable[[pa.Table], pa.Table],
    context: Context,
) -> Plan:
    """The plan that rewrites the files that `choose` returns; its argument has their `SCAN_COLUMNS` and `tags`."""
    parameters = {"predicate": _predicates(predicate, context), "applyPurge": True}
    layout = layout_of(log, snapshot, operations.REORG, parameters, predicate, context)
    files = choose(layout.files)
    limit = _file_size(session_settings.OPTIMIZE_MAX_FILE_SIZE, snapshot, context)
    groups = joined_numbers([partition_numbers(files), numbers_of(cube_ids(files))], files.num_rows)
    return layout.change(*packed(files, groups, limit, singles=True))


def layout_of(
    log: DeltaLog,
    snapshot: Snapshot,
    operation: Operation,
    parameters: Mapping[str, Any],
    predicate: SqlText | None,
    context: Context,
) -> Layout:
    """The files of the partitions that a condition chooses, for an operation that arranges rows."""
    started = int(time.time() * 1000)
    # Rows keep their ids, where they are tracked.
    bound = partition_predicate(predicate, snapshot, context)
    files = chosen_files(snapshot.files((*_COLUMNS, *ROW_ID_COLUMNS)), bound, snapshot, context)
    columns, indexed = len(snapshot.schema), snapshot.properties[INDEXED_COLUMNS]
    considered = LayoutInput(
        files.num_rows, _bytes(files), (columns, columns if indexed < 0 else min(indexed, columns)), started
    )
    return Layout(log, snapshot, operation, parameters, bound, files, considered)


def _predicates(predicate: SqlText | None, context: Context) -> str:
    return json.dumps([context.text_with_markers(predicate)] if predicate else [])


def _compacted(files: pa.Table, snapshot: Snapshot, context: Context) -> tuple[pa.Table, pa.Array]:
    """Files that are small or have many deleted rows, in bins of at least two."""
    small = pc.less(files.column("size"), _file_size(session_settings.OPTIMIZE_MIN_FILE_SIZE, snapshot, context))
    share = context.setting(session_settings.OPTIMIZE_DELETED_RATIO)
    holed = pc.and_(pc.invert(small), marked_files(files))
    files = files.filter(pc.or_(small, _marked(holed, _deleted_more_than(files.filter(holed), share))))
    limit = _file_size(session_settings.OPTIMIZE_MAX_FILE_SIZE, snapshot, context)
    return packed(files, partition_numbers(files), limit, singles=False)


def _marked(mask: pa.ChunkedArray, selected: Sequence[bool]) -> pa.ChunkedArray:
    """`mask` with its n-th true value kept true only if `selected[n]`."""
    rows = pc.indices_nonzero(mask).filter(pa.array(selected, pa.bool_()))
    return pc.is_in(pa.array(range(len(mask)), pa.uint64()), rows)


def _deleted_more_than(files: pa.Table, share: float) -> list[bool]:
    """For each file, whether its deletion vector has more than `share` of the rows; True if their number is unknown."""
    vectors, rows = files.column("deletionVector").to_pylist(), map(record_count, files.column("stats").to_pylist())
    return [not number or vector["cardinality"] / number > share for vector, number in zip(vectors, rows, strict=True)]


def _with_remains(files: pa.Table, snapshot: Snapshot, context: Context) -> pa.Table:
    """The files with deleted rows or dropped columns. Footers are read only if a column was ever dropped."""
    chosen = marked_files(files)
    properties = snapshot.properties
    if properties.maps_columns and has_dropped_columns(snapshot.schema, properties[MAX_COLUMN_ID]):
        from deltasql.files import foreign_columns

        rest = pc.invert(chosen)
        paths = files.filter(rest).column("location").to_pylist()
        foreign = foreign_columns(context.analyst.stores, paths, snapshot.schema)
        chosen = pc.or_(chosen, _marked(rest, foreign))
    return files.filter(chosen)


def _file_size(entry: Setting[int | None], snapshot: Snapshot, context: Context) -> int:
    """The target file size in bytes: the setting, else the table's `delta.targetFileSize`, else 1 GiB."""
    return context.setting(entry) or snapshot.properties[TARGET_FILE_SIZE] or DEFAULT_FILE_SIZE


def _slices(files: pa.Table, bins: pa.Array, limit: int) -> tuple[int, ...]:
    """The number of files to split each bin into, so that none is much above `limit` bytes."""
    return tuple(max(1, round(size / limit)) for size in bin_sizes(files, bins))


def _bytes(files: pa.Table) -> int:
    return int(pc.sum(files.column("size")).as_py() or 0)


def _zorder_column(column: ColumnPath, snapshot: Snapshot, context: Context) -> Path:
    """The column as the schema spells it."""
    caret = context.caret(column.start, column.end)
    resolved = find_path(snapshot.schema, column.parts)
    if resolved is None:
        raise errors.ZOrderColumnNotFoundError(snapshot.table, str(column), snapshot.schema.names).at(caret)
    if resolved.path[0].lower() in {name.lower() for name in snapshot.partition_columns}:
        raise errors.ZOrderPartitionColumnError(str(column)).at(caret)
    kind = resolved.field.type
    if is_shape(kind):
        raise errors.ZOrderColumnTypeError(snapshot.table, str(column), type_text(kind)).at(caret)
    return resolved.path


def _check_statistics(columns: Sequence[Path], snapshot: Snapshot, context: Context) -> None:
    if not columns or not context.setting(session_settings.ZORDER_STATS_CHECK):
        return
    leaves = indexed_leaves(snapshot.schema, snapshot.partition_columns, index_rule(snapshot.configuration))
    missing = [path for path in columns if not any(leaf.names[: len(path)] == path for leaf in leaves)]
    if missing:
        raise errors.ZOrderWithoutStatsError(snapshot.table, tuple(path_text(path) for path in missing))


_PARAMETERS = {"predicate": "[]", "zOrderBy": "[]", "clusterBy": "[]", "auto": True}


def compacts(properties: TableProperties, settings: SessionSettings) -> bool:
    """Whether writes to a table put its small files together: the session's setting, else the table's properties."""
    given = (settings[session_settings.AUTO_COMPACT], properties[TABLE_COMPACTS], properties[AUTO_OPTIMIZE])
    return next((value for value in given if value is not None), False)


def auto_compaction(log: DeltaLog, written: Collection[tuple[str | None, ...]], context: Context) -> Plan | None:
    """The plan that puts small files together, in each partition with enough of them; None where there is none.

    `written` are the partitions that were written to, as values in the order of the partition columns, as the log
    spells them. A file stays in its cube. Files of a table that an external catalog arranges are left to it.
    """
    if context.catalog.external.manager(log.location) is not None:
        return None
    snapshot = log.snapshot()
    limit = context.setting(session_settings.AUTO_COMPACT_MAX_FILE_SIZE)
    if context.settings.stored(session_settings.AUTO_COMPACT_MAX_FILE_SIZE.name) is None:
        limit = snapshot.metadata.properties[TARGET_FILE_SIZE] or limit
    least = context.setting(session_settings.AUTO_COMPACT_MIN_FILE_SIZE) or limit // 2
    files = snapshot.files(("size", "partitionValues"))
    small = files.filter(pc.less(files.column("size"), least))
    if small.num_rows < context.setting(session_settings.AUTO_COMPACT_MIN_FILES):
        return None
    layout = layout_of(log, snapshot, operations.OPTIMIZE, _PARAMETERS, None, context)
    files = layout.files.filter(pc.less(layout.files.column("size"), least))
    numbers = partition_numbers(files)
    enough = alike(numbers) >= context.setting(session_settings.AUTO_COMPACT_MIN_FILES)
    if context.setting(session_settings.AUTO_COMPACT_WRITTEN_ONLY):
        enough &= _are_in(files, written)
    files, numbers = files.filter(pa.array(enough)), numbers[enough]
    groups = joined_numbers([numbers, numbers_of(cube_ids(files))], files.num_rows)
    return layout.change(*packed(files, groups, limit, singles=False))


def _are_in(files: pa.Table, partitions: Collection[tuple[str | None, ...]]) -> list[bool]:
    """For each file, whether it is in one of the partitions."""
    rows = files.column("partitionValues").to_pylist()
    return [tuple(None if value is None else str(value) for value in row.values()) in partitions for row in rows]
