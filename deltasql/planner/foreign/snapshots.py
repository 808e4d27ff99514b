"""A table of another format as a snapshot: its columns, and its files with their partition values.

No log of Delta's has it. Statements that need only columns list no files.

The rows of a table of another format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.iceberg import IcebergSourceError
from deltasql.base.errors.sources import DeltaLocationError, IcebergReadError, UnknownColumnsError
from deltasql.base.timezone import zone
from deltasql.catalog.definitions import TableSource
from deltasql.catalog.entries import TableEntry
from deltasql.files.foreign.tables import SourceFile
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.configuration.indexed_columns import partition_keys
from deltasql.log.replay.delta_log import unlogged_snapshot
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import encode_path, relative_path
from deltasql.log.storage.source_files import Choice, FileSource, find_source
from deltasql.plan.base import TableName
from deltasql.plan.operators import SourceFiles
from deltasql.planner.context import Context
from deltasql.planner.foreign.partition_texts import partition_texts
from deltasql.planner.foreign.partition_types import Folders, partition_fields
from deltasql.schema.lengths import declared_length
from deltasql.schema.types import STRING, StructField, StructType

ICEBERG = "iceberg"
FORMATS = ("csv", "json", "parquet", "orc", "avro", "text", ICEBERG)
"""The formats of tables, besides Delta."""
METADATA_LOCATION = "metadata_location"
"""The option or property that names the current metadata file of an Iceberg table, as catalogs of others have it."""
_SCANNED = frozenset({"mergeschema", "compression", "recursivefilelookup", "pathglobfilter", "path"})
"""Options of Parquet files that the scan of a Delta table need not be told."""


_WITHOUT_ENGINE = frozenset({"parquet", "text", ICEBERG})


@dataclass(frozen=True, slots=True)
class FoundColumns:
    """Columns of files, those of the folders at the end: `partitions` are their names."""

    schema: StructType
    partitions: tuple[str, ...]


def options_of(source: TableSource) -> dict[str, str]:
    """The options with keys in lower case; Spark ignores their case."""
    return {key.lower(): value for key, value in source.options.items()}


def is_scanned(source: TableSource) -> bool:
    """Whether rows are read as those of a Delta table are: from Parquet files, by any engine."""
    if source.format != "parquet":
        return source.format == ICEBERG
    padded = source.schema is not None and any(map(declared_length, source.schema))
    return not padded and options_of(source).keys() <= _SCANNED


def has_certain_columns(source: TableSource) -> bool:
    """Whether the columns are found without an engine."""
    return source.schema is not None or source.format in _WITHOUT_ENGINE


def source_snapshot(context: Context, entry: TableEntry, table: str, *, with_files: bool = True) -> Snapshot:
    """The columns of a table of another format, and its files as they are now; `table` is its name in messages.

    Raises DeltaLocationError, IcebergReadError, UnknownColumnsError, and for folders what `partition_texts` raises.
    """
    assert entry.source is not None
    if entry.source.format == ICEBERG:
        return _iceberg(context, entry, entry.source, table)
    source = entry.source
    files = None
    if source.schema is None or with_files:
        files = listed_files(context, source, entry.location)
    if source.schema is None:
        assert files is not None
        found = found_columns(context, source, files, table)
        source = replace(source, schema=found.schema, partition_columns=found.partitions)
    assert source.schema is not None
    columns = source.partition_columns
    metadata = Metadata(entry.location, source.schema, columns, {}, description=source.comment)
    if files is None or not with_files:
        return unlogged_snapshot(entry.location, table, metadata)
    return unlogged_snapshot(files.root, table, metadata, _added(context, files, metadata))


def table_snapshot(context: Context, name: TableName, *, with_files: bool = True) -> Snapshot:
    """The table of a name as it is now, of any format. Raises what `Context.snapshot` and `source_snapshot` do."""
    foreign = context.foreign(name)
    if foreign is None:
        return context.snapshot(name)
    if name.temporal is not None:
        raise context.delta_only(name, foreign, "time travel").at(context.caret(name.start, name.end))
    try:
        return source_snapshot(context, foreign, str(name), with_files=with_files)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def listed_files(context: Context, source: TableSource, location: str) -> FileSource:
    """The files of a table, of which there may be none. Raises DeltaLocationError, StorageError."""
    options = options_of(source)
    choice = Choice(options.get("pathglobfilter"), (), options.get("recursivefilelookup", "").lower() == "true")
    try:
        found = find_source(context.analyst.stores.open, location, choice)
    except FileNotFoundError:
        return FileSource(location, ())
    if found.is_table:
        raise DeltaLocationError(location, source.format)
    return found


def source_files(source: TableSource, files: FileSource, *, typed: bool = True) -> SourceFiles:
    """The rows of some files; with `typed` in the columns of the source, else in those that Spark finds."""
    return SourceFiles(
        files.root,
        source.format,
        tuple(file.path for file in files.files),
        sum(file.size for file in files.files),
        source.options,
        schema=source.schema if typed else None,
        is_table=True,
    )


def found_columns(context: Context, source: TableSource, files: FileSource, table: str) -> FoundColumns:
    """The columns that files have. Starts the engine, except for Parquet and text.

    Raises UnknownColumnsError, PartitionFoldersError, and what is wrong with the files.
    """
    if not files.files and source.format != "text":
        raise UnknownColumnsError(table, source.format, "there is no file in its location")
    inferred = partition_fields(_folders(source, files), files.root)
    names = {field.name.lower() for field in inferred}
    columns, partitions = _file_columns(context, source, files), list(inferred)
    if source.format not in _WITHOUT_ENGINE:
        partitions = [columns.find(field.name) or field for field in inferred]
    data = [StructField(field.name, field.type) for field in columns if field.name.lower() not in names]
    if not data and not partitions:
        raise UnknownColumnsError(table, source.format, "the files have no columns")
    return FoundColumns(StructType((*data, *partitions)), tuple(field.name for field in partitions))


def _file_columns(context: Context, source: TableSource, files: FileSource) -> StructType:
    if source.format == "text":
        return StructType((StructField("value", STRING),))
    if source.format == "parquet":
        return _parquet_columns(context, source, files)
    return context.analyst.schema(source_files(source, files, typed=False))


def _parquet_columns(context: Context, source: TableSource, files: FileSource) -> StructType:
    """The columns of the first file, as Spark takes them; with the option mergeSchema those of all."""
    from deltasql.files.foreign.tables import parquet_columns

    merges = options_of(source).get("mergeschema", "").lower() == "true"
    chosen = files.files if merges else files.files[:1]
    store = context.analyst.stores.open(files.root)
    paths = [(relative_path(file.path, files.root), file.size) for file in chosen]
    return parquet_columns(store, paths)


def _folders(source: TableSource, files: FileSource) -> Iterator[Folders]:
    """The partition folders of each file. Raises SourceFileError for one without a value."""
    from deltasql.files.foreign.tables import folder_values

    if options_of(source).get("recursivefilelookup", "").lower() == "true":
        return
    for file in files.files:
        yield folder_values(relative_path(file.path, files.root), files.root)


def discovered(source: TableSource, files: FileSource) -> StructType:
    """The partition columns that the folders of a table's files name."""
    return partition_fields(_folders(source, files), files.root)


