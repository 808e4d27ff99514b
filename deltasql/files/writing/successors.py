"""Copy-on-write successors of data files: unchanged rows and columns are copied, not computed anew.

No engine sees unchanged rows. A row group is decoded only if it loses rows; if it keeps all rows, only its changed
columns are decoded, and nothing if nothing changes. See `spliced_files`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Protocol

from deltasql.base import Numbers, errors, np, pa, pc, pq
from deltasql.files.footers import awaited, working
from deltasql.files.reading.file_reader import CORES, Piece, group_ranges, index_mask, indexes_between, slice_between
from deltasql.files.statistics.of_footers import FloatRange, float_ranges, has_floats, united
from deltasql.files.writing.arrow_files import (
    CHANGE_DATA,
    ORIGIN,
    TableFiles,
    WrittenFile,
    directory_of,
    encoded,
    write_united,
)
from deltasql.files.writing.spliced_files import NotSplicedError, joined, row_group_sizes, spliced
from deltasql.log import LogStore
from deltasql.plan import ANY_SHAPE, FileShape, hidden_names
from deltasql.schema import CHANGE_TYPE, StructType

MOST_FILES = 4
"""Most files in memory at once."""


class FileInMemory(Protocol):
    """A data file in memory.

    `sizes` are the numbers of rows of its row groups, `columns` is the schema of the table's newly written files,
    `marked` has the sorted row indexes of its deletion vector, `statistics` is their JSON in the log, and
    `dictionaries` are the paths of the columns to be dictionary-encoded. A file that is not `spliceable` must be
    decoded and written anew completely.
    """

    @property
    def data(self) -> memoryview: ...
    @property
    def sizes(self) -> Sequence[int]: ...
    @property
    def columns(self) -> pa.Schema: ...
    @property
    def marked(self) -> Numbers: ...
    @property
    def statistics(self) -> str | None: ...
    @property
    def dictionaries(self) -> Sequence[str]: ...
    @property
    def spliceable(self) -> bool: ...

    def rows(self, group: int, names: Collection[str]) -> pa.Table:
        """All rows of a row group with the columns `names`, in the form in which files store them."""


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A data file to be replaced by a successor; the rows with the sorted indexes `removed` are deleted or updated.

    `origin` is the file's URI, which updated rows have in ORIGIN; `partition_values` are as in the log, by physical
    name, `folder` is their partition folder below the statement's directory, and `size` is in bytes.
    """

    origin: str
    partition_values: Mapping[str, str | None]
    folder: str
    size: int
    removed: Numbers
    open: Callable[[], FileInMemory]


@dataclass(frozen=True, slots=True)
class CompactionGroup:
    """Rows that become one file, identified by `origin`; `pieces` returns them as files store them.

    `size` is that of the files in which they are now, in bytes.
    """

    origin: str
    partition_values: Mapping[str, str | None]
    size: int
    pieces: Callable[[], Iterable[Piece]]


Successors = list[tuple[RewrittenFile | CompactionGroup, WrittenFile]]


@dataclass(frozen=True, slots=True)
class Copied:
    """Files written by a rewrite: successors of files, other new files, and change data files."""

    successors: Successors
    others: Sequence[WrittenFile]
    feed: Sequence[WrittenFile]


@dataclass(frozen=True, slots=True)
class NewRows:
    """New rows, grouped by the values of ORIGIN, of IS_CHANGE if there is a change feed, and of the partition columns.

    Besides the columns of files they have ROW_INDEX, the index of the row that they replace (NULL: none). `changed` are
    the physical names of columns in which a row may differ from the replaced one: of a row that stays in its file, the
    others are ignored.
    """

    parts: Sequence[tuple[Mapping[str, str | None], pa.Table]]
    changed: frozenset[str]


def united_files(
    store: LogStore,
    bins: Sequence[CompactionGroup],
    directory: str,
    schema: StructType,
    at_once: int = MOST_FILES,
    shape: FileShape = ANY_SHAPE,
) -> Successors:
    """Writes one file for each bin into `directory`, below the table's root; `schema` is the table's.

    `at_once` files are in memory encoded side by side; CORES pieces are decoded.
    """
    files = TableFiles(store, schema, in_partitions=any(item.partition_values for item in bins), shape=shape)

    def write(number: int, item: CompactionGroup, workers: ThreadPoolExecutor) -> WrittenFile:
        return write_united(files, number, f"{directory}/{ORIGIN}={item.origin}", item.pieces(), schema, workers)

    with working(len(bins), at_once, settles=True) as threads, working(CORES, CORES) as workers:
        written = [threads.submit(write, number, item, workers) for number, item in enumerate(bins)]
        return [(item, awaited(future)) for item, future in zip(bins, written, strict=True)]


