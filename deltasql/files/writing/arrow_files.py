"""Writing of Arrow tables as Parquet files like Spark's, and new data files of a directory as actions for the log.

A directory gets one file, or more for large tables. Rows of literals or in memory are written without Spark. Rows may
be written while they are read: each piece becomes a row group, and adjacent row groups become a file. No commit names a
staged file yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import partial
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from deltasql.base import np, pa, pc, pq
from deltasql.base import zone as session_zone
from deltasql.files.footers import awaited, has_nested_ids, with_nested_ids, working
from deltasql.files.reading.file_reader import CORES, PIECE_BYTES, Piece, ordered
from deltasql.files.reading.file_tables import literal_table
from deltasql.files.statistics.of_footers import (
    FloatBounds,
    FloatRange,
    file_statistics,
    float_bounds,
    float_ranges,
    stats_json,
    united,
    with_sure_bounds,
)
from deltasql.files.writing.spliced_files import joined
from deltasql.log import (
    AddCDCFile,
    AddFile,
    Entry,
    IndexRule,
    LogStore,
    TableProperties,
    compat_tags,
    encode_path,
    index_rule,
    table_properties,
)
from deltasql.plan import ANY_SHAPE, FileShape, Literals, MemoryRows, hidden, hidden_names
from deltasql.schema import (
    HIVE_NULL,
    TIMESTAMP,
    DataType,
    DecimalType,
    PrimitiveType,
    StructField,
    StructType,
    arrow_schema,
    bare_schema,
    physical_name,
    stored_field,
)


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A new data file: its action, its number of rows, the value of its directory of ORIGIN, and where it lies."""

    add: AddFile
    rows: int
    origin: str | None
    location: str


@dataclass(frozen=True, slots=True)
class Staged:
    """Files that were written and not yet committed; `changes` are those of the change data feed."""

    files: tuple[StagedFile, ...]
    changes: tuple[AddCDCFile, ...] = ()

    @classmethod
    def united(cls, parts: Iterable[Staged]) -> Staged:
        """The files of all parts."""
        parts = tuple(parts)
        return cls(
            tuple(file for part in parts for file in part.files), tuple(file for part in parts for file in part.changes)
        )

    @property
    def adds(self) -> list[AddFile]:
        return [item.add for item in self.files]

    @property
    def rows(self) -> int:
        return sum(item.rows for item in self.files)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(item.add.size for item in self.files)


