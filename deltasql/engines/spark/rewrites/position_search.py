"""Search for the row indexes that the actions of a rewrite change, and row queries for conflict resolution.

The search reads only the columns of the conditions. Spark returns row indexes as a list or as bitmaps. A row query
evaluates the statement's conditions over files that concurrent commits have changed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.base import F, LeftToEngineError, np, pa, pc
from deltasql.engines.rewriting import Positions, listed_positions, positions_of
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.rewrites.row_actions import ActedRows, MergeSource
from deltasql.engines.spark.session.local_rows import frame_of_rows, spark_type
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing import SparkStage
from deltasql.files import FEW_ROWS, LARGE_PART, row_count, widest
from deltasql.log import (
    ADD,
    MarkedFile,
    absolute,
    canonical,
    decode_path,
    inline_vector,
    live_rows,
    prune,
    row_id_columns,
)
from deltasql.plan import (
    EqualKey,
    Pruning,
    ReadInProcess,
    Reads,
    Rewrite,
    RowEffect,
    RowKind,
    Scan,
    SqlQuery,
    TableVersion,
    hidden_names,
)
from deltasql.schema import StructField, StructType, declared_type, has_lengths, physical_name
from deltasql.sql import column_references

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.log import AddFile, NewPositions, RowPositions, Snapshot


CHANGES = f"{hidden_names.ACTION} > 0 AND {hidden_names.TARGET_PRESENT}"
"""SQL that is TRUE for the rows of the target that an action changes."""


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Row indexes of the rows that change, and the SOURCE_ROW numbers of source rows that matched a target row.

    `matched` is None if nothing is inserted, or if matches are to be found in another way.
    """

    positions: Positions
    matched: DataFrame | None


def search(rows: ActedRows, *, unique: bool, in_process: bool) -> ChangedRows:
    """Searches all files of the target. Unless `unique`, a row counts once, however many source rows it matches.

    With `in_process` this process may read the files, and may leave out rows without a key of the source: see
    `source_key_values`.
    """
    target = rows.searched
    if in_process and (keys := source_key_values(rows, target)):
        target = replace(rows.narrowed(target), in_process=ReadInProcess(keys))
    if unique and not rows.frames.capabilities.metadata:
        return _by_addresses(rows, target)
    matched = None
    fired = rows.acted(target, rows.how, unique).filter(CHANGES)
    if rows.inserts and rows.source.broadcast:
        pairs = rows.source.cache(
            rows.acted(target, "inner").select(
                hidden_names.ROW_FILE, hidden_names.ROW_INDEX, hidden_names.SOURCE_ROW, hidden_names.ACTION
            )
        )
        fired = fired if rows.by_source or not unique else pairs.filter(f"{hidden_names.ACTION} > 0")
        matched = pairs.select(hidden_names.SOURCE_ROW).distinct()
    return ChangedRows(collect_positions(fired, few=False), matched)


def _by_addresses(rows: ActedRows, target: Scan) -> ChangedRows:
    """Found in rows that this process has read: their places come back as they were sent, eight bytes each."""
    from pyspark.sql.types import LongType
    from pyspark.sql.types import StructType as SparkStruct

    asks = rows.inserts and rows.source.broadcast
    acted = rows.acted(target, rows.how)
    condition = f"{CHANGES} OR ({hidden_names.TARGET_PRESENT} AND {hidden_names.SOURCE_PRESENT})" if asks else CHANGES
    met = (
        acted.filter(condition)
        .select(hidden_names.ROW_ADDRESS, hidden_names.ACTION, *([hidden_names.SOURCE_ROW] if asks else []))
        .toArrow()
    )
    fired = met.filter(pc.greater(met.column(hidden_names.ACTION), 0))
    paths = target.files.column("location").to_pylist()
    positions = positions_of(
        fired.column(hidden_names.ROW_ADDRESS).to_numpy(), fired.column(hidden_names.ACTION).to_numpy(), paths
    )
    if not asks:
        return ChangedRows(positions, None)
    numbers = pa.table({hidden_names.SOURCE_ROW: pc.unique(met.column(hidden_names.SOURCE_ROW))})
    return ChangedRows(
        positions, frame_of_rows(rows.frames.spark, numbers, SparkStruct().add(hidden_names.SOURCE_ROW, LongType()))
    )


