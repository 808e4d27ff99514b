"""Tables of Parquet files without a log, or of Iceberg: their columns, files, and statistics from the footers.

Such a table is described by its listing or metadata. The module also finds the files of a relation
``parquet.`path` ``, and their columns as Spark's reader has them.

Statistics of files that a Delta table takes over are made by `file_statistics`, as for new files. It takes a footer of
pyarrow. pyarrow itself aborts the process for some damaged footers, and does not have types and ids as Spark needs
them, so the classes of this module have the attributes of pyarrow's footer over one that Python has read.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from deltasql.base import LeftToEngineError, errors, pa, pq
from deltasql.files.footers import (
    BYTE_ARRAY,
    DOUBLE,
    FIXED,
    FLOAT,
    INT32,
    INT64,
    Chunk,
    Element,
    ParquetMetadata,
    leaves,
    parse_metadata,
    parse_schema,
    readable,
)
from deltasql.files.foreign.parquet_types import SPARK_SCHEMA, atomic_type, check_stored, file_schema, named_as_in_files
from deltasql.files.reading.file_reader import (
    OLD_DAYS,
    Piece,
    group_ranges,
    group_sizes,
    groups_together,
    has_old_days,
    reader_schema,
    tables_of,
)
from deltasql.files.statistics.of_footers import file_statistics, stats_json
from deltasql.log import (
    FOOTER,
    LOG,
    SPECIAL,
    Choice,
    Entry,
    ListedFile,
    LocalLogStore,
    LogStore,
    Metadata,
    Stores,
    absolute_location,
    decode_path,
    find_source,
    glob_expression,
    index_rule,
    located,
    relative_path,
    row_groups,
    table_properties,
)
from deltasql.schema import DOUBLE as DOUBLE_TYPE
from deltasql.schema import FLOAT as FLOAT_TYPE
from deltasql.schema import (
    HIVE_NULL,
    ID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_integral,
    merge_schemas,
    physical_name,
)

_THREADS = 32
_LAYOUTS = {INT32: "<i", INT64: "<q", FLOAT: "<f", DOUBLE: "<d"}
_UNSIGNED = {INT32: "<I", INT64: "<Q"}


def fetch_footers(store: LogStore, files: Sequence[tuple[str, int]]) -> list[ParquetMetadata]:
    """The footers of some files, by path in the store and size in bytes, in their order.

    Each costs one request of an object store, or two where it is long. Raises SourceFileError with the first file that
    is no Parquet file, or a damaged one.
    """

    def fetch(file: tuple[str, int]) -> ParquetMetadata:
        path, size = file
        try:
            return _fetch(store, path, size)
        except (ValueError, FileNotFoundError) as error:
            reason = "it is gone" if isinstance(error, FileNotFoundError) else str(error)
            raise errors.SourceFileError(store.url(path), reason) from error

    if isinstance(store, LocalLogStore):
        # To parse takes longer than to read, and threads take turns at that.
        return list(map(fetch, files))
    with ThreadPoolExecutor(min(_THREADS, max(1, len(files)))) as threads:
        return list(threads.map(fetch, files))


def _fetch(store: LogStore, path: str, size: int) -> ParquetMetadata:
    start = max(size - FOOTER, 0)
    end = store.read_range(path, start, size - start) if size else b""
    if len(end) != size - start:
        raise ValueError("it became shorter while it was read")
    length = row_groups.footer_length(end[-row_groups.TAIL :], size) + row_groups.TAIL
    if length > len(end):
        end = store.read_range(path, size - length, length)
    return parse_metadata(end[-length : -row_groups.TAIL])


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf column of a file: its element, and its path as the table calls it; None where no column is that.

    `bounded`: whether the file's values compare as the table's do.
    """

    element: Element
    path: str | None
    bounded: bool


def file_leaves(schema: bytes, columns: Mapping[tuple[str, ...], DataType], ids: Mapping[int, str]) -> list[Leaf]:
    """The leaves of a file's schema. `columns` are the types of the table's leaf columns by physical path, of which
    those without an id are found without case, as Spark finds them.

    With `ids`, the physical names of fields by their ids, fields of the file are known by these.
    Raises ValueError for a damaged schema.
    """
    folded = {tuple(name.lower() for name in path): path for path in columns}
    pairs = []
    for above, element in leaves(parse_schema(schema)):
        path = _path((*above, element), ids)
        if path is not None and not ids:
            path = folded.get(tuple(name.lower() for name in path), path)
        stored, kind = atomic_type(element, element.physical or 0), columns.get(path or ())
        pairs.append(
            Leaf(
                element,
                None if path is None else ".".join(path),
                bool(stored and kind and _compares(stored, kind)),
            )
        )
    return pairs