ORIGIN = "deltasql_origin"
"""A directory of it is one per origin. Names that begin with `_` would be hidden from every VACUUM."""
DIRECTORY_PREFIX = "deltasql_dir_"
"""Marks the directories of partition columns that stay in the files."""
CHANGE_DATA = "_change_data"
"""The folder of the table that the change data feed is in."""
_THREADS = 8


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A data file that no commit names yet: its path below the table, bytes, ms since the epoch, and its footer.

    `floats` are the bounds of columns that Arrow's footers do not tell, by path. `statistics` are statistics that go
    before what the footer tells: minValues, maxValues and nullCount of some columns.
    """

    path: PurePosixPath
    size: int
    modified: int
    footer: pq.FileMetaData
    floats: Mapping[str, FloatBounds] | None = None
    statistics: Mapping[str, Any] | None = None


def written_files(store: LogStore, directory: str, committed: Collection[str] | None = None) -> list[WrittenFile]:
    """The Parquet files below a directory of a table, in order of path; those without a row are deleted.

    So are others than those `committed`, by their paths below the directory, where that is known: attempts of tasks
    that did not come to their end have left them. Each costs one request of an object store, beside the listing.
    """
    entries = data_entries(store, directory)
    if committed is not None:
        paths = {f"{directory}/{path}" for path in committed}
        store.delete_all([entry.path for entry in entries if entry.path not in paths])
        entries = [entry for entry in entries if entry.path in paths]

    def read(entry: Entry) -> WrittenFile:
        footer = pq.read_metadata(store.open_input(entry.path, entry.size))
        return WrittenFile(PurePosixPath(entry.path), entry.size, entry.modified, footer)

    if len(entries) == 1:
        # Threads cost more than the one footer: 1.2 ms.
        files = [read(entries[0])]
    else:
        with ThreadPoolExecutor(min(_THREADS, max(1, len(entries)))) as threads:
            files = list(threads.map(read, entries))
    store.delete_all([str(item.path) for item in files if item.footer.num_rows == 0])
    return [item for item in files if item.footer.num_rows]


def data_entries(store: LogStore, directory: str) -> list[Entry]:
    """The Parquet files below a directory, in order of path, those without a row too; their footers are not read."""
    return [entry for entry in store.list_below(directory) if _is_data(entry)]


def _is_data(entry: Entry) -> bool:
    """A task that failed may have left files where Spark keeps those of tasks that are not over."""
    return entry.name.endswith(".parquet") and entry.name[0] not in "._" and "/_temporary/" not in entry.path


def staged_files(
    root: str,
    written: Iterable[WrittenFile],
    schema: StructType,
    partition_columns: Sequence[str],
    configuration: Mapping[str, str],
    *,
    timezone: str = "UTC",
    unindexed: Sequence[str] = (),
) -> list[StagedFile]:
    """Files in `<directory>[/<ORIGIN>=…][/p=v…]` below the table at `root` as actions, in their order.

    Directories may be named by logical or physical columns. `timezone` is the zone in which Spark wrote timestamps of
    partitions; the columns `unindexed` get no statistics. Raises ValueError when a file does not lie below a directory
    for each partition column.
    """
    has_vectors = TableProperties(configuration).switches_on(table_properties.DELETION_VECTORS)
    table = _Table(
        schema,
        tuple(partition_columns),
        index_rule(configuration),
        has_vectors or None,
        session_zone(timezone),
        (*partition_columns, *unindexed),
        compat_tags(configuration) or None,
    )
    return [table.staged(item, root) for item in written]


@dataclass(frozen=True, slots=True)
class _Table:
    schema: StructType
    partition_columns: tuple[str, ...]
    rule: IndexRule
    tight_bounds: bool | None
    zone: tzinfo
    unindexed: tuple[str, ...]
    tags: Mapping[str, str | None] | None

    def staged(self, file: WrittenFile, root: str) -> StagedFile:
        """A file as an action."""
        directories = directory_values(file.path)
        statistics = file_statistics(
            file.footer, self.schema, self.unindexed, self.rule, self.tight_bounds, file.floats
        )
        for kind, values in (file.statistics or {}).items():
            counts = {**statistics[kind], **values}
            statistics[kind] = {name: counts[name] for name in map(physical_name, self.schema) if name in counts}
        add = AddFile(
            encode_path(str(file.path)),
            self.partition_values(directories, file.path),
            file.size,
            file.modified,
            stats=stats_json(statistics),
            tags=self.tags,
        )
        return StagedFile(add, file.footer.num_rows, directories.get(ORIGIN), f"{root}/{file.path}")

    def partition_values(self, directories: Mapping[str, str | None], path: PurePosixPath) -> dict[str, str | None]:
        """Values by physical name, as strings of the log."""
        values = {}
        for name in self.partition_columns:
            column = self.schema.find(name)
            physical = name if column is None else physical_name(column)
            written = next((item for item in _directories(physical, name) if item in directories), None)
            if written is None:
                raise ValueError(f"{path} does not lie below a directory of partition column {name}")
            value = directories[written]
            is_timestamp = column is not None and column.type == TIMESTAMP
            values[physical] = utc_text(value, self.zone) if value is not None and is_timestamp else value
        return values


def _directories(physical: str, name: str) -> tuple[str, ...]:
    return physical, name, f"{DIRECTORY_PREFIX}{physical}"


def directory_values(path: PurePosixPath) -> dict[str, str | None]:
    """Values by column name of the `name=value` directories in `path`; Hive's name for null is None."""
    pairs = (part.partition("=") for part in path.parent.parts if "=" in part)
    return {unquote(name): None if value == HIVE_NULL else unquote(value) for name, _, value in pairs}