def rows_at_positions(target: Scan, files: pa.Table, positions: Positions) -> Scan:
    """The rows at some positions of `files`, which are the target's, read by this process."""
    by_place = {decode_path(uri): rows for uri, rows in positions.rows.items()}
    vectors = [inline_vector(by_place[path]).to_json() for path in files.column("location").to_pylist()]
    column = pa.array(vectors, ADD.field("deletionVector").type)
    at = files.column_names.index("deletionVector")
    return replace(
        target, files=files.set_column(at, "deletionVector", column), marked_only=True, in_process=ReadInProcess()
    )


_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_COMPARED = frozenset({*_INTEGERS, "date", "string"})
"""Key types (Spark's simple names) for which Arrow and Spark agree on equality."""

Key = tuple[StructField, EqualKey]
"""A data column of the target, and the equality of which it is one whole side."""


def source_key_values(rows: ActedRows, target: Scan) -> dict[str, pa.Array]:
    """The distinct key values of the source by the target's physical column name, for `ReadInProcess`.

    Empty where rows without a match may change, no key is a column that Arrow compares as Spark does, the target is
    small or of unknown size, or the source is large. Of two keys of one column, one is used.
    """
    keys = list(_keys(rows, target))
    if not keys or rows.how != "inner" or not rows.source.broadcast:
        return {}
    counts = live_rows(target.files)
    row_count = sum(count or 0 for count in counts)
    if None in counts or row_count < FEW_ROWS or (rows.source.count or 0) > LARGE_PART * row_count:
        return {}
    return dict(_values(rows, keys))


def _keys(rows: ActedRows, target: Scan) -> Iterator[Key]:
    """The join keys that are data columns with types of `_COMPARED`."""
    join = rows.operator.join
    partitions = {name.lower() for name in target.partition_columns}
    for key in () if join is None else join.equal_keys:
        if key.type is None:
            continue
        (reference,) = column_references(key.target)
        field = target.schema.find(reference.parts[-1]) if len(reference.parts) == 2 else None
        if field is None or field.name.lower() in partitions or has_lengths(declared_type(field)):
            continue
        # The type after the statement, which may widen it.
        if spark_type(field.type).simpleString() in _COMPARED:
            yield field, key


def _values(rows: ActedRows, keys: Sequence[Key]) -> Iterator[tuple[str, pa.Array]]:
    """Physical column name and distinct values of each key whose type is that of its column, or both are integers."""
    key_columns = rows.source_rows().select(*(F.expr(key.source).alias(f"k{at}") for at, (_, key) in enumerate(keys)))
    for item, column, (field, _) in zip(key_columns.schema, key_columns.toArrow().columns, keys, strict=True):
        kinds = {item.dataType.simpleString(), spark_type(field.type).simpleString()}
        if len(kinds) == 1 or kinds <= _INTEGERS:
            yield physical_name(field), widest(column).unique().drop_null()


BUCKET_BITS = 32_768
"""Rows that one bitmap of Spark's bitmap_construct_agg covers."""


def collect_positions(fired: DataFrame, *, few: bool) -> Positions:
    """The positions of the rows of `fired`, which has ROW_FILE, ROW_INDEX and ACTION.

    Many come as bitmaps that Spark has made, 4 KiB for 32,768 rows of a file.
    """
    if few:
        return listed_positions(
            tuple(row)
            for row in fired.select(hidden_names.ROW_FILE, hidden_names.ROW_INDEX, hidden_names.ACTION).collect()
        )
    # Spark numbers bits from 1: position 0 would fall into a bucket of its own.
    bitmaps = fired.groupBy(
        hidden_names.ROW_FILE,
        hidden_names.ACTION,
        _expr(f"bitmap_bucket_number({hidden_names.ROW_INDEX} + 1) AS bucket"),
    ).agg(
        _expr(f"bitmap_construct_agg(bitmap_bit_position({hidden_names.ROW_INDEX} + 1)) AS bits"),
        _expr("count(1) AS fired"),
    )
    return _united(bitmaps.toArrow())


