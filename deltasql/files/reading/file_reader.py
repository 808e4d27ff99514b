"""Reading of data files by Arrow in this process, with the rows that Spark's reader gives.

Parts of files are read independently of one another, ahead of their use and in bounded memory. Row counts come from the
statistics in the log, else from footers. The tasks of a Spark stream read their files by this module, too.

Files may have dates of the Julian calendar, in use before 1582: only Spark's reader converts them to today's calendar.
Source: Spark, `spark.sql.parquet.datetimeRebaseModeInRead`; the footer of a file has precedence over the setting.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial, reduce
from itertools import accumulate
from typing import Any, TypeVar

from deltasql.base import LeftToEngineError, Numbers, np, pa, parse_timestamp, pc, pq, zone
from deltasql.files.footers import awaited, footer, readable, says_old_calendar, working
from deltasql.log import (
    AddFile,
    LogStore,
    Stores,
    StreamFile,
    absolute,
    deleted_counts,
    deleted_rows,
    encode_path,
    folder_and_name,
    hadoop_location,
    is_local,
    live_rows,
    record_count,
)
from deltasql.plan import Scan, hidden_names
from deltasql.schema import (
    CHANGE_TYPE,
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    arrow_schema,
    bare_schema,
    declared_type,
    has_lengths,
    length_of,
    physical_name,
    plain_arrow_type,
    typed,
)

BATCH_ROWS = 1 << 16


def batches(
    file: StreamFile, schema: StructType, target: pa.Schema, store: LogStore, time_zone: str | None
) -> Iterator[pa.RecordBatch]:
    """The rows of `file` that count, as `target`, which has the columns of `schema` in Arrow's types.

    Columns that the file lacks are partition values, what the file's version says of it, or NULL. Values of narrower
    types are widened. `time_zone` is that of partition values without one.
    """
    constants = _constants(file, schema, time_zone)
    positions = _positions(file, store)
    folder, file_name = folder_and_name(file.path)
    with readable(file.path), pq.ParquetFile(store.at(folder).open_input(file_name)) as opened:
        stored = {name.lower(): name for name in opened.schema_arrow.names}
        stored_columns = [name for item in schema if (name := stored.get(physical_name(item).lower())) is not None]
        at = 0
        for batch in opened.iter_batches(
            BATCH_ROWS, columns=[name for name in stored_columns if name.lower() not in constants]
        ):
            live = _live(batch, at, positions, keep=file.marked is not None)
            at += batch.num_rows
            if not live.num_rows:
                continue
            columns = [
                _column(item, field.type, live, stored, constants) for item, field in zip(schema, target, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=target)


def _live(batch: pa.RecordBatch, at: int, rows: np.ndarray[Any, Any] | None, *, keep: bool) -> pa.RecordBatch:
    """The rows of a batch, whose first stands at position `at` of its file, that count: `rows`, or all but these."""
    if rows is None:
        return batch
    first, last = np.searchsorted(rows, [at, at + batch.num_rows])
    mask = np.full(batch.num_rows, not keep)
    mask[rows[first:last].astype(np.int64) - at] = keep
    return batch.filter(pa.array(mask))


def _positions(file: StreamFile, store: LogStore) -> np.ndarray[Any, Any] | None:
    """The rows that do not count, or of a file with `marked` rows those that do."""
    if file.marked is not None:
        return file.marked
    return None if file.vector is None else deleted_rows(store, file.vector)


def _constants(file: StreamFile, schema: StructType, time_zone: str | None) -> dict[str, Any]:
    """The values that all rows of the file have, by physical name in lower case."""
    constants: dict[str, Any] = {}
    for item in schema:
        name = physical_name(item)
        if name in file.partition_values:
            constants[name.lower()] = _typed(file.partition_values[name], item.type, time_zone)
    if file.change is not None:
        constants[CHANGE_TYPE] = file.change
    constants[COMMIT_VERSION] = file.version
    constants[COMMIT_TIMESTAMP] = datetime.fromtimestamp(file.time_ms / 1000, timezone.utc)
    return constants


def _typed(text: str | None, kind: DataType, time_zone: str | None) -> Any:
    if not text or kind not in {TIMESTAMP, TIMESTAMP_NTZ}:
        return typed(text, kind)
    moment = parse_timestamp(text)
    if moment is None or kind == TIMESTAMP_NTZ:
        return moment
    return moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone))


def _column(
    item: StructField,
    target: pa.DataType,
    rows: pa.RecordBatch,
    stored: Mapping[str, str],
    constants: Mapping[str, Any],
) -> pa.Array:
    name = physical_name(item).lower()
    if name in constants:
        return pa.repeat(pa.scalar(constants[name], target), rows.num_rows)
    if name not in stored:
        return pa.nulls(rows.num_rows, target)
    return fitted(rows.column(stored[name]), item.type, target)


def fitted(values: pa.Array, kind: DataType, target: pa.DataType) -> pa.Array:
    """`values` as `target`, the Arrow type of `kind`: fields of structs by physical name, missing ones NULL.

    Raises ArrowInvalid for values that are no such type's.
    """
    if values.type.equals(target):
        return values
    plain = plain_arrow_type(values.type)
    if not values.type.equals(plain):
        values = values.cast(plain)
    if pa.types.is_nested(target) and not _alike(values.type, target):
        raise pa.ArrowInvalid(f"a column holds {values.type}, not {target}")
    match kind:
        case StructType():
            stored = {field.name.lower(): index for index, field in enumerate(values.type)}
            children = []
            for item, field in zip(kind, target, strict=True):
                index = stored.get(physical_name(item).lower())
                child = pa.nulls(len(values), field.type)
                children.append(
                    child if index is None else fitted(pc.struct_field(values, [index]), item.type, field.type)
                )
            return pa.StructArray.from_arrays(children, fields=list(target), mask=pc.is_null(values))
        case ArrayType():
            whole = _compact(values)
            items = fitted(whole.values, kind.element, target.value_type)
            return pa.ListArray.from_arrays(whole.offsets, items, type=target, mask=pc.is_null(whole))
        case MapType():
            whole = _compact(values)
            keys = fitted(whole.keys, kind.key, target.key_type)
            items = fitted(whole.items, kind.value, target.item_type)
            return pa.MapArray.from_arrays(whole.offsets, keys, items, type=target, mask=pc.is_null(whole))
        case _:
            return values.cast(target)


def _alike(stored: pa.DataType, target: pa.DataType) -> bool:
    """Whether both are structs, or lists, or maps."""
    kinds = (pa.types.is_struct, pa.types.is_map, lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind))
    return any(is_kind(stored) and is_kind(target) for is_kind in kinds)


def _compact(values: pa.Array) -> pa.Array:
    """A copy of `values` that begins where its buffers do: a slice keeps offsets into what it was cut from."""
    return values.take(pa.array(np.arange(len(values))))


Result = TypeVar("Result")

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
"""Cores that this process may use."""
PIECE_BYTES = 16 << 20
"""In Parquet: adjacent row groups are read together up to this size. Of less, Arrow's calls cost more than the rows."""
_THREADS = 8
_AHEAD_BYTES = 64 << 20
"""In Parquet: pieces up to this size in sum are read ahead, more than CORES of them only below it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its size in bytes of Parquet, at least one, and a function that reads its rows.

    Pieces may be read by several threads at once.
    """

    size: int
    read: Callable[[], pa.Table]

    def mapped(self, change: Callable[[pa.Table], pa.Table]) -> Piece:
        """The piece with `change` applied to its rows, by the thread that reads it."""
        return Piece(self.size, lambda: change(self.read()))