def _path(elements: Sequence[Element], ids: Mapping[int, str]) -> tuple[str, ...] | None:
    """The path of a leaf as the table calls it; None for a field that the table has not."""
    names = tuple(_name(item, ids) for item in elements)
    return None if None in names else tuple(map(str, names))


def _name(element: Element, ids: Mapping[int, str]) -> str | None:
    """The physical name of a field. Without an id it is a part of a list or map, or of a file without ids."""
    if element.field_id is None or not ids:
        return element.name
    return ids.get(element.field_id, element.name if element.name in {"element", "key", "value"} else None)


def _compares(session_value: DataType, table: DataType) -> bool:
    if session_value == table or (is_integral(session_value) and is_integral(table)):
        return True
    if isinstance(session_value, DecimalType) and isinstance(table, DecimalType):
        return session_value.scale == table.scale
    return (session_value, table) == (FLOAT_TYPE, DOUBLE_TYPE)


class ReadFooter:
    """A footer with those attributes of `pyarrow.parquet.FileMetaData` that `file_statistics` reads.

    Raises ValueError where its column chunks do not fit its schema.
    """

    def __init__(self, footer: ParquetMetadata, columns: Sequence[Leaf]) -> None:
        for group in footer.groups:
            if [chunk.physical for chunk in group.chunks] != [leaf.element.physical for leaf in columns]:
                raise ValueError("its column chunks do not fit its schema")
        self._footer, self._columns = footer, columns
        self.num_rows = footer.rows
        self.num_row_groups = len(footer.groups)
        self.num_columns = len(columns)
        self.created_by = footer.created_by
        self.metadata = {key.encode(): value.encode() for key, value in footer.pairs.items()}

    def row_group(self, number: int) -> _RowGroup:
        group = self._footer.groups[number]
        return _RowGroup(group.rows, group.chunks, self._columns)

    @property
    def schema(self) -> _Schema:
        return _Schema(self._columns)


@dataclass(frozen=True, slots=True)
class _Schema:
    columns: Sequence[Leaf]

    def column(self, number: int) -> _Column:
        return _Column(self.columns[number])


@dataclass(frozen=True, slots=True)
class _Column:
    leaf: Leaf

    @property
    def path(self) -> str | None:
        return self.leaf.path

    @property
    def logical_type(self) -> _Column:
        return self

    def to_json(self) -> str:
        logical = self.leaf.element.logical or ("",)
        return json.dumps({"timeUnit": logical[1]} if logical[0] == "timestamp" else {})


@dataclass(frozen=True, slots=True)
class _RowGroup:
    num_rows: int
    chunks: Sequence[Chunk]
    columns: Sequence[Leaf]

    @property
    def num_columns(self) -> int:
        return len(self.chunks)

    def column(self, number: int) -> _ColumnChunk:
        return _ColumnChunk(self.chunks[number], self.columns[number])


class _ColumnChunk:
    def __init__(self, chunk: Chunk, leaf: Leaf) -> None:
        self.path_in_schema = "" if leaf.path is None else leaf.path
        self.num_values = chunk.values
        self.statistics = None if chunk.bounds is None else _Statistics(chunk, leaf)


class _Statistics:
    """Bounds as values of the physical type: numbers, or bytes; `min` and `max` are those of decimals."""

    def __init__(self, chunk: Chunk, leaf: Leaf) -> None:
        assert chunk.bounds is not None
        self._bounds, self._element = chunk.bounds, leaf.element
        self.null_count = chunk.bounds.nulls
        self.has_null_count = chunk.bounds.nulls is not None
        self.physical_type = "INT64" if chunk.physical == INT64 else ""
        self._bounded = leaf.bounded

    @cached_property
    def has_min_max(self) -> bool:
        return self._bounded and self.min_raw is not None and self.max_raw is not None

    @cached_property
    def min_raw(self) -> Any:
        return _value(self._bounds.low, self._element)

    @cached_property
    def max_raw(self) -> Any:
        return _value(self._bounds.high, self._element)

    @property
    def min(self) -> Decimal | None:
        return _decimal(self.min_raw, self._element)

    @property
    def max(self) -> Decimal | None:
        return _decimal(self.max_raw, self._element)


def _value(data: bytes | None, element: Element) -> Any:
    """A bound as a value of its physical type; None where the bytes are none."""
    physical, logical = element.physical, element.logical
    if data is None or physical in {BYTE_ARRAY, FIXED}:
        return data
    unsigned = logical is not None and logical[0] == "integer" and not logical[2]
    layout = (_UNSIGNED if unsigned else _LAYOUTS).get(-1 if physical is None else physical)
    if layout is None or len(data) != struct.calcsize(layout):
        return None
    return struct.unpack(layout, data)[0]