def copy_unchanged(
    store: LogStore,
    rewritten: Sequence[RewrittenFile],
    new: NewRows,
    directory: str,
    schema: StructType,
    at_once: int = MOST_FILES,
    shape: FileShape = ANY_SHAPE,
) -> Copied:
    """Writes the unchanged rows, and new ones, into `directory`, below the table's root; `schema` is the table's.

    An updated row that stays in its partition goes into the successor of its file, at its old row index. A file that
    loses all rows has no successor. `at_once` files are in memory side by side. After an error or Ctrl-C no thread
    continues to write.
    """
    images, others = _sorted(rewritten, new, directory)
    files = TableFiles(store, schema, in_partitions=any(item.partition_values for item in rewritten), shape=shape)

    def succeed(number: int, item: RewrittenFile, workers: ThreadPoolExecutor) -> WrittenFile | None:
        return _Successor(item, images[item.origin], new.changed, workers, shape).write(files, number, directory)

    def write(number: int, folder: str, tables: Sequence[pa.Table]) -> list[WrittenFile]:
        return files.write_all(number, folder, _concatenated(tables))

    with working(len(rewritten) + len(others), at_once, settles=True) as threads, working(CORES, CORES) as workers:
        copies = [threads.submit(succeed, number, item, workers) for number, item in enumerate(rewritten)]
        more = [
            threads.submit(write, number, *images_of)
            for number, images_of in enumerate(others.items(), start=len(rewritten))
        ]
        copied = [awaited(future) for future in copies]
        written = [file for future in more for file in awaited(future)]
    successors: Successors = [(item, file) for item, file in zip(rewritten, copied, strict=True) if file is not None]
    return Copied(successors, *_apart(written))


def _apart(written: Sequence[WrittenFile]) -> tuple[list[WrittenFile], list[WrittenFile]]:
    """Splits written files into data files and change data files."""
    feed = [file for file in written if file.path.parts[0] == CHANGE_DATA]
    return [file for file in written if file not in feed], feed


def _sorted(
    rewritten: Sequence[RewrittenFile], new: NewRows, directory: str
) -> tuple[dict[str, list[pa.Table]], dict[str, list[pa.Table]]]:
    """Updated rows for the successor of each file, by its URI, and all other new rows, by their directory."""
    images: dict[str, list[pa.Table]] = {item.origin: [] for item in rewritten}
    partitions = {item.origin: item.partition_values for item in rewritten}
    others: dict[str, list[pa.Table]] = {}
    for values, table in new.parts:
        origin, is_change = values[ORIGIN], values.get(hidden_names.IS_CHANGE) == "true"
        row_values = _values_without(values, ORIGIN, hidden_names.IS_CHANGE)
        # Partition values that do not change may be spelled otherwise in the log.
        stays = new.changed.isdisjoint(row_values) or partitions.get(origin or "") == row_values
        if not is_change and origin is not None and stays:
            images[origin].append(table)
        else:
            ours = {hidden_names.ROW_INDEX} if is_change else {hidden_names.ROW_INDEX, CHANGE_TYPE}
            stored = table.drop_columns([name for name in table.column_names if name in ours])
            others.setdefault(directory_of(directory, _values_without(values, ORIGIN)), []).append(stored)
    return images, others


