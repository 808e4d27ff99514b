"""Steps of a file rewrite common to in-process evaluation and engine: input files, copied rows, and the outcome.

Row indexes of changed rows, by file, are the content of new deletion vectors. Rows in their stored form are copied from
file to file within this process. In a compaction the files of a bin become one, with rows unchanged and in order, by
Arrow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from deltasql.base import LeftToEngineError, errors, np, pa, pc, pq, session_settings
from deltasql.engines.choice import copied_in_process, evaluated_in_process, only_for_spark
from deltasql.files import (
    FEW_ROWS,
    LARGE_PART,
    UNPACKED,
    CompactionGroup,
    FileInMemory,
    FileReader,
    FileStage,
    Piece,
    RewrittenFile,
    SessionFacts,
    Staged,
    as_stored,
    count_live_rows,
    deleted_by_file,
    directory_name,
    file_pieces,
    footer_columns,
    group_sizes,
    is_of_old_calendar,
    may_splice_from,
    memory_limit,
    missing_file,
    readable,
    readable_files,
    reader_schema,
    row_group_rows,
    rows_by_file,
    spark_uri,
    vector_positions,
)
from deltasql.log import Stores, decode_path, key_condition, skipped
from deltasql.plan import EqualKey, Rearrange, Rewrite, RowEffect, Scan
from deltasql.planner import RewriteOutcome
from deltasql.schema import (
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
    StructType,
    physical_name,
    physical_schema,
    with_lengths,
    without_lengths,
)


def may_copy_rows(
    session: SessionFacts,
    target: Scan,
    stage: FileStage,
    sizes: pa.Array | pa.ChunkedArray,
) -> bool:
    """As `are_copyable`, if the session leaves it to this process. Starts the engine.

    Only Spark passes over files that may be missing. Raises what `copied_in_process` raises.
    """
    if (session.current_value(session_settings.IGNORE_MISSING_FILES.name) or "").lower() == "true":
        return False
    if not are_copyable(target, stage, sizes, most_bytes(session)):
        return False
    return copied_in_process(session, target.table.location, pc.sum(sizes).as_py() or 0)


def are_copyable(target: Scan, stage: FileStage, sizes: pa.Array | pa.ChunkedArray, most: int) -> bool:
    """Whether this process may make files of such sizes, in bytes, at most `most`, of rows of the target's.

    Ids of rows depend on where they stand.
    """
    parted = stage.stores_partitions and target.partition_columns
    if parted or target.row_ids is not None or only_for_spark(target.schema):
        return False
    return int(pc.max(sizes).as_py() or 0) <= most


class StoredRows:
    """The rows of some files of the target, with the columns that files of `schema` have."""

    def __init__(self, session: SessionFacts, target: Scan, schema: StructType, paths: Sequence[str]) -> None:
        """`paths` are the files: see `readable_files`, which checks that they exist, and for its errors."""
        readable_files(target, paths, may_be_missing=False)
        self._stores, self._target, self._schema = session.stores, target, schema
        partitions = {name.lower() for name in target.partition_columns}
        stored = tuple(item for item in schema if item.name.lower() not in partitions and item.type != VOID)
        self._in_memory = without_lengths(physical_schema(with_lengths(StructType(stored))))
        self._columns = as_stored(reader_schema(self._in_memory).empty_table(), schema).schema
        self._vectors = deleted_by_file(target, paths)

    def pieces(self, paths: Iterable[str]) -> Iterator[Piece]:
        """The live rows of some files, piece by piece, in their order.

        Raises LeftToEngineError for dates of another calendar, DataFileNotFoundError, UnreadableDataFileError, here or
        where a piece is read.
        """
        reader = FileReader(self._stores, self._target, self._in_memory)
        marked = {path: partial(self._marked, path) for path in self._vectors}
        for _, piece in file_pieces(reader, paths, marked=marked):
            yield piece.mapped(partial(as_stored, schema=self._schema))

    def opened(self, path: str, statistics: str | None, *, spliceable: bool) -> FileInMemory:
        """A file with its statistics in the log. Raises what `pieces` raises.

        One whose days are those of another calendar is not spliceable: new ones are not, and would be taken for such.
        """
        store, name = self._stores.of_file(path)
        with self._existing(path), readable(path):
            data = store.read_buffer(name)
            footer = pq.read_metadata(pa.BufferReader(data))
        with_statistics, repeating = footer_columns(footer)
        is_alike = may_splice_from(footer.created_by) and not is_of_old_calendar(footer)
        return _OpenedFile(
            path=path,
            data=memoryview(data).cast("B"),
            sizes=group_sizes(footer),
            stored=self._in_memory,
            schema=self._schema,
            columns=self._columns,
            marked=self._marked(path),
            statistics=statistics,
            dictionaries=[*repeating, *(item.name for item in self._in_memory if item.name not in with_statistics)],
            spliceable=spliceable and is_alike,
        )

    def _marked(self, path: str) -> np.ndarray[Any, Any]:
        """The positions that a file's deletion vector marks."""
        vector = self._vectors.get(path)
        return np.array([], np.int64) if vector is None else vector_positions(self._stores, self._target, vector)

    @contextmanager
    def _existing(self, path: str) -> Iterator[None]:
        try:
            yield
        except errors.LostDataFileError:
            raise missing_file(self._target, path) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenedFile:
    """See FileInMemory. `stored` are the columns that files of `schema` have."""

    path: str
    data: memoryview
    sizes: Sequence[int]
    stored: StructType
    schema: StructType
    columns: pa.Schema
    marked: np.ndarray[Any, Any]
    statistics: str | None
    dictionaries: Sequence[str]
    spliceable: bool

    def rows(self, group: int, names: Collection[str]) -> pa.Table:
        columns = StructType(tuple(item for item in self.stored if item.name in names))
        return as_stored(row_group_rows(self.path, self.data, group, columns), self.schema)