def _decimal(value: Any, element: Element) -> Decimal | None:
    logical = element.logical
    scale = logical[2] if logical is not None and logical[0] == "decimal" else 0
    if isinstance(value, bytes):
        if not 0 < len(value) <= 32:
            return None
        value = int.from_bytes(value, "big", signed=True)
    return None if not isinstance(value, int) else Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -scale))


def source_table(stores: Stores, provider: str, location: str) -> SourceTable:
    """The table of a provider, "parquet" or "iceberg", at a location.

    Raises EmptySourceError, SourceFileError, SourceSchemaError, UnknownParquetTypeError, and for Iceberg what
    `iceberg_table` raises.
    """
    store = stores.open(location)
    return _iceberg(stores, store) if provider == "iceberg" else _parquet(store)


def iceberg_source(stores: Stores, location: str, metadata_file: str | None = None) -> SourceTable:
    """The Iceberg table at a location, to be read: its partitions need not be those of a Delta table.

    `metadata_file` is the location of its current metadata; None is the newest in its folder. Raises what
    `iceberg_table` raises, but for partitions, and SourceFileError.
    """
    return _iceberg(stores, stores.open(location), metadata_file, reading=True)


def _parquet(store: LogStore) -> SourceTable:
    entries = data_files(store)
    if not entries:
        raise errors.EmptySourceError(store.root)
    footers = fetch_footers(store, [(entry.path, entry.size) for entry in entries])
    files = tuple(
        SourceFile(entry.path, entry.size, entry.modified, folder_values(entry.path, store.root)) for entry in entries
    )
    schema = merged_schema([store.url(entry.path) for entry in entries], footers)
    return SourceTable(store.root, schema, files, footers=footers)


def _iceberg(
    stores: Stores, store: LogStore, metadata_file: str | None = None, *, reading: bool = False
) -> SourceTable:
    """Files of Iceberg's may lie anywhere: each folder is a storage of its own."""
    if find_spec("pyiceberg") is None:
        raise errors.MissingIcebergReaderError(table=store.root)
    from deltasql.log import iceberg_table

    table = iceberg_table(store, metadata_file, reading=reading)
    locations = [
        store.url(path) if "://" not in path and not path.startswith("/") else path for path, *_ in table.files
    ]
    footers, files = [], []
    for location, (path, size, partitions) in zip(locations, table.files, strict=True):
        at, name = stores.of_file(location)
        try:
            entry = at.head(name)
        except FileNotFoundError as error:
            raise errors.SourceFileError(location, "it is gone") from error
        footers += fetch_footers(at, [(name, size)])
        files.append(SourceFile(path, size, entry.modified, partitions))
    schema = named_as_in_files(table.schema, locations, footers, store.root)
    check_stored(table.stored, schema, locations, footers, store.root)
    return SourceTable(store.root, schema, tuple(files), table.partition_columns, table.properties, footers=footers)


def parquet_columns(store: LogStore, files: Sequence[tuple[str, int]]) -> StructType:
    """The columns of some Parquet files, each a path in the store and a size. Raises what `merged_schema` raises."""
    return merged_schema([store.url(path) for path, _ in files], fetch_footers(store, list(files)))


def folder_values(path: str, root: str) -> tuple[tuple[str, str | None], ...]:
    """Names and values of the `name=value` folders below `root` that a file lies in; Hive's name for null is None.

    Raises SourceFileError for a folder without a name or a value.
    """
    pairs = []
    for part in PurePosixPath(path).parent.parts:
        name, equals, value = part.partition("=")
        if equals and not (name and value):
            raise errors.SourceFileError(f"{root}/{path}", f"its folder {part} names no partition")
        if equals:
            pairs.append((unquote(name), None if value == HIVE_NULL else unquote(value)))
    return tuple(pairs)


def merged_schema(locations: Sequence[str], footers: Sequence[ParquetMetadata]) -> StructType:
    """The columns of all files, those of later ones behind. Raises SourceSchemaError with the first that does not fit.

    Raises SourceFileError and UnknownParquetTypeError.
    """
    merged: StructType | None = None
    seen: set[tuple[bytes, str | None]] = set()
    for location, footer in zip(locations, footers, strict=True):
        key = footer.schema, footer.pairs.get(SPARK_SCHEMA)
        if key in seen:
            continue
        seen.add(key)
        try:
            schema = file_schema(footer, location)
            merged = schema if merged is None else merge_schemas(merged, schema)
        except ValueError as error:
            raise errors.SourceFileError(location, str(error)) from error
        except errors.MergeFieldsError as error:
            raise errors.SourceSchemaError(location, error.column, error.data_type, error.table_type) from error
    return merged or StructType()