def _values_without(values: Mapping[str, str | None], *names: str) -> dict[str, str | None]:
    return {name: value for name, value in values.items() if name not in names}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A row group of a successor: a file with its new columns, or None if it is unchanged; and its float ranges."""

    data: pa.Buffer | None
    floats: Mapping[str, FloatRange] = field(default_factory=dict)


class _Successor:
    """Writes the successor of a data file, row group by row group."""

    def __init__(
        self,
        rewritten: RewrittenFile,
        images: Sequence[pa.Table],
        changed: Collection[str],
        workers: ThreadPoolExecutor,
        shape: FileShape,
    ) -> None:
        self._rewritten, self._images, self._changed = rewritten, _in_order(images), changed
        self._workers, self._shape = workers, shape
        self._file = rewritten.open()
        self._stored = pq.read_schema(pa.BufferReader(self._file.data))

    def write(self, files: TableFiles, number: int, directory: str) -> WrittenFile | None:
        """Writes the successor; None if it has no rows. Raises what reading raises, StorageError, RowsLostError."""
        # Single columns can be replaced only where each row group keeps its number of rows. A row that is deleted, now
        # or before by a deletion vector, must leave all columns.
        stay = len(self._file.marked) == 0 and self._images.num_rows == len(self._rewritten.removed)
        names = [name for name in self._file.columns.names if not stay or name in self._changed]
        old_statistics: Mapping[str, Any] = _of_others(self._file.statistics, names)
        new_file = self._spliced(names)
        if new_file is None:
            old_statistics, new_file = {}, self._anew()
        data, floats = new_file
        row_count = sum(row_group_sizes(memoryview(data)))
        due = sum(self._file.sizes) + self._images.num_rows - len(self._rewritten.removed) - len(self._file.marked)
        # The old file is removed by the commit, so a row that is missing in the successor would be lost for good.
        if row_count != due:
            raise errors.RowsLostError(file=self._rewritten.origin, found=row_count, due=due)
        if not row_count:
            return None
        bounds = {path: item.bounds for path, item in floats.items()}
        folder = f"{directory}/{self._rewritten.folder}" if self._rewritten.folder else directory
        return files.write_encoded(number, folder, data, bounds, old_statistics)

    def _spliced(self, names: Collection[str]) -> tuple[pa.Buffer, dict[str, FloatRange]] | None:
        """The successor with the columns `names` written anew (all columns if rows are deleted), and its float ranges.

        None if the file cannot be spliced.
        """
        if not self._file.spliceable:
            return None
        pieces = self._pieces(partial(self._piece, names))
        try:
            data = spliced(self._file.data, [None if item.data is None else memoryview(item.data) for item in pieces])
            # Copied chunks have the types and field ids of the old file. The table may have widened a type, or added or
            # dropped a column since.
            _check_columns(data, self._file.columns)
        except NotSplicedError:
            return None
        return data, united(item.floats for item in pieces)

    def _anew(self) -> tuple[pa.Buffer, dict[str, FloatRange]]:
        """The successor with all columns decoded and written anew, and its float ranges."""
        pieces = self._pieces(partial(self._piece, self._file.columns.names, always=True))
        data = joined([memoryview(item.data) for item in pieces if item.data is not None])
        return data, united(item.floats for item in pieces)

    def _pieces(self, piece: Callable[[int, int, int], _Piece]) -> list[_Piece]:
        futures = [self._workers.submit(piece, *group) for group in group_ranges(self._file.sizes)]
        return [future.result() for future in futures]

    def _piece(self, names: Collection[str], group: int, start: int, end: int, *, always: bool = False) -> _Piece:
        """The row group with the rows from `start` to `end`, as a file with the columns `names`.

        Without data if it is unchanged, unless it is to be written `always`.
        """
        marked, gone = (
            indexes_between(indexes, start, end) for indexes in (self._file.marked, self._rewritten.removed)
        )
        images = self._images.slice(*slice_between(self._images.column(hidden_names.ROW_INDEX).to_numpy(), start, end))
        floats = [item.name for item in self._file.columns if item.name in names and has_floats(item.type)]
        # Columns that change elsewhere in the file get new bounds, for which this row group counts as well. Bounds
        # of floats in a footer may leave out NaN, so the values are read.
        if not (always or (names and (len(marked) or len(gone)))):
            return _Piece(None, float_ranges(self._file.rows(group, floats)) if floats else {})
        rows = self._file.rows(group, names)
        at = images.column(hidden_names.ROW_INDEX).to_numpy() - start
        # Images first: row indexes are those before any row is dropped.
        rows = _without(_with_images(rows, at, images, self._changed), marked, _minus(gone, at))
        rows = _defined_like(rows, self._stored)
        # One row group, also of more rows than Arrow puts into one: it replaces one row group of the old file.
        data = encoded(rows, self._file.dictionaries, max(rows.num_rows, 1), self._shape)
        return _Piece(data, float_ranges(rows.select(floats)))


def _minus(row_indexes: Numbers, others: Numbers) -> Numbers:
    return np.setdiff1d(row_indexes, others, assume_unique=True)


def _without(rows: pa.Table, *row_indexes: Numbers) -> pa.Table:
    """`rows` without those at the row indexes `row_indexes`."""
    gone = np.concatenate(row_indexes)
    return rows.filter(pa.array(index_mask(rows.num_rows, gone, inside=False))) if len(gone) else rows


def _in_order(images: Sequence[pa.Table]) -> pa.Table:
    """All updated rows, sorted by ROW_INDEX."""
    if not images:
        return pa.table({hidden_names.ROW_INDEX: pa.array([], pa.int64())})
    rows = _concatenated(images)
    return rows.take(pc.sort_indices(rows.column(hidden_names.ROW_INDEX))).combine_chunks()


def _with_images(rows: pa.Table, row_indexes: Numbers, images: pa.Table, changed: Collection[str]) -> pa.Table:
    """`rows` with the columns `changed` replaced, at the sorted row indexes `row_indexes`, by those of `images`."""
    if not len(row_indexes):
        return rows
    columns = [
        _replaced(column, row_indexes, images.column(name)) if name in changed else column
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=rows.schema)


def _replaced(column: pa.ChunkedArray, row_indexes: Numbers, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column` with `values` at the sorted row indexes `row_indexes`."""
    chunks, start = [], 0
    for chunk in column.chunks:
        first, count = slice_between(row_indexes, start, start + len(chunk))
        indexes = row_indexes[first : first + count] - start
        chunks.append(_with_values(chunk, indexes, values.slice(first, count)) if count else chunk)
        start += len(chunk)
    return pa.chunked_array(chunks, column.type)