def partition_values(
    schema: StructType, partition_columns: Sequence[str], files: pa.Table
) -> list[dict[str, str | None]]:
    """The partition values of each file as in the log, by physical name."""
    fields = [field for name in partition_columns if (field := schema.find(name)) is not None]
    rows = files.column("partitionValues").to_pylist() if fields else [{}] * files.num_rows
    folded = ({name.lower(): value for name, value in row.items()} for row in rows)
    return [{physical_name(field): row.get(field.name.lower()) for field in fields} for row in folded]


def partition_folder(path: str, values: Mapping[str, str | None]) -> str:
    """The folders of a file of some partition values, as its writer spelled them; in our words where it has none."""
    folders = PurePosixPath(path).parent.parts[-len(values) :] if values else ()
    if [unquote(folder.partition("=")[0]) for folder in folders] == list(values):
        return "/".join(folders)
    return "/".join(directory_name(name, value) for name, value in values.items())


@dataclass(frozen=True, slots=True)
class Positions:
    """Sorted row indexes by file URI (spelled as Spark does), and number of rows by 1-based action number.

    `fired` counts a row once for every source row that it matched.
    """

    rows: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)
    fired: int = 0

    @property
    def marked(self) -> int:
        return sum(len(rows) for rows in self.rows.values())

    def counts_of(self, actions: int) -> dict[str, int]:
        """The counters of a rewrite that inserts nothing, by the names of `ActedRows.counters`."""
        return {f"action{number}": self.counts.get(number, 0) for number in range(1, actions + 1)}


def listed_positions(changed: Iterable[tuple[str, int, int]]) -> Positions:
    """Positions from tuples (file URI, row index, action number)."""
    rows: dict[str, set[int]] = defaultdict(set)
    counts: Counter[int] = Counter()
    fired = 0
    for file, row, action in changed:
        rows[file].add(row)
        counts[action] += 1
        fired += 1
    return Positions({file: np.array(sorted(items), np.uint64) for file, items in rows.items()}, counts, fired)