def in_memory(rows: pa.Table) -> Piece:
    """Rows that have been read, as a piece: in Parquet they take about a quarter of their memory."""
    return Piece(rows.nbytes // 4 + 1, lambda: rows)


def tables_of(pieces: Iterable[Piece]) -> Iterator[pa.Table]:
    """The rows of each piece, in the order of the pieces, which are read ahead. Ctrl-C waits for no file."""
    return results_of(pieces, lambda rows: rows)


def results_of(pieces: Iterable[Piece], compute: Callable[[pa.Table], Result]) -> Iterator[Result]:
    """As `tables_of`, what `compute` makes of the rows of each piece, in the thread that reads it."""
    with working(_THREADS) as threads:
        yield from ordered(threads, ((piece.size, partial(_computed, piece, compute)) for piece in pieces))


def _computed(piece: Piece, compute: Callable[[pa.Table], Result]) -> Result:
    return compute(piece.read())


def ordered(threads: ThreadPoolExecutor, tasks: Iterable[tuple[int, Callable[[], Result]]]) -> Iterator[Result]:
    """The results of tasks, in their order; each task comes with the size in bytes of Parquet that it reads.

    Tasks are begun ahead of their use: as many as there are cores, and more if they read little.
    """
    waiting, ahead = deque[tuple[int, Future[Result]]](), 0
    for size, task in tasks:
        while len(waiting) >= CORES and ahead + size > _AHEAD_BYTES:
            done, future = waiting.popleft()
            ahead -= done
            yield awaited(future)
        waiting.append((size, threads.submit(task)))
        ahead += size
    while waiting:
        yield awaited(waiting.popleft()[1])


def group_sizes(footer: pq.FileMetaData) -> list[int]:
    """The number of rows of each row group."""
    return [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]


def group_ranges(sizes: Iterable[int]) -> list[tuple[int, int, int]]:
    """Tuples (number, first row index, row index after the last) of row groups with these numbers of rows."""
    ends = list(accumulate(sizes))
    return list(zip(range(len(ends)), [0, *ends], ends, strict=False))


def groups_together(
    footer: pq.FileMetaData, groups: Iterable[tuple[int, int, int]], size: int
) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Lists of adjacent row groups of at least PIECE_BYTES bytes each, after their size; see `group_ranges`.

    `size` is that of the file. A row group is taken to have its share of the rows, since Arrow aborts the process for
    some damaged column chunks.
    """
    bytes_of_row = size / max(1, footer.num_rows)
    rows, some = 0, list[tuple[int, int, int]]()
    for group in groups:
        if some and (rows * bytes_of_row >= PIECE_BYTES or some[-1][2] != group[1]):
            yield int(rows * bytes_of_row) + 1, some
            rows, some = 0, []
        rows += group[2] - group[1]
        some.append(group)
    if some:
        yield int(rows * bytes_of_row) + 1, some


def row_count(stores: Stores, add: AddFile, root: str) -> int:
    """Rows in a data file, deleted ones too: from the log's statistics, else from the file's footer."""
    rows = record_count(add.stats)
    return footer(stores, absolute(add.path, root)).num_rows if rows is None else rows


def count_live_rows(stores: Stores, files: pa.Table) -> int:
    """Live rows in some data files of the table: from the log's statistics, else from the files' footers."""
    counts = zip(files.column("location").to_pylist(), live_rows(files), deleted_counts(files), strict=True)
    return sum(footer(stores, path).num_rows - gone if rows is None else rows for path, rows, gone in counts)


_AT_ONCE = 8 << 20
"""Smaller files are fetched whole, with one request."""

_FIELDS = StructType(
    (
        StructField("file_path", STRING, nullable=False),
        StructField("file_name", STRING, nullable=False),
        StructField("file_size", LONG, nullable=False),
        StructField("file_block_start", LONG, nullable=False),
        StructField("file_block_length", LONG, nullable=False),
        StructField("file_modification_time", TIMESTAMP, nullable=False),
        StructField("row_index", LONG, nullable=False),
    )
)
"""Fields of Spark's hidden column `_metadata`. Source: Spark, Hidden File Metadata."""
DESCRIPTION = StructField("_metadata", _FIELDS, nullable=False)
ADDRESS = StructField(hidden_names.ROW_ADDRESS, LONG, nullable=False)
"""A row's address in one 64-bit integer: the number of its file in the scan, above the ROW_BITS of its row index."""
ROW_BITS = 40


def split_addresses(addresses: Numbers) -> tuple[Numbers, Numbers]:
    """File numbers and row indexes of ROW_ADDRESS values."""
    return addresses >> ROW_BITS, addresses & (2**ROW_BITS - 1)


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A row filter for files: `mask` returns a mask of wanted rows, computed from `columns` (names).

    Its arguments are the path of a file, these columns of some of its rows, and the number of these rows.
    """

    columns: frozenset[str]
    mask: Callable[[str, pa.Table, int], Numbers]


class FileReader:
    """Reads files of a scan with `columns`: columns that a file lacks are NULL, narrower types are widened.

    Rows without one of the searched keys (see `ReadInProcess`) may be left out; rows that do not satisfy `row_filter`
    are left out. Columns that neither filter uses are read only from row groups with matching rows.
    """

    def __init__(
        self, stores: Stores, operator: Scan, columns: StructType, row_filter: RowFilter | None = None
    ) -> None:
        self.operator = operator
        self._stores, self._columns, self._filter = stores, columns, row_filter
        self._keys = {} if operator.in_process is None else operator.in_process.keys
        filtered = frozenset() if row_filter is None else row_filter.columns
        self._tested = [item for item in columns if item.name in filtered or physical_name(item) in self._keys]
        self._target = reader_schema(columns)
        names = ("location", "size")
        self._sizes = dict(zip(*(operator.files.column(name).to_pylist() for name in names), strict=True))

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the rows: see `reader_schema`."""
        return self._target

    def pieces(self, path: str, marked: Callable[[], Numbers] | None, number: int = 0) -> list[Piece]:
        """The file at `path` (file `number` of the scan) without the rows that are `marked`: see `driver_rows`.

        Row groups of a large local file are pieces, some together if they are small; any other file is one piece.
        Raises LostDataFileError for a missing file, and what `driver_rows` raises, here or where a piece is read.
        """
        size = self._sizes.get(path)
        if size is None or size <= PIECE_BYTES or not is_local(path):
            return [Piece(max(size or 0, 1), partial(self._whole, path, marked, number))]
        store, name = self._stores.of_file(path)
        with readable(path):
            file = _opened(store.open_input(name))
            of_file = self._described_file(path, size, number, file)
            row_indexes = None if marked is None else marked()
            groups = self._groups(file.metadata, row_indexes)

        def read(some: Sequence[tuple[int, int, int]]) -> pa.Table:
            numbers, start, end = [group for group, _, _ in some], some[0][1], some[-1][2]
            deleted = None if row_indexes is None else indexes_between(row_indexes, start, end)
            with readable(path):
                opened = _opened(store.open_input(name), file.metadata)
                return self._part(of_file, partial(_read_groups, opened, numbers), start, end, deleted)

        return [Piece(size, partial(read, some)) for size, some in groups_together(file.metadata, groups, size)]

    def _whole(self, path: str, marked: Callable[[], Numbers] | None, number: int) -> pa.Table:
        store, name = self._stores.of_file(path)
        size = self._sizes.get(path)
        with readable(path):
            fetched = store.read(name) if size is None or size <= _AT_ONCE else None
            source = store.open_input(name) if fetched is None else pa.BufferReader(fetched)
            file = _opened(source)
            of_file = self._described_file(path, source.size(), number, file)
            row_indexes = None if marked is None else marked()
            return self._part(of_file, partial(_read_all, file), 0, file.metadata.num_rows, row_indexes)

    def _described_file(self, path: str, size: int, number: int, file: pq.ParquetFile) -> _File:
        store, name = self._stores.of_file(path)
        modified = store.head(name).modified if self.operator.described else 0
        return _File(path, size, modified, number, _stored_names(file, self._columns))

    def _groups(self, footer: pq.FileMetaData, row_indexes: Numbers | None) -> list[tuple[int, int, int]]:
        """The row groups to read, as tuples (number, first row index, row index after the last)."""
        groups = group_ranges(group_sizes(footer))
        if row_indexes is None or not self.operator.marked_only:
            return groups
        return [group for group in groups if len(indexes_between(row_indexes, *group[1:]))] or groups[:1]

    def _part(
        self, file: _File, read: Callable[[Sequence[str]], pa.Table], start: int, end: int, row_indexes: Numbers | None
    ) -> pa.Table:
        """The rows of a file with the indexes from `start` to `end`, with the reader's columns.

        `read` returns columns of these rows by their names in the file. Rows at `row_indexes`, relative to `start`, are
        left out, or with the scan's `marked_only` all others.
        """
        tested = [name for item in self._tested if (name := file.stored.get(physical_name(item))) is not None]
        rows = read(tested if self._tested else list(file.stored.values()))
        if rows.num_columns and rows.num_rows != end - start:
            raise ValueError(f"it has {rows.num_rows} rows where its footer tells of {end - start}")
        chosen = self._chosen(file, rows, end - start, row_indexes)
        others = [name for name in file.stored.values() if name not in tested] if self._tested else []
        if chosen is not None and not chosen.any():
            return self._target.empty_table()
        return self._with_columns(file, _beside(rows, read(others)) if others else rows, start, end, chosen)

    def _with_columns(self, file: _File, rows: pa.Table, start: int, end: int, chosen: Numbers | None) -> pa.Table:
        """The `chosen` rows of `rows`, which have the indexes from `start` to `end`, with the reader's columns."""
        mask = None if chosen is None else pa.array(chosen)

        def numbers() -> Numbers:
            """The row indexes of the chosen rows."""
            indexes = np.arange(start, end)
            return indexes if chosen is None else indexes[chosen]

        def column(item: StructField, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
            if item is DESCRIPTION:
                return _described(file, numbers(), kind)
            if item is ADDRESS:
                return pa.array((file.number << ROW_BITS) + numbers())
            # Converted before it is filtered: Arrow cannot filter values of all types.
            stored = _stored(rows, file.stored, item, kind)
            return stored if mask is None else stored.filter(mask)

        values = [column(item, field.type) for item, field in zip(self._columns, self._target, strict=True)]
        return pa.Table.from_arrays(values, schema=self._target)

    def _chosen(self, file: _File, rows: pa.Table, count: int, row_indexes: Numbers | None) -> Numbers | None:
        """Mask of the wanted rows among `count` rows, which have the tested columns; None for all."""
        groups = []
        if row_indexes is not None and (self.operator.marked_only or len(row_indexes)):
            groups.append(index_mask(count, row_indexes, inside=self.operator.marked_only))
        kinds = [self._target.field(item.name).type for item in self._tested]
        columns = [_stored(rows, file.stored, item, kind) for item, kind in zip(self._tested, kinds, strict=True)]
        for item, column in zip(self._tested, columns, strict=True):
            values = self._keys.get(physical_name(item))
            # A lookup costs time by the number of values, however few the rows are.
            if values is not None and len(values) <= count:
                groups.append(are_among(column, values))
        if self._filter is not None:
            table = pa.Table.from_arrays(columns, names=[item.name for item in self._tested])
            groups.append(self._filter.mask(file.path, table, count))
        return reduce(lambda some, more: some & more, groups) if groups else None


@dataclass(frozen=True, slots=True)
class _File:
    """A file: `size` in bytes, time when it was `modified` in ms since the epoch, its number in the scan, and the names
    of its columns in the file by physical name (`stored`)."""

    path: str
    size: int
    modified: int
    number: int
    stored: Mapping[str, str]


def are_among(column: pa.Array | pa.ChunkedArray, values: pa.Array) -> Numbers:
    """Mask of the values of a column that are among `values`; False for NULL."""
    wide = widest(column)
    mask: Numbers = pc.is_in(wide, value_set=values.cast(wide.type), skip_nulls=True).to_numpy(zero_copy_only=False)
    return mask


def widest(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Integers as 64-bit integers; other values unchanged."""
    return values.cast(pa.int64()) if pa.types.is_integer(values.type) else values


def indexes_between(row_indexes: Numbers, start: int, end: int) -> Numbers:
    """The sorted row indexes `row_indexes` that are in [start, end), relative to `start`."""
    first, count = slice_between(row_indexes, start, end)
    return row_indexes[first : first + count] - start


def slice_between(row_indexes: Numbers, start: int, end: int) -> tuple[int, int]:
    """Offset and length of the slice of the sorted row indexes `row_indexes` that is in [start, end)."""
    first, last = np.searchsorted(row_indexes, [start, end]).tolist()
    return first, last - first


def index_mask(rows: int, row_indexes: Numbers, *, inside: bool) -> Numbers:
    """Boolean mask over `rows` rows: True at the indexes `row_indexes`, or with `inside` False everywhere else."""
    mask = np.full(rows, not inside)
    mask[row_indexes] = inside
    return mask


def read_schema(columns: StructType) -> StructType:
    """The schema that readers return: nullable data columns, then DESCRIPTION and ADDRESS, which are NOT NULL."""
    of_row = tuple(item for item in columns if _is_virtual(item))
    return StructType((*bare_schema(StructType(tuple(item for item in columns if not _is_virtual(item)))), *of_row))


def reader_schema(columns: StructType) -> pa.Schema:
    """`read_schema` as an Arrow schema. Raises LeftToEngineError for a type that this process does not read."""
    return arrow_schema(read_schema(columns))


def _is_virtual(item: StructField) -> bool:
    """Whether a column is not stored in files: DESCRIPTION or ADDRESS."""
    return item is DESCRIPTION or item is ADDRESS


def row_group_rows(path: str, data: memoryview, group: int, columns: StructType) -> pa.Table:
    """All rows of one row group of a file in memory, with `columns` as `reader_schema` has them.

    Raises LeftToEngineError for dates of the Julian calendar, UnreadableDataFileError.
    """
    target = reader_schema(columns)
    with readable(path):
        file = _opened(pa.BufferReader(data))
        stored = _stored_names(file, columns)
        rows = _read_groups(file, [group], list(stored.values()))
        values = [_stored(rows, stored, item, kind.type) for item, kind in zip(columns, target, strict=True)]
        return pa.Table.from_arrays(values, schema=target)


def footer_columns(footer: pq.FileMetaData) -> tuple[list[str], list[str]]:
    """Names of a file's top-level columns, and Parquet paths of its leaf columns with dictionaries."""
    if not footer.num_row_groups:
        return [], []
    group = footer.row_group(0)
    chunks = [group.column(number) for number in range(group.num_columns)]
    repeating = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page]
    return list(dict.fromkeys(chunk.path_in_schema.partition(".")[0] for chunk in chunks)), repeating


def _opened(source: pa.NativeFile, footer: pq.FileMetaData | None = None) -> pq.ParquetFile:
    """An open Parquet file, whose values Arrow reads as Spark does, except dates of the Julian calendar.

    `footer` is the file's, if it was read before. Raises ValueError if the numbers of rows are inconsistent.
    """
    # A buffer in memory need not be copied first: 0.40 s → 0.24 s for 5,000,000 rows.
    in_memory = isinstance(source, pa.BufferReader)
    file = pq.ParquetFile(source, metadata=footer, coerce_int96_timestamp_unit="us", pre_buffer=not in_memory)
    # Checked before memory is allocated: a damaged number of rows is mostly too large for it.
    if footer is None and sum(group_sizes(file.metadata)) != file.metadata.num_rows:
        raise ValueError(f"its row groups do not have the {file.metadata.num_rows} rows that its footer tells of")
    return file


def _read_all(file: pq.ParquetFile, names: Sequence[str]) -> pa.Table:
    """Some columns of all rows."""
    return _days_checked(file, file.read(columns=list(names)))


def _read_groups(file: pq.ParquetFile, groups: Sequence[int], names: Sequence[str]) -> pa.Table:
    """Some columns of some row groups."""
    return _days_checked(file, file.read_row_groups(groups, columns=list(names), use_threads=False))


def _beside(rows: pa.Table, more: pa.Table) -> pa.Table:
    """`rows` with the columns of `more` appended; both have equally many rows."""
    return pa.Table.from_arrays([*rows.columns, *more.columns], names=[*rows.column_names, *more.column_names])


def _days_checked(file: pq.ParquetFile, rows: pa.Table) -> pa.Table:
    """`rows`, read from `file`. Raises LeftToEngineError for dates of the Julian calendar."""
    if has_old_days(file.metadata, rows):
        raise LeftToEngineError(OLD_DAYS)
    return rows


def _stored_names(file: pq.ParquetFile, columns: StructType) -> dict[str, str]:
    """Names in the file, by physical name, of those `columns` that it has; compared without case."""
    names_by_lower = {name.lower(): name for name in file.schema_arrow.names}
    names = map(physical_name, columns)
    return {name: names_by_lower[name.lower()] for name in names if name.lower() in names_by_lower}


def _stored(
    rows: pa.Table, stored: Mapping[str, str], item: StructField, kind: pa.DataType
) -> pa.Array | pa.ChunkedArray:
    """The values of a column as Arrow type `kind`; NULLs if the file lacks it. `stored` is that of `_File`."""
    name = stored.get(physical_name(item))
    if name is None:
        return pa.nulls(rows.num_rows, kind)
    declared = declared_type(item)
    column = rows.column(name)
    if column.type.equals(kind) and not has_lengths(declared):
        # Unchanged: large columns need no copy.
        return column
    return _padded(fitted(column.combine_chunks(), item.type, kind), declared)


def _padded(values: pa.Array, declared: DataType) -> pa.Array:
    """`values` with CHAR(n) texts padded to their length, for files of writers that do not pad."""
    length = length_of(declared)
    if length is not None and length.kind == "char":
        return pc.utf8_rpad(values, width=length.length, padding=" ")
    if not has_lengths(declared):
        return values
    match declared:
        case StructType():
            children = [_padded(pc.struct_field(values, [at]), item.type) for at, item in enumerate(declared)]
            return pa.StructArray.from_arrays(children, fields=list(values.type), mask=pc.is_null(values))
        case ArrayType(element):
            items = _padded(values.values, element)
            return pa.ListArray.from_arrays(values.offsets, items, type=values.type, mask=pc.is_null(values))
        case MapType(key, value):
            pairs = _padded(values.keys, key), _padded(values.items, value)
            return pa.MapArray.from_arrays(values.offsets, *pairs, type=values.type, mask=pc.is_null(values))
        case _:
            return values


def _described(file: _File, numbers: Numbers, kind: pa.StructType) -> pa.Array:
    """Values of the column `_metadata` for the rows of a file with these row indexes."""
    values: dict[str, Any] = {
        "file_path": spark_uri(file.path),
        "file_name": encoded_name(file.path),
        "file_size": file.size,
        "file_block_start": 0,
        "file_block_length": file.size,
        "file_modification_time": datetime.fromtimestamp(file.modified / 1000, timezone.utc),
    }
    children = [pa.repeat(pa.scalar(values[field.name], field.type), len(numbers)) for field in list(kind)[:-1]]
    return pa.StructArray.from_arrays([*children, pa.array(numbers)], fields=list(kind))


def encoded_name(path: str) -> str:
    return encode_path(path.rpartition("/")[2])


def spark_uri(path: str) -> str:
    """An absolute path as in Spark's `_metadata.file_path`: percent-encoded, with `file:` before a local path."""
    return f"file:{encode_path(path)}" if path.startswith("/") else encode_path(hadoop_location(path))


_FIRST_INT96 = b"3.1.0"
"""The version of Spark since which INT96 is of today's calendar; versions are compared as texts, as Spark does."""
_NEW_DAYS = -141_427
"""1582-10-15, as a DATE is stored: from this day on the calendars agree."""


OLD_DAYS = "data files have days of the Julian calendar before 1582"
"""The reason for which Spark reads them."""


def has_old_days(footer: pq.FileMetaData, rows: pa.Table) -> bool:
    """Whether columns that were read of a file may hold a day that its writer meant otherwise.

    So does a time before 1970, since zones of time were others in old calendars; nested days are not looked at.
    """
    return is_of_old_calendar(footer) and any(_is_early(column) for column in rows.columns if _has_days(column.type))


def is_of_old_calendar(footer: pq.FileMetaData) -> bool:
    """Whether a file says that days and times in it are such, if it has any."""
    properties: Mapping[bytes, bytes] = footer.metadata or {}
    if says_old_calendar(properties):
        return True
    return says_old_calendar(properties, _FIRST_INT96) and "INT96" in _physical_types(footer)


def _physical_types(footer: pq.FileMetaData) -> Iterator[str]:
    return (footer.schema.column(number).physical_type for number in range(footer.num_columns))


def _has_days(kind: pa.DataType) -> bool:
    if pa.types.is_nested(kind):
        return any(_has_days(kind.field(number).type) for number in range(kind.num_fields))
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _is_early(column: pa.ChunkedArray) -> bool:
    if pa.types.is_nested(column.type):
        return True
    width, first = (pa.int32(), _NEW_DAYS) if pa.types.is_date32(column.type) else (pa.int64(), 0)
    return bool(pc.any(pc.less(column.cast(width), first)).as_py())