def _added(context: Context, files: FileSource, metadata: Metadata) -> Iterator[AddFile]:
    """The files as a log would have them. Raises SourcePartitionValueError, PartitionCountError."""
    from deltasql.files.foreign.tables import folder_values

    keys = partition_keys(metadata)
    fields = [field for name in metadata.partition_columns if (field := metadata.schema.find(name)) is not None]
    session_zone = zone(context.time_zone)
    for file in files.files:
        path = relative_path(file.path, files.root)
        folders = folder_values(path, files.root) if keys else ()
        values = partition_texts(SourceFile(path, file.size, file.modified, folders), fields, files.root, session_zone)
        encoded = encode_path(path)
        yield AddFile(encoded, dict(zip(keys, values, strict=True)), file.size, file.modified)


def _iceberg(context: Context, entry: TableEntry, source: TableSource, table: str) -> Snapshot:
    """The current snapshot of an Iceberg table. Raises NoIcebergTableError, MissingIcebergReaderError."""
    from deltasql.files.foreign.tables import iceberg_source, source_statistics

    named: Mapping[str, str] = {**options_of(source), **{key.lower(): text for key, text in source.properties.items()}}
    try:
        found = iceberg_source(context.analyst.stores, entry.location, named.get(METADATA_LOCATION))
    except IcebergSourceError as error:
        raise IcebergReadError(error.location, error.reason) from None
    columns = found.partition_columns or ()
    metadata = Metadata(entry.location, found.schema, columns, found.properties, description=source.comment)
    keys = partition_keys(metadata)
    texts = source_statistics(found, metadata)
    files = (
        AddFile(
            log_path(file.path),
            dict(zip(keys, (text for _, text in file.partitions), strict=True)),
            file.size,
            file.modified,
            stats=stats,
        )
        for file, stats in zip(found.files, texts, strict=True)
    )
    return unlogged_snapshot(found.location, table, metadata, files)


def log_path(path: str) -> str:
    """A canonical path as the log has it: a file elsewhere on a local disk is a URI."""
    encoded = encode_path(path)
    return f"file://{encoded}" if path.startswith("/") else encoded