def positions_of(addresses: np.ndarray[Any, Any], actions: np.ndarray[Any, Any], paths: Sequence[str]) -> Positions:
    """Positions from ROW_ADDRESS values (file number and row index in one integer) and the action number of each.

    `paths` are the files by number.
    """
    fired = len(addresses)
    if fired and not (addresses[1:] > addresses[:-1]).all():
        addresses, first = np.unique(addresses, return_index=True)
        actions = actions[first]
    kinds, counts = np.unique(actions, return_counts=True)
    pairs = {spark_uri(paths[file]): rows.astype(np.uint64) for file, rows in rows_by_file(addresses)}
    return Positions(pairs, dict(zip(kinds.tolist(), counts.tolist(), strict=True)), fired)


def candidates(target: Scan, alias: str, keys: Iterable[tuple[EqualKey, Sequence[Any]]], *, are_all: bool) -> Scan:
    """`target`, aliased as `alias`, without the files whose statistics exclude the keys of all source rows.

    With each key come its values in the source, or the least and the greatest of them unless they `are_all`.
    """
    usable = [(key.target, values) for key, values in keys if values and all(_comparable(key.type, v) for v in values)]
    if not usable or target.files.num_rows == 0:
        return target
    described = [
        key_condition(key, values, target.schema, target.partition_columns, alias, are_all=are_all)
        for key, values in usable
    ]
    if target.pruning.narrowed is None:
        files = skipped(target.files, described)
    else:
        paths = target.pruning.narrowed(described)
        files = target.files.filter(pc.is_in(target.files.column("path"), value_set=paths.combine_chunks()))
    return replace(target, files=files)


def _comparable(kind: DataType | None, value: Any) -> bool:
    """Whether a column's min/max bounds compare with a key's value directly, without Spark's casts."""
    match kind:
        case PrimitiveType("string"):
            return type(value) is str
        case PrimitiveType("byte" | "short" | "integer" | "long"):
            return type(value) is int
        case PrimitiveType("date"):
            return type(value) is date
        case DecimalType():
            return type(value) is Decimal
        case _:
            return False


def same_columns(output: StructType, columns: StructType) -> bool:
    """Whether output and target have the same column names and types, so that unchanged rows are copied as they are."""
    return [(item.name, item.type) for item in output] == [(item.name, item.type) for item in columns]


def most_changed(stores: Stores, files: pa.Table) -> float:
    """The maximum number of changed rows in `files` for which this process copies the others, not the engine."""
    return max(FEW_ROWS, LARGE_PART * count_live_rows(stores, files))


def changed_columns(operator: Rewrite) -> Iterator[str]:
    """Names of the columns that an update sets."""
    updates = [action.values for action in operator.actions if action.effect is RowEffect.UPDATE]
    for index, (column, keep) in enumerate(zip(operator.output, operator.unchanged, strict=True)):
        if any(values[index] != keep for values in updates):
            yield column.name


def rewritten_files(
    session: SessionFacts, operator: Rewrite, stage: FileStage, changed: Positions, files: pa.Table
) -> list[RewrittenFile]:
    """The target's files that contain rows of `changed`, for `Stage.succeed`. Raises what `StoredRows` raises."""
    paths = files.column("location").to_pylist()
    stored = StoredRows(session, operator.target, operator.output, paths)
    by_path = {decode_path(uri): (uri, positions) for uri, positions in changed.rows.items()}
    values = partition_values(operator.output, operator.target.partition_columns, files)
    described = zip(files.column("stats").to_pylist(), files.column("size").to_pylist(), strict=True)

    def rewritten(path: str, partition: dict[str, str | None], item: tuple[str | None, int]) -> RewrittenFile:
        statistics, size = item
        uri, positions = by_path[path]
        opened = partial(stored.opened, path, statistics, spliceable=stage.may_splice)
        folder = partition_folder(path, partition)
        return RewrittenFile(uri, partition, folder, size, positions.astype("int64"), opened)

    return [rewritten(*item) for item in zip(paths, values, described, strict=True)]


