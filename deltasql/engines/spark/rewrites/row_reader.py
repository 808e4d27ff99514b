"""Row queries for conflict resolution: the statement's conditions, evaluated over files that winners have changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.base.lazy import pa
from deltasql.engines.rewriting.outcome import Positions
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.rewrites.merge_source import MergeSource
from deltasql.engines.spark.rewrites.position_search import CHANGES, collect_positions
from deltasql.engines.spark.rewrites.row_actions import ActedRows
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing.stage import SparkStage
from deltasql.files.reading.file_reader import row_count
from deltasql.log.actions.deletion_vectors import MarkedFile, inline_vector
from deltasql.log.configuration.row_ids import row_id_columns
from deltasql.log.skipping.pruning import prune
from deltasql.log.storage.locations import absolute, canonical
from deltasql.plan.base import ACTION, ROW_FILE, ROW_ID, ROW_INDEX, SOURCE_PRESENT
from deltasql.plan.operators import Pruning, Reads, Rewrite, RowEffect, RowKind, Scan, SqlQuery, TableVersion
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.log.actions.actions import AddFile
    from deltasql.log.commit.row_rebase import NewPositions, RowPositions
    from deltasql.log.replay.snapshot import Snapshot


class StatementWork(Protocol):
    """The part of the statement's engine that a RowReader uses."""

    spark: SparkHandle

    @property
    def frames(self) -> Frames:
        """The DataFrames of the statement."""

    def work(self) -> AbstractContextManager[None]:
        """Context for work of Spark: Ctrl-C cancels it, and its errors are translated to DeltaSqlErrors."""

    def source(self, operator: Rewrite) -> MergeSource:
        """The source of a rewrite that has run."""