def _with_values(chunk: pa.Array, row_indexes: Numbers, values: pa.ChunkedArray) -> pa.Array:
    new = pa.concat_arrays(values.chunks)
    # Arrow's replace_with_mask has no kernel for nested types.
    if pa.types.is_nested(chunk.type):
        order = np.arange(len(chunk))
        order[row_indexes] = np.arange(len(chunk), len(chunk) + len(new))
        return pa.concat_arrays([chunk, new]).take(pa.array(order))
    mask = np.full(len(chunk), False)
    mask[row_indexes] = True
    return pc.replace_with_mask(chunk, pa.array(mask), new)


def _concatenated(tables: Sequence[pa.Table]) -> pa.Table:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)


def _defined_like(rows: pa.Table, stored: pa.Schema) -> pa.Table:
    """The columns as the old file defines them: required, and with field ids where the table has none.

    Chunks of one column are side by side in a file only if they are defined alike. Nested columns stay as they are.
    """
    fields = []
    for item, column in zip(rows.schema, rows.columns, strict=True):
        at = stored.get_field_index(item.name)
        if at >= 0 and stored.field(at).type == item.type and not item.type.num_fields and item.metadata is None:
            old = stored.field(at)
            fields.append(item.with_metadata(old.metadata).with_nullable(old.nullable or column.null_count > 0))
        else:
            fields.append(item)
    return rows.cast(pa.schema(fields))


def _check_columns(data: pa.Buffer, columns: pa.Schema) -> None:
    """Raises NotSplicedError unless a file has exactly these columns, with these types and the ids that they have.

    Ids of a table without column mapping are those of another writer, and readers find its columns by name.
    """
    stored = pq.read_schema(pa.BufferReader(data))
    old, new = ({item.name: item.type for item in fields} for fields in (stored, columns))
    ids = [(list(_ids(stored.field(item.name))), list(_ids(item))) for item in columns if item.name in old]
    if old != new or any(due not in (found, [None] * len(due)) for found, due in ids):
        raise NotSplicedError("its columns are others than those of the table, or of other types")


def _ids(item: pa.Field) -> Iterator[bytes | None]:
    """Parquet field ids of a field and, recursively, of its child fields."""
    yield (item.metadata or {}).get(b"PARQUET:field_id")
    for number in range(item.type.num_fields):
        yield from _ids(item.type.field(number))


def _of_others(statistics: str | None, changed: Collection[str]) -> Mapping[str, Any]:
    """Statistics (log JSON of a file) of all columns except `changed`; empty if its bounds are not tight."""
    parsed = json.loads(statistics, parse_float=Decimal) if statistics else {}
    # Wide bounds may be those of deleted rows, which the successor lacks, while its statistics count as tight.
    if parsed.get("tightBounds") is False:
        return {}
    names = {name.lower() for name in changed}
    return {
        kind: dict(_other_values(parsed[kind], names))
        for kind in ("minValues", "maxValues", "nullCount")
        if isinstance(parsed.get(kind), dict)
    }


def _other_values(values: Mapping[str, Any], names: Collection[str]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in values.items() if name.lower() not in names)