def marked(operator: Rewrite, done: RewriteOutcome, changed: Positions) -> RewriteOutcome:
    """`done` with the rows of `changed` as deletion vectors: no file of the target is replaced."""
    files = subset(operator, changed.rows)
    paths = dict(zip(files.column("location").to_pylist(), files.column("path").to_pylist(), strict=True))
    rows = {paths[decode_path(uri)]: indexes for uri, indexes in changed.rows.items()}
    return replace(done, copied=0, marked=rows)


def subset(operator: Rewrite, uris: Iterable[str]) -> pa.Table:
    """The entries of the target's file list for some file URIs (spelled as Spark does)."""
    files = operator.target.files
    paths = pa.array([decode_path(uri) for uri in uris], pa.string())
    return files.filter(pc.is_in(files.column("location"), paths))


def outcome(
    operator: Rewrite, staged: Staged, removed: pa.Table | None, per_action: tuple[int, ...], source_rows: int
) -> RewriteOutcome:
    """Outcome of a copy-on-write rewrite: `staged` files replace those of the list `removed`."""
    pairs = zip(operator.actions, per_action, strict=True)
    changed = sum(count for action, count in pairs if action.effect is not RowEffect.DELETE)
    paths = () if removed is None else tuple(removed.column("path").to_pylist())
    return RewriteOutcome(staged, paths, per_action, staged.rows - changed, source_rows)


def unite_in_process(session: SessionFacts, operator: Rearrange, stage: FileStage) -> Staged:
    """Stages the united files without an engine. Raises LeftToEngineError, with nothing staged, where one is needed.

    Raises what `united` raises.
    """
    session.require_computing()
    if operator.curve is not None or operator.stores_partitions:
        raise LeftToEngineError("rows are sorted by several columns, or partition values are stored with them")
    sizes, location = bin_sizes(operator), operator.target.table.location
    if not are_copyable(operator.target, stage, sizes, most_bytes(session)):
        raise LeftToEngineError("only the engine copies such columns, or files of this size")
    if not evaluated_in_process(session, location, pc.sum(sizes).as_py() or 0):
        raise LeftToEngineError("the engine's executors move the files")
    try:
        return united(session, operator, stage)
    except LeftToEngineError:
        stage.discard()
        raise


def united(session: SessionFacts, operator: Rearrange, stage: FileStage) -> Staged:
    """Stages one file for each bin; its `origin` is the bin's number.

    Raises LeftToEngineError for dates of another calendar, DataFileNotFoundError, UnreadableDataFileError, and
    StorageError.
    """
    target, schema = operator.target, data_schema(operator)
    paths = target.files.column("location").to_pylist()
    stored = StoredRows(session, target, schema, paths)
    members: dict[int, list[int]] = {}
    for row, number in enumerate(operator.bins.to_pylist()):
        members.setdefault(number, []).append(row)
    values = partition_values(target.schema, target.partition_columns, target.files)
    bins = [
        CompactionGroup(str(number), values[rows[0]], size, partial(stored.pieces, [paths[row] for row in rows]))
        for (number, rows), size in zip(members.items(), bin_sizes(operator).to_pylist(), strict=True)
    ]
    return stage.unite(bins, schema)


def data_schema(operator: Rearrange) -> StructType:
    """The data columns; partition columns are left out, since partition values stay in the log, spelled as there."""
    partitions = {name.lower() for name in operator.target.partition_columns}
    return StructType(tuple(field for field in operator.target.schema if field.name.lower() not in partitions))


def bin_sizes(operator: Rearrange) -> pa.ChunkedArray:
    """Total bytes of the files of each bin."""
    sizes = pa.table({"bin": operator.bins, "size": operator.target.files.column("size")})
    return sizes.group_by("bin").aggregate([("size", "sum")]).column("size_sum")


def bin_numbers(operator: Rearrange) -> tuple[int, ...]:
    """The numbers of the bins, each of which becomes one file."""
    return tuple(range(operator.bins[-1].as_py() + 1))


def most_bytes(session: SessionFacts) -> int:
    """How big a united file may be: it is in memory as its row groups, and once more as a whole."""
    return memory_limit(session) // UNPACKED