def _united(bitmaps: pa.Table) -> Positions:
    parts: dict[str, list[np.ndarray[Any, Any]]] = defaultdict(list)
    counts: Counter[int] = Counter()
    columns = (bitmaps.column(index).to_pylist() for index in range(5))
    fired = 0
    for file, action, bucket, bits, times in zip(*columns, strict=True):
        row_indexes = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")).astype(np.uint64)
        parts[file].append(row_indexes + np.uint64((bucket - 1) * BUCKET_BITS))
        counts[action] += len(row_indexes)
        fired += times
    return Positions({file: np.unique(np.concatenate(items)) for file, items in parts.items()}, counts, fired)


def _expr(sql: str) -> Any:
    return F.expr(sql)


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


class EvaluatedRows(Protocol):
    """The rows on which a statement depends, evaluated without Spark."""

    def __call__(
        self, probe: Rewrite | SqlQuery | None, snapshot: Snapshot, adds: Sequence[AddFile], only: RowPositions | None
    ) -> RowPositions:
        """Row indexes in `adds` by canonical path; with `only`, of those rows alone. Raises LeftToEngineError."""


class SparkRowReader:
    """Implements `door.RowReader`: row queries over files that a statement has not read, or not row by row.

    `snapshot` is the one that the statement read, `probe` that of its `plan.reads.RowReads`. `evaluated` is asked for
    the rows before Spark is.
    """

    def __init__(
        self,
        engine: StatementWork,
        snapshot: Snapshot,
        reads: Reads | None,
        probe: Rewrite | SqlQuery | None,
        stage: SparkStage | None,
        time_zone: str | None,
        evaluated: EvaluatedRows | None = None,
    ) -> None:
        self._engine, self.snapshot, self._reads, self._evaluated = engine, snapshot, reads, evaluated
        self.probe, self._stage, self._time_zone = probe, stage, time_zone

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        """The files of `adds` that may contain a row on which the statement depends, by their statistics."""
        reads, snapshot = self._reads, self.snapshot
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
        if self._evaluated is not None:
            with suppress(LeftToEngineError):
                return any(map(len, self._evaluated(self.probe, self.snapshot, adds, only).values()))
        root = self.snapshot.location
        rows = None if only is None else {add.path: only[canonical(add.path, root)] for add in adds}
        with self._engine.work():
            return bool(self._met(scanned_files(adds, root, rows), marked_only=only is not None).head(1))

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        """The rows that the statement found in some files of its snapshot, by canonical path.

        Empty for a rewrite that inserts nothing, which does not depend on the absence of rows.
        """
        if isinstance(self.probe, Rewrite) and not self._inserts:
            return {}
        root = self.snapshot.location
        adds = [add for path, add in self._read_files.items() if path in set(paths)]
        if not adds:
            return {}
        by_path = {canonical(add.path, root): add for add in adds}
        return {
            path: MarkedFile(by_path[path], rows, row_count(self._engine.spark.stores, by_path[path], root))
            for path, rows in self.rows_met(adds).items()
        }

    def rows_met(self, adds: Sequence[AddFile]) -> RowPositions:
        """The row indexes on which the statement depends in some files, by canonical path."""
        if self._evaluated is not None:
            with suppress(LeftToEngineError):
                return self._evaluated(self.probe, self.snapshot, adds, None)
        with self._engine.work():
            files = scanned_files(adds, self.snapshot.location)
            met = collect_positions(self._met(files, marked_only=False), few=False)
        return {self._canonical(uri): rows for uri, rows in met.rows.items()}

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        """New file and row index, in `outputs`, of each row of `moved`, found by row id.

        None if the table has no row tracking, or a row is not found exactly once.
        """
        root, marked = self.snapshot.location, {item.add.path: item.rows for item in moved.values()}
        old = self._id_scan(scanned_files([item.add for item in moved.values()], root, marked), marked_only=True)
        new = self._id_scan(scanned_files(list(outputs.values()), root), marked_only=False)
        if old is None or new is None:
            return None
        with self._engine.work():
            frames = self._engine.frames
            old_rows = (
                frames.frame(old).select(hidden_names.ROW_FILE, hidden_names.ROW_INDEX, hidden_names.ROW_ID).toArrow()
            )
            ids = self._engine.spark.session.createDataFrame(old_rows.select([hidden_names.ROW_ID])).hint("broadcast")
            new_rows = (
                frames.frame(new)
                .join(ids, hidden_names.ROW_ID)
                .select(hidden_names.ROW_FILE, hidden_names.ROW_INDEX, hidden_names.ROW_ID)
                .toArrow()
            )
        now = {row_id: (self._canonical(uri), position) for uri, position, row_id in _tuples(new_rows)}
        if not old_rows.num_rows == new_rows.num_rows == len(now):
            return None
        successors: dict[str, list[tuple[str, int]]] = {path: [] for path in moved}
        for uri, _, row_id in sorted(_tuples(old_rows)):
            successors[self._canonical(uri)].append(now[row_id])
        return successors

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """Add actions of the files `paths` in the statement's snapshot, by canonical path; others are left out."""
        return {canonical(add.path, self.snapshot.location): add for add in self.snapshot.add_files(paths)}

    def count_rows(self, add: AddFile) -> int:
        """The number of rows of a file, including deleted ones."""
        return row_count(self._engine.spark.stores, add, self.snapshot.location)

    @property
    def _inserts(self) -> bool:
        """Whether the statement inserts unmatched rows, so that it depends on the absence of a match."""
        assert isinstance(self.probe, Rewrite)
        return any(action.effect is RowEffect.INSERT for action in self.probe.actions)

    @cached_property
    def _read_files(self) -> Mapping[str, AddFile]:
        """Add actions of the statement's read set, by canonical path."""
        paths = () if self._reads is None else self._reads.files
        return {canonical(add.path, self.snapshot.location): add for add in self.snapshot.add_files(paths)}

    def _met(self, files: pa.Table, *, marked_only: bool) -> DataFrame:
        """The rows of some files on which the statement depends, with ROW_FILE, ROW_INDEX and ACTION."""
        match self.probe:
            case Rewrite():
                return self._acted(self.probe, replace(self.probe.target, files=files, marked_only=marked_only))
            case SqlQuery(sql, relations):
                ((name, scan),) = relations.items()
                assert isinstance(scan, Scan)
                narrowed = replace(scan, files=files, marked_only=marked_only)
                return self._engine.frames.query(sql, {name: narrowed}).selectExpr("*", f"0 AS {hidden_names.ACTION}")
        raise AssertionError("a statement without a probe is not asked")

    def _acted(self, probe: Rewrite, target: Scan) -> DataFrame:
        assert self._stage is not None
        target = replace(target, row_ids=None)
        by_source = any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in probe.actions)
        rows = ActedRows(self._engine.frames, replace(probe, target=target), self._stage, self._engine.source(probe))
        with self._engine.frames.views(probe.relations):
            acted = rows.acted(target, "left_outer" if by_source or probe.source is None else "inner")
        met = (
            f"{CHANGES} OR {hidden_names.SOURCE_PRESENT} IS NOT NULL"
            if probe.source is not None and self._inserts
            else CHANGES
        )
        return acted.filter(met)

    def _id_scan(self, files: pa.Table, *, marked_only: bool) -> Scan | None:
        """A scan of the files' row indexes and row ids; None for a table without row tracking."""
        snapshot = self.snapshot
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

    def _canonical(self, uri: str) -> str:
        """The canonical path of a file, from the URI that Spark reports."""
        return canonical(uri, self.snapshot.location)


def _tuples(rows: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


def scanned_files(adds: Sequence[AddFile], root: str, only: RowPositions | None = None) -> pa.Table:
    """The file list of a Scan from add actions, without partition values.

    With `only` (row indexes by path) the deletion vectors mark exactly those rows.
    """
    from deltasql.log import ADD, no_columns

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