def utc_text(value: str, zone: tzinfo) -> str:
    """A timestamp of a partition as `yyyy-MM-ddTHH:mm:ss.SSSSSSZ`.

    `value` are microseconds since the epoch, or a text, which is in `zone` where it has none.
    """
    if value.lstrip("-").isdecimal():
        moment = datetime(1970, 1, 1) + timedelta(microseconds=int(value))
        return f"{moment.isoformat(timespec='microseconds')}Z"
    whole, _, fraction = value.partition(".")
    digits = fraction.rstrip("Z")
    moment = datetime.fromisoformat(whole.rstrip("Z").replace(" ", "T"))
    moment = moment.replace(tzinfo=timezone.utc if value.endswith("Z") else zone).astimezone(timezone.utc)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}.{digits[:6]:0<6}Z"


_SAMPLE = 1 << 16
"""Rows in the middle of a table that are sampled for repeated values; smaller tables are not sampled."""
_LEAST_REPEATS = 1.25
"""Average number of occurrences of a value from which a dictionary is worthwhile."""
_FILE_BYTES = 128 << 20
"""Most bytes of a file's rows in memory; such a file has about 32 to 64 MB."""
_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^")
"""Characters that Spark escapes in the names of partition directories, besides control characters."""


def write_tables(
    store: LogStore,
    tables: Iterable[tuple[str, pa.Table]],
    schema: StructType,
    *,
    in_partitions: bool = False,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """Writes pairs of directory (below the table's root) and rows as data files with the columns `schema`.

    The rows have physical names and field ids. With `in_partitions` the directories are those of partition values,
    which Spark shows in file names.
    """
    files = TableFiles(store, schema, in_partitions=in_partitions, shape=shape)
    pieces = ((directory, piece) for directory, table in tables for piece in _of_size(table, shape))
    numbered = [(number, *item) for number, item in enumerate(pieces)]
    if len(numbered) == 1:
        return [files.write(*numbered[0])]
    with ThreadPoolExecutor(min(_THREADS, max(1, len(numbered)))) as threads:
        return list(threads.map(lambda item: files.write(*item), numbered))


class TableFiles:
    """Data files of one statement, written by any number of threads."""

    def __init__(
        self, store: LogStore, schema: StructType, *, in_partitions: bool, shape: FileShape = ANY_SHAPE
    ) -> None:
        self._store, self._schema, self._nested = store, schema, has_nested_ids(schema)
        self.shape = shape
        self._behind = "." if in_partitions else "-"
        self._job = uuid4()

    def write_all(self, number: int, directory: str, table: pa.Table) -> list[WrittenFile]:
        """Writes a table to one or more files by its size; to none if it has no rows."""
        return [self.write(number, directory, piece, at) for at, piece in enumerate(_of_size(table, self.shape))]

    def write(self, number: int, directory: str, table: pa.Table, piece: int = 0) -> WrittenFile:
        """Writes a table to one file below the table's root; `number` and `piece` are part of the file name.

        Raises StorageError.
        """
        data = encoded(table, repeating_columns(table), shape=self.shape)
        return self.write_encoded(number, directory, data, float_bounds(table), piece=piece)

    def write_encoded(
        self,
        number: int,
        directory: str,
        data: pa.Buffer,
        floats: Mapping[str, FloatBounds],
        statistics: Mapping[str, Any] | None = None,
        piece: int = 0,
    ) -> WrittenFile:
        """Writes an encoded Parquet file; see WrittenFile for `floats` and `statistics`. Raises StorageError."""
        if self._nested:
            data = pa.py_buffer(with_nested_ids(data.to_pybytes(), self._schema))
        data = with_sure_bounds(data, floats)
        path = f"{directory}/part-{number:05d}-{self._job}{self._behind}c{piece:03d}{self.shape.suffix}"
        self._store.put(path, data)
        footer = pq.read_metadata(pa.BufferReader(data))
        return WrittenFile(PurePosixPath(path), data.size, time.time_ns() // 1_000_000, footer, floats, statistics)


def encoded(
    table: pa.Table,
    dictionaries: Sequence[str] | bool,
    group_rows: int | None = None,
    shape: FileShape = ANY_SHAPE,
) -> pa.Buffer:
    """A table encoded as a Parquet file, with row groups of at most `group_rows` rows (None: Arrow's 1,048,576).

    `dictionaries` are the Parquet paths of the columns to be dictionary-encoded, or True for all.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=group_rows,
        compression=shape.arrow_codec,
        data_page_version=shape.page_version,
        use_dictionary=dictionaries,
        store_decimal_as_integer=True,
        # Arrow's copy of the schema is useless: readers have the table's, or the file's.
        store_schema=False,
    )
    return sink.getvalue()


def repeating_columns(table: pa.Table) -> Sequence[str] | bool:
    """The columns whose values repeat often enough for a dictionary, by a sample; True for all columns.

    Arrow's own attempt at a dictionary costs more than plain encoding. Measured on 5,000,000 rows of five columns, two
    of which hardly repeat: 0.31 s instead of 0.71 s.
    """
    if table.num_rows < _SAMPLE or any(pa.types.is_nested(field.type) for field in table.schema):
        return True
    start = (table.num_rows - _SAMPLE) // 2
    sample = table.slice(start, _SAMPLE)
    return [name for name, column in zip(sample.column_names, sample.columns, strict=True) if _repeats(column)]


def _repeats(sample: pa.ChunkedArray) -> bool:
    if pa.types.is_boolean(sample.type):
        return False
    return bool(pc.count_distinct(sample).as_py() * _LEAST_REPEATS <= len(sample))


def _of_size(table: pa.Table, shape: FileShape) -> Iterator[pa.Table]:
    """Slices of a table that are small enough for one file each."""
    rows = max(1, table.num_rows * _FILE_BYTES // max(table.nbytes, 1))
    rows = min(rows, shape.most_rows or rows)
    return (table.slice(start, rows) for start in range(0, table.num_rows, rows))


def by_directory(table: pa.Table, by: Sequence[str]) -> Iterator[tuple[dict[str, str | None], pa.Table]]:
    """Pairs for each combination of values of the text columns `by`: these values, and its rows without these columns.

    Rows keep their order.
    """
    if not by or not table.num_rows:
        yield {}, table
        return
    codes, columns = np.zeros(table.num_rows, np.int64), {}
    for name in by:
        column = table.column(name).combine_chunks()
        column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
        encoded = column.dictionary_encode(null_encoding="encode")
        names, indexes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        columns[name] = (names, indexes)
        # Renumbered after each column: the number of all possible combinations may exceed 64 bits.
        codes = np.unique(codes * len(names) + indexes, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    starts = np.unique(codes[order], return_index=True)[1]
    data = table.drop_columns(list(by)).take(pa.array(order))
    for start, end in zip(starts, [*starts[1:], table.num_rows], strict=True):
        values = {name: names[indexes[order[start]]] for name, (names, indexes) in columns.items()}
        yield values, data.slice(start, end - start)


def directory_name(column: str, value: str | None) -> str:
    """The directory name of a partition value (`column=value`), escaped as by Spark."""
    return f"{_escaped(column)}={HIVE_NULL if value is None or value == '' else _escaped(value)}"


def _escaped(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char < " " or char in _ESCAPED else char for char in text)


def directory_of(directory: str, values: Mapping[str, str | None]) -> str:
    """The path, below the table's root, of the partition directory in `directory`; change rows go to _change_data."""
    folder = f"{CHANGE_DATA}/{directory}" if values.get(hidden_names.IS_CHANGE) == "true" else directory
    return "/".join(
        (folder, *(directory_name(name, value) for name, value in values.items() if name != hidden_names.IS_CHANGE))
    )


def as_stored(table: pa.Table, schema: StructType) -> pa.Table:
    """Rows under physical names, cast to the types and field ids of data files.

    Columns that `schema` lacks are hidden ones, and stay unchanged.
    """
    fields = {field.name: field for field in _file_schema(schema)}
    return table.cast(pa.schema([fields.get(field.name, field) for field in table.schema]))


def _file_schema(schema: StructType) -> pa.Schema:
    kinds = arrow_schema(bare_schema(schema))
    return pa.schema([stored_field(item, kind.type) for item, kind in zip(schema, kinds, strict=True)])


def write_literals(
    store: LogStore,
    directory: str,
    rows: Literals,
    partition_columns: Sequence[str],
    *,
    stores_partitions: bool,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """Writes `rows` below a new directory of the table: one file, or one for each partition.

    Timestamps in names of directories are in UTC. With `stores_partitions` files hold the partition columns as well.
    """
    tables = (
        (f"{directory}/{partition}".rstrip("/"), literal_table(part, physical=True))
        for partition, part in _parts(rows, partition_columns, stores_partitions)
    )
    return write_tables(store, tables, rows.schema, in_partitions=bool(partition_columns), shape=shape)


def write_memory_rows(
    store: LogStore,
    directory: str,
    rows: MemoryRows,
    partition_columns: Sequence[str],
    *,
    stores_partitions: bool,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """As `write_literals`. The partition columns are of types whose values have one spelling."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    partitions = {field.name for field in fields}
    table = rows.table
    texts: dict[str, pa.ChunkedArray] = {}
    for field in fields:
        index = table.schema.get_field_index(field.name)
        column = _without_null_name(table.column(index))
        table = table.set_column(index, field.name, column)
        texts[hidden(len(texts))] = column.cast(pa.string())
    in_files = [item for item in rows.schema if stores_partitions or item.name not in partitions]
    data = StructType(tuple(sorted(in_files, key=lambda item: item.name in partitions)))
    stored = as_stored(table.select(data.names).rename_columns([physical_name(item) for item in data]), data)
    for name, column in texts.items():
        stored = stored.append_column(name, column)
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def tables() -> Iterator[tuple[str, pa.Table]]:
        for values, part in by_directory(stored, list(texts)):
            named = zip(fields, (values[name] for name in texts), strict=True)
            folder = "/".join(directory_name(f"{prefix}{physical_name(field)}", value) for field, value in named)
            yield f"{directory}/{folder}".rstrip("/"), part

    return write_tables(store, tables(), rows.schema, in_partitions=bool(partition_columns), shape=shape)


def _without_null_name(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column`, where the text that names NULL in a directory is NULL."""
    if not pa.types.is_string(column.type):
        return column
    return pc.if_else(pc.equal(column, HIVE_NULL), pa.scalar(None, pa.string()), column)


# Partitions


def _parts(rows: Literals, partition_columns: Sequence[str], stores_partitions: bool) -> Iterator[tuple[str, Literals]]:
    """The rows of each partition, in their order, as its files have them, and its directory."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    columns = _with_nulls(dict(zip(rows.schema.names, rows.columns, strict=True)), fields)
    partitions = {field.name for field in fields}
    data = StructType(
        (*(item for item in rows.schema if item.name not in partitions), *(fields if stores_partitions else ()))
    )
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def directory_of(number: int) -> str:
        named = ((physical_name(field), _text(field.type, columns[field.name][number])) for field in fields)
        return "/".join(directory_name(f"{prefix}{name}", value) for name, value in named)

    numbers_by_directory: dict[str, list[int]] = {}
    for number in range(rows.rows):
        numbers_by_directory.setdefault(directory_of(number), []).append(number)
    for directory, numbers in numbers_by_directory.items():
        yield directory, Literals(data, tuple(tuple(columns[item.name][number] for number in numbers) for item in data))


def _with_nulls(
    columns: Mapping[str, tuple[Any, ...]], partitions: Sequence[StructField]
) -> dict[str, tuple[Any, ...]]:
    """`columns`, where the text that names NULL in a directory is NULL."""
    nulled = {field.name: tuple(None if v == HIVE_NULL else v for v in columns[field.name]) for field in partitions}
    return {**columns, **nulled}


def _text(kind: DataType, value: Any) -> str | None:
    """A partition value as Spark casts it to text."""
    if value is None:
        return None
    match kind:
        case DecimalType():
            return f"{value:f}"
        case PrimitiveType("boolean"):
            return "true" if value else "false"
        case PrimitiveType("date"):
            return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
        case PrimitiveType("timestamp"):
            return (
                f"{(datetime(1970, 1, 1) + timedelta(microseconds=value)).isoformat(sep=' ', timespec='microseconds')}Z"
            )
        case _:
            return str(value)


FILE_BYTES = 128 << 20
"""In Parquet: a file of so many bytes is complete. Spark's writer makes files of about this size."""


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A Parquet file of one row group, or of none, and the ranges of its floating-point columns by path."""

    data: pa.Buffer
    rows: int
    floats: dict[str, FloatRange]


def packed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces of at least PIECE_BYTES bytes, each of one piece or of adjacent smaller ones; the last has the rest."""
    size, some = 0, list[Piece]()
    for piece in pieces:
        some.append(piece)
        size += piece.size
        if size >= PIECE_BYTES:
            yield _together(size, some)
            size, some = 0, []
    if some:
        yield _together(size, some)


def _together(size: int, pieces: Sequence[Piece]) -> Piece:
    def read() -> pa.Table:
        return pa.concat_tables([piece.read() for piece in pieces])

    return pieces[0] if len(pieces) == 1 else Piece(size, read)


def write_pieces(
    store: LogStore, directory: str, pieces: Iterable[Piece], schema: StructType, shape: FileShape = ANY_SHAPE
) -> list[WrittenFile]:
    """Writes the rows of pieces, in their order, to files in `directory`, below the table's root.

    The rows have physical names; `schema` is the table's. CORES pieces are decoded side by side; up to two files are in
    memory encoded. Raises what reading a piece raises, and StorageError; no thread writes on then, nor after Ctrl-C.
    """
    files = TableFiles(store, schema, in_partitions=False, shape=shape)
    several = packed(pieces)
    first = list(islice(several, 2))
    if len(first) < 2:
        return [file for piece in first for file in files.write_all(0, directory, as_stored(piece.read(), schema))]
    written = list[Future[WrittenFile]]()
    with working(CORES, CORES, settles=True) as threads, working(1, settles=True) as writer:
        groups = chain.from_iterable(ordered(threads, _encoding(chain(first, several), schema, shape)))
        for number, some in enumerate(_of_file_size(groups, shape)):
            if number:
                # One file is written while the row groups of the next one are encoded.
                awaited(written[-1])
            written.append(writer.submit(_write, files, number, directory, some))
        return [awaited(future) for future in written]


def write_united(
    files: TableFiles,
    number: int,
    directory: str,
    pieces: Iterable[Piece],
    schema: StructType,
    workers: ThreadPoolExecutor,
) -> WrittenFile:
    """Writes all rows of pieces, in their order, to one file, whose row groups `workers` encode: see `write_pieces`."""
    several = packed(pieces)
    first = list(islice(several, 2))
    if len(first) == 1:
        return files.write(number, directory, as_stored(first[0].read(), schema))
    whole = replace(files.shape, most_rows=None)
    groups = list(chain.from_iterable(ordered(workers, _encoding(chain(first, several), schema, whole))))
    return _write(files, number, directory, groups)


def _encoding(
    pieces: Iterable[Piece], schema: StructType, shape: FileShape
) -> Iterator[tuple[int, Callable[[], list[_RowGroup]]]]:
    return ((piece.size, partial(_encode, piece, schema, shape)) for piece in pieces)


def _encode(piece: Piece, schema: StructType, shape: FileShape) -> list[_RowGroup]:
    """The rows of a piece as one row group, or as several of the most rows that a file may have."""
    rows = as_stored(piece.read(), schema)
    most, repeating = max(shape.most_rows or rows.num_rows, 1), repeating_columns(rows)
    slices = [rows.slice(start, most) for start in range(0, rows.num_rows, most)] or [rows]
    return [
        _RowGroup(encoded(some, repeating, max(some.num_rows, 1), shape), some.num_rows, float_ranges(some))
        for some in slices
    ]


def _write(files: TableFiles, number: int, directory: str, groups: Sequence[_RowGroup]) -> WrittenFile:
    floats = {path: found.bounds for path, found in united(group.floats for group in groups).items()}
    return files.write_encoded(number, directory, joined([memoryview(group.data) for group in groups]), floats)


def _of_file_size(groups: Iterable[_RowGroup], shape: FileShape) -> Iterator[list[_RowGroup]]:
    """Lists of adjacent row groups with rows, each for one file."""
    size, some = 0, list[_RowGroup]()
    for group in groups:
        rows = sum(item.rows for item in some)
        if some and shape.most_rows and rows + group.rows > shape.most_rows:
            yield some
            size, some = 0, []
        if group.rows:
            some.append(group)
            size += group.data.size
        if size >= FILE_BYTES:
            yield some
            size, some = 0, []
    if some:
        yield some