SINK_LOG = "_spark_metadata"
"""The folder in which Spark's streams keep the list of the files that they have written."""
_SINK_FILE = re.compile(rf"{SINK_LOG}/(\d+)(\.compact)?")
_MARKER = "_$folder$"


def data_files(store: LogStore) -> list[Entry]:
    """The data files below the store's root, in order of path. Raises NestedTableError where one of Delta's tables is
    among them, and SourceFileError for a damaged log of a stream.

    Names that begin with `_` or `.` are hidden, with all below, unless they are partitions; so are the objects that
    stand for folders. What a stream of Spark's has written counts where its log names it.
    """
    entries = store.list_below("")
    _refuse_tables(store, entries)
    sink = [entry for entry in entries if _SINK_FILE.fullmatch(entry.path)]
    if sink:
        named = _sink_files(store, sink)
        entries = [entry for entry in entries if entry.path in named]
    files = [entry for entry in entries if not is_hidden(entry.path)]
    folders = _folders(files) if any(not entry.size for entry in files) else set()
    return [entry for entry in files if not _is_marker(entry, folders)]


def _refuse_tables(store: LogStore, entries: Iterable[Entry]) -> None:
    """Raises NestedTableError for a log in a folder below."""
    for entry in entries:
        table, log, _ = entry.path.partition(f"/{LOG}/")
        if log:
            raise errors.NestedTableError(location=store.root, relation="around", table=store.url(table))


def _folders(entries: Iterable[Entry]) -> set[str]:
    return {str(folder) for entry in entries for folder in PurePosixPath(entry.path).parents}


def is_hidden(path: str) -> bool:
    """Whether a path, relative to the table, is none of its data."""
    *folders, name = path.split("/")
    return name.startswith(("_", ".")) or any(part.startswith(("_", ".")) and "=" not in part for part in folders)


def _is_marker(entry: Entry, folders: Iterable[str]) -> bool:
    """Whether an object without a byte stands for a folder, as Hadoop makes them in object stores."""
    if entry.size:
        return False
    return entry.name.endswith(_MARKER) or "=" in entry.name or entry.path in folders


def _sink_files(store: LogStore, entries: Iterable[Entry]) -> set[str]:
    """The paths of the files that a stream has written and not taken back, from its batches in order."""
    batches: dict[int, tuple[bool, str]] = {}
    for entry in entries:
        match = _SINK_FILE.fullmatch(entry.path)
        assert match is not None
        number, compact = int(match[1]), match[2] is not None
        if compact or number not in batches:
            batches[number] = (compact, entry.path)
    first = max((number for number, (compact, _) in batches.items() if compact), default=min(batches))
    files: set[str] = set()
    for number in sorted(batches):
        if number < first:
            continue
        path = batches[number][1]
        try:
            for line in store.read(path).decode().splitlines()[1:]:
                action = json.loads(line)
                relative = relative_path(decode_path(action["path"]), store.root)
                (files.discard if action.get("action") == "delete" else files.add)(relative)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise errors.SourceFileError(store.url(path), "this log of a stream is damaged") from error
    return files


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A data file of a foreign table; `path` is canonical, `size` in bytes, `modified` in ms.

    `partitions` are the partition columns that it is known by, in their order, with the texts of their values.
    """

    path: str
    size: int
    modified: int
    partitions: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A foreign table, described by its files and its metadata.

    `schema` has the columns of the files. `partition_columns` is None where only the user knows them and their types,
    else they are columns of `schema`. `properties` are those of the table that it becomes. `footers` is the engine's.
    """

    location: str
    schema: StructType
    files: tuple[SourceFile, ...]
    partition_columns: tuple[str, ...] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    footers: Any = None


def source_statistics(table: SourceTable, metadata: Metadata) -> list[str]:
    """The JSON of `add.stats` of each file. Raises SourceFileError for a file whose footer contradicts itself."""
    rule, columns, ids = index_rule(metadata.configuration), dict(_leaf_types(metadata.schema)), {}
    if metadata.properties.maps_columns:
        ids = dict(_names_by_id(metadata.schema))
    tight = metadata.properties[table_properties.DELETION_VECTORS] or None
    leaves_by_schema: dict[bytes, list[Leaf]] = {}
    texts = []
    for file, footer in zip(table.files, table.footers, strict=True):
        try:
            if footer.schema not in leaves_by_schema:
                leaves_by_schema[footer.schema] = file_leaves(footer.schema, columns, ids)
            read = ReadFooter(footer, leaves_by_schema[footer.schema])
        except ValueError as error:
            raise errors.SourceFileError(located(file.path, table.location), str(error)) from error
        statistics = file_statistics(read, metadata.schema, metadata.partition_columns, rule, tight)
        texts.append(stats_json(statistics))
    return texts