class SparkRowReader:
    """Implements `door.RowReader`: row queries over files that a statement has not read, or not row by row.

    `snapshot` is the one that the statement read, `probe` that of its `plan.reads.RowReads`.
    """

    def __init__(
        self,
        engine: StatementWork,
        snapshot: Snapshot,
        reads: Reads | None,
        probe: Rewrite | SqlQuery | None,
        stage: SparkStage | None,
        time_zone: str | None,
    ) -> None:
        self._engine, self._snapshot, self._reads = engine, snapshot, reads
        self._probe, self._stage, self._time_zone = probe, stage, time_zone

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        """The files of `adds` that may contain a row on which the statement depends, by their statistics."""
        reads, snapshot = self._reads, self._snapshot
        if reads is None or not adds:
            return adds
        predicate = reads.predicate if reads.predicate != "TRUE" else None
        files = scanned_files(adds, snapshot.location)
        left = prune(files, predicate, snapshot.schema, (), reads.alias, timezone=self._time_zone)
        paths = set(left.column("path").to_pylist())
        return [add for add in adds if add.path in paths]

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool:
        """Whether the statement would act on, or depends on, a live row of these files.

        With `only` (row indexes by canonical path) those rows are considered instead, live or not.
        """
        root = self._snapshot.location
        rows = None if only is None else {add.path: only[canonical(add.path, root)] for add in adds}
        with self._engine.work():
            return bool(self._met(scanned_files(adds, root, rows), marked_only=only is not None).head(1))

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        """The rows that the statement found in some files of its snapshot, by canonical path.

        Empty for a rewrite that inserts nothing, which does not depend on the absence of rows.
        """
        if isinstance(self._probe, Rewrite) and not self._inserts:
            return {}
        root = self._snapshot.location
        adds = [add for path, add in self._read_files.items() if path in set(paths)]
        if not adds:
            return {}
        with self._engine.work():
            met = self._met(scanned_files(adds, root), marked_only=False)
            positions = self._by_path(collect_positions(met, few=False))
        by_path = {canonical(add.path, root): add for add in adds}
        return {
            path: MarkedFile(by_path[path], rows, row_count(self._engine.spark.stores, by_path[path], root))
            for path, rows in positions.items()
        }

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        """New file and row index, in `outputs`, of each row of `moved`, found by row id.

        None if the table has no row tracking, or a row is not found exactly once.
        """
        root, marked = self._snapshot.location, {item.add.path: item.rows for item in moved.values()}
        old = self._id_scan(scanned_files([item.add for item in moved.values()], root, marked), marked_only=True)
        new = self._id_scan(scanned_files(list(outputs.values()), root), marked_only=False)
        if old is None or new is None:
            return None
        with self._engine.work():
            frames = self._engine.frames
            old_rows = frames.frame(old).select(ROW_FILE, ROW_INDEX, ROW_ID).toArrow()
            ids = self._engine.spark.session.createDataFrame(old_rows.select([ROW_ID])).hint("broadcast")
            new_rows = frames.frame(new).join(ids, ROW_ID).select(ROW_FILE, ROW_INDEX, ROW_ID).toArrow()
        now = {row_id: (self._canonical(uri), position) for uri, position, row_id in _tuples(new_rows)}
        if not old_rows.num_rows == new_rows.num_rows == len(now):
            return None
        successors: dict[str, list[tuple[str, int]]] = {path: [] for path in moved}
        for uri, _, row_id in sorted(_tuples(old_rows)):
            successors[self._canonical(uri)].append(now[row_id])
        return successors

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """Add actions of the files `paths` in the statement's snapshot, by canonical path; others are left out."""
        return {canonical(add.path, self._snapshot.location): add for add in self._snapshot.add_files(paths)}

    def count_rows(self, add: AddFile) -> int:
        """The number of rows of a file, including deleted ones."""
        return row_count(self._engine.spark.stores, add, self._snapshot.location)

    @property
    def _inserts(self) -> bool:
        """Whether the statement inserts unmatched rows, so that it depends on the absence of a match."""
        assert isinstance(self._probe, Rewrite)
        return any(action.effect is RowEffect.INSERT for action in self._probe.actions)

    @cached_property
    def _read_files(self) -> Mapping[str, AddFile]:
        """Add actions of the statement's read set, by canonical path."""
        paths = () if self._reads is None else self._reads.files
        return {canonical(add.path, self._snapshot.location): add for add in self._snapshot.add_files(paths)}

    def _met(self, files: pa.Table, *, marked_only: bool) -> DataFrame:
        """The rows of some files on which the statement depends, with ROW_FILE, ROW_INDEX and ACTION."""
        match self._probe:
            case Rewrite():
                return self._acted(self._probe, replace(self._probe.target, files=files, marked_only=marked_only))
            case SqlQuery(sql, relations):
                ((name, scan),) = relations.items()
                assert isinstance(scan, Scan)
                narrowed = replace(scan, files=files, marked_only=marked_only)
                return self._engine.frames.query(sql, {name: narrowed}).selectExpr("*", f"0 AS {ACTION}")
        raise AssertionError("a statement without a probe is not asked")

    def _acted(self, probe: Rewrite, target: Scan) -> DataFrame:
        assert self._stage is not None
        target = replace(target, row_ids=None)
        by_source = any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in probe.actions)
        rows = ActedRows(self._engine.frames, replace(probe, target=target), self._stage, self._engine.source(probe))
        with self._engine.frames.views(probe.relations):
            acted = rows.acted(target, "left_outer" if by_source or probe.source is None else "inner")
        met = f"{CHANGES} OR {SOURCE_PRESENT} IS NOT NULL" if probe.source is not None and self._inserts else CHANGES
        return acted.filter(met)

    def _id_scan(self, files: pa.Table, *, marked_only: bool) -> Scan | None:
        """A scan of the files' row indexes and row ids; None for a table without row tracking."""
        snapshot = self._snapshot
        columns = row_id_columns(snapshot.protocol, snapshot.metadata)
        if columns is None:
            return None
        return Scan(
            table=TableVersion(snapshot.table, snapshot.location, snapshot.version),
            schema=StructType(),
            partition_columns=(),
            files=files,
            pruning=Pruning(files.num_rows),
            identity=True,
            row_ids=columns,
            marked_only=marked_only,
        )

    def _by_path(self, positions: Positions) -> dict[str, Any]:
        return {self._canonical(uri): rows for uri, rows in positions.rows.items()}

    def _canonical(self, uri: str) -> str:
        """The canonical path of a file, from the URI that Spark reports."""
        return canonical(uri, self._snapshot.location)


def _tuples(rows: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


def scanned_files(adds: Sequence[AddFile], root: str, only: RowPositions | None = None) -> pa.Table:
    """The file list of a Scan from add actions, without partition values.

    With `only` (row indexes by path) the deletion vectors mark exactly those rows.
    """
    from deltasql.log.actions.file_tables import ADD, no_columns

    vectors = [add.deletion_vector for add in adds]
    if only is not None:
        vectors = [inline_vector(only[add.path]) for add in adds]
    return pa.table(
        {
            "path": pa.array([add.path for add in adds], pa.string()),
            "location": pa.array([absolute(add.path, root) for add in adds], pa.string()),
            "size": pa.array([add.size for add in adds], pa.int64()),
            "stats": pa.array([add.stats for add in adds], pa.string()),
            "partitionValues": no_columns(len(adds)),
            "deletionVector": pa.array(
                [None if vector is None else vector.to_json() for vector in vectors], ADD.field("deletionVector").type
            ),
            "baseRowId": pa.array([add.base_row_id for add in adds], pa.int64()),
            "defaultRowCommitVersion": pa.array([add.default_row_commit_version for add in adds], pa.int64()),
        }
    )
