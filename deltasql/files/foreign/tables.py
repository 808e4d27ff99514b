"""A table of Parquet files without a log, or of Iceberg, from its listing or metadata and the footers of its files.

Tables that are none of Delta's, as their files and their metadata have them.

The statistics of files that a table takes over, by the code that makes them of files of our own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from deltasql.base.errors.iceberg import MissingIcebergReaderError
from deltasql.base.errors.schema import MergeFieldsError
from deltasql.base.errors.sources import EmptySourceError, NestedTableError, SourceFileError, SourceSchemaError
from deltasql.files.footers.metadata import ParquetMetadata
from deltasql.files.foreign.footers import Leaf, ReadFooter, fetch_footers, file_leaves
from deltasql.files.foreign.iceberg_names import check_stored, named_as_in_files
from deltasql.files.foreign.parquet_types import SPARK_SCHEMA, file_schema
from deltasql.files.statistics.of_footers import file_statistics, stats_json
from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.indexed_columns import index_rule
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.storage.locations import LOG, decode_path, located, relative_path
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.stores import Stores
from deltasql.schema.column_mapping import ID, physical_name
from deltasql.schema.evolution import merge_schemas
from deltasql.schema.partition_values import HIVE_NULL
from deltasql.schema.types import ArrayType, DataType, MapType, StructType


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
        raise EmptySourceError(store.root)
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
        raise MissingIcebergReaderError(table=store.root)
    from deltasql.log.iceberg.source import iceberg_table

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
            raise SourceFileError(location, "it is gone") from error
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
            raise SourceFileError(f"{root}/{path}", f"its folder {part} names no partition")
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
            raise SourceFileError(location, str(error)) from error
        except MergeFieldsError as error:
            raise SourceSchemaError(location, error.column, error.data_type, error.table_type) from error
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
            raise NestedTableError(location=store.root, relation="around", table=store.url(table))


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
            raise SourceFileError(store.url(path), "this log of a stream is damaged") from error
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
    tight = metadata.properties[DELETION_VECTORS] or None
    leaves_by_schema: dict[bytes, list[Leaf]] = {}
    texts = []
    for file, footer in zip(table.files, table.footers, strict=True):
        try:
            if footer.schema not in leaves_by_schema:
                leaves_by_schema[footer.schema] = file_leaves(footer.schema, columns, ids)
            read = ReadFooter(footer, leaves_by_schema[footer.schema])
        except ValueError as error:
            raise SourceFileError(located(file.path, table.location), str(error)) from error
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