def _leaf_types(schema: StructType, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], DataType]]:
    """The leaf columns by physical path, those in arrays and maps left out."""
    for item in schema:
        path = (*above, physical_name(item))
        if isinstance(item.type, StructType):
            yield from _leaf_types(item.type, path)
        else:
            yield path, item.type


def _names_by_id(kind: DataType) -> Iterator[tuple[int, str]]:
    """The physical names of all fields by their ids."""
    match kind:
        case StructType():
            for field in kind:
                if ID in field.metadata:
                    yield int(field.metadata[ID]), physical_name(field)
                yield from _names_by_id(field.type)
        case ArrayType(element):
            yield from _names_by_id(element)
        case MapType(key, value):
            yield from _names_by_id(key)
            yield from _names_by_id(value)


def parquet_files(stores: Stores, location: str) -> tuple[list[str], StructType]:
    """The absolute places of the files of a folder, a file or a pattern, and the columns that all of them have.

    Raises NotOnSailError where Spark's columns are not certain: several schemas, folders that are partitions.
    Raises SourceNotFoundError, SourceFileError, StorageError.
    """
    files = _files(stores, location)
    schemas = [_schema(stores, file) for file in files]
    if any(schema != schemas[0] for schema in schemas):
        raise errors.NotOnSailError(what=f"the files of {location}, which have several schemas")
    names = [name.lower() for name in schemas[0].names]
    if len(set(names)) < len(names) or not names:
        raise errors.NotOnSailError(what=f"the columns of {location}, of which two share a name")
    return [file.path for file in files], schemas[0]


def _files(stores: Stores, root: str) -> Sequence[ListedFile]:
    location = absolute_location(root)
    try:
        files = find_source(stores.open, location, Choice()).files
    except (FileNotFoundError, ValueError) as error:
        raise errors.SourceNotFoundError(location=root, reason="no such file or folder") from error
    if not files:
        raise errors.SourceNotFoundError(location=root, reason="no file is there")
    if any("=" in _folders_below(location, file.path) for file in files):
        raise errors.NotOnSailError(what="columns from the names of folders")
    return files


def _folders_below(location: str, path: str) -> str:
    """The folders between what is read and a file of it; a file that a pattern names has none."""
    if SPECIAL.search(location):
        return "" if glob_expression(location).fullmatch(path) else path.rpartition("/")[0]
    return path.removeprefix(location).rpartition("/")[0]


def _schema(stores: Stores, file: ListedFile) -> StructType:
    store, name = stores.of_file(file.path)
    (footer,) = fetch_footers(store, [(name, file.size)])
    try:
        return file_schema(footer, file.path)
    except errors.UnknownParquetTypeError as error:
        raise errors.NotOnSailError(what=f"the type of a column in {file.path}") from error


def read_columns(stores: Stores, files: Sequence[str], columns: StructType) -> pa.Table:
    """Columns of all rows of some files. Raises what `column_pieces` raises."""
    tables = list(tables_of(column_pieces(stores, files, columns)))
    return pa.concat_tables(tables) if tables else reader_schema(columns).empty_table()


def column_pieces(stores: Stores, files: Sequence[str], columns: StructType) -> Iterator[Piece]:
    """Columns of all rows of some files, piece by piece, in their order.

    Raises LeftToEngineError for days of another calendar, UnreadableDataFileError, here or where a piece is read.
    """
    names, target = list(columns.names), reader_schema(columns)

    def read(path: str, footer: pq.FileMetaData, groups: Sequence[int]) -> pa.Table:
        with readable(path), pq.ParquetFile(stores.open_file(path), metadata=footer) as file:
            rows = file.read_row_groups(groups, names)
            if has_old_days(footer, rows):
                raise LeftToEngineError(OLD_DAYS)
            return rows.select(names).cast(target, safe=False)

    for path in files:
        with readable(path), stores.open_file(path) as source:
            size, footer = source.size(), pq.read_metadata(source)
        for piece_size, some in groups_together(footer, group_ranges(group_sizes(footer)), size):
            yield Piece(piece_size, partial(read, path, footer, [group for group, _, _ in some]))
