"""Tables of other formats as snapshots: their columns, files and partition values, and the rows of the files.

Such a table has no Delta log. Statements that need only columns list no files.

Partition values are converted from the names of folders to the texts of a log, of the types that the user has declared,
or of types inferred from these names. Source: Spark, Partition Discovery.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone, tzinfo
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import reduce

from deltasql.base import DeltaSqlError, errors, parse_timestamp, zone
from deltasql.catalog import TableEntry, TableSource
from deltasql.files import SourceFile
from deltasql.log import (
    AddFile,
    Choice,
    FileSource,
    Metadata,
    Snapshot,
    encode_path,
    find_source,
    located,
    partition_keys,
    relative_path,
    unlogged_snapshot,
)
from deltasql.plan import SourceFiles, TableName
from deltasql.planner.context import Context
from deltasql.schema import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    MOST_DIGITS,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
    declared_length,
    fits,
    is_integral,
    sql_text,
)
from deltasql.schema import quote_name as quote

Folders = Sequence[tuple[str, "str | None"]]
"""Names and values of the folders that a file is in, the outermost first; None is a null."""

_PARTITION_TYPES_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?", re.ASCII)
_PARTITION_TYPES_LIMITS = frozenset({"nan", "infinity", "+infinity", "-infinity"})


def partition_fields(files: Iterable[Folders], location: str) -> StructType:
    """The partition columns of some files, with the narrowest types for all of their values.

    Raises PartitionFoldersError for files whose folders name different columns.
    """
    values: dict[str, list[str | None]] | None = None
    first: list[str] = []
    for folders in files:
        names = [name for name, _ in folders]
        if values is None:
            first, values = names, {name: [] for name in names}
        if names != first:
            raise errors.PartitionFoldersError(location, _shown(first), _shown(names))
        for name, value in folders:
            values[name].append(value)
    found = (values or {}).items()
    return StructType(tuple(StructField(name, _common_type(texts)) for name, texts in found))


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(quote, names)) or "none"


def _common_type(values: Sequence[str | None]) -> DataType:
    kinds = {_type_of(value) for value in set(values) if value is not None}
    return reduce(_wider, sorted(kinds, key=str)) if kinds else STRING


def _type_of(text: str) -> DataType:
    if _PARTITION_TYPES_WHOLE.fullmatch(text):
        kind = next((kind for kind in (INTEGER, LONG) if fits(int(text), kind)), None)
        digits = len(text.lstrip("+-0"))
        return kind or (DecimalType(digits, 0) if digits <= MOST_DIGITS else DOUBLE)
    if _NUMBER.fullmatch(text) or text.lower() in _PARTITION_TYPES_LIMITS:
        return DOUBLE
    if _TIMESTAMP.fullmatch(text) and parse_timestamp(text) is not None:
        return TIMESTAMP
    if _DATE.fullmatch(text) and parse_timestamp(text) is not None:
        return DATE
    return STRING


def _wider(first: DataType, second: DataType) -> DataType:
    """The type of a column that has values of both. BIGINT and DOUBLE have none that holds all values of both."""
    kinds = {first, second}
    decimals = [kind for kind in kinds if isinstance(kind, DecimalType)]
    if len(kinds) == 1:
        return first
    if kinds <= {INTEGER, LONG}:
        return LONG
    if kinds == {INTEGER, DOUBLE}:
        return DOUBLE
    if kinds == {DATE, TIMESTAMP}:
        return TIMESTAMP
    if decimals and kinds - set(decimals) <= {INTEGER, LONG}:
        return DecimalType(max(20, *(kind.precision for kind in decimals)), 0)
    return STRING


_WHOLE = re.compile(r"[+-]?\d{1,38}", re.ASCII)
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), "true"),
    **dict.fromkeys(("false", "f", "no", "n", "0"), "false"),
}
_LIMITS = {"infinity": math.inf, "inf": math.inf, "nan": math.nan}


def partition_texts(
    file: SourceFile, fields: Sequence[StructField], root: str, zone: tzinfo, *, ignore_failures: bool = False
) -> list[str | None]:
    """The values of a file's partition columns as the log has them, in the order of `fields`.

    `root` is the table's location, `zone` that of timestamps without one. With `ignore_failures` a text that is no
    value of its type is NULL. Raises PartitionCountError, PartitionNameError, SourcePartitionValueError.
    """
    location = located(file.path, root)
    if len(file.partitions) != len(fields):
        expected, present = (
            ", ".join(map(quote, names)) for names in (_names(fields), [n for n, _ in file.partitions])
        )
        raise errors.PartitionCountError(
            location, len(fields), expected or "none", len(file.partitions), present or "none"
        )
    values = []
    for field, (name, text) in zip(fields, file.partitions, strict=True):
        if field.name.lower() != name.lower():
            raise errors.PartitionNameError(location, quote(field.name), quote(name))
        try:
            values.append(None if text is None else partition_text(text, field.type, zone))
        except (ValueError, InvalidOperation, OverflowError):
            if not ignore_failures:
                raise errors.SourcePartitionValueError(
                    text or "", quote(field.name), sql_text(field.type), location
                ) from None
            values.append(None)
    return values


def _names(fields: Sequence[StructField]) -> list[str]:
    return [field.name for field in fields]


def partition_text(text: str, kind: DataType, zone: tzinfo) -> str:
    """The text in the log for a value that a folder names. Raises ValueError, InvalidOperation, OverflowError."""
    if is_integral(kind):
        return _whole(text.strip(), kind)
    if isinstance(kind, DecimalType):
        return _decimal(text.strip(), kind)
    if kind in (FLOAT, DOUBLE):
        return _inexact(text.strip())
    if kind == BOOLEAN:
        return _required(_TRUTHS.get(text.strip().lower()))
    if kind in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        return _moment(text.strip(), kind, zone)
    return text


def _required(text: str | None) -> str:
    if text is None:
        raise ValueError
    return text


def _whole(text: str, kind: DataType) -> str:
    if not _WHOLE.fullmatch(text) or not fits(int(text), kind):
        raise ValueError(text)
    return str(int(text))


def _decimal(text: str, kind: DecimalType) -> str:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    rounded = Decimal(text).quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
    if rounded.copy_abs() >= 10 ** (kind.precision - kind.scale):
        raise ValueError(text)
    return f"{rounded:f}"


def _inexact(text: str) -> str:
    """Numbers as they stand: who reads them rounds them."""
    if _NUMBER.fullmatch(text):
        return text
    limit = _LIMITS.get(text.lstrip("+-").lower())
    if limit is None:
        raise ValueError(text)
    return "NaN" if math.isnan(limit) else f"{'-' * text.startswith('-')}Infinity"


def _moment(text: str, kind: DataType, zone: tzinfo) -> str:
    moment = parse_timestamp(text)
    if moment is None:
        raise ValueError(text)
    if kind == DATE:
        return moment.date().isoformat()
    if kind == TIMESTAMP_NTZ:
        if moment.tzinfo is not None:
            raise ValueError(text)
        return moment.isoformat(" ")
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    return f"{aware.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


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
        raise errors.DeltaLocationError(location, source.format)
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
        raise errors.UnknownColumnsError(table, source.format, "there is no file in its location")
    inferred = partition_fields(_folders(source, files), files.root)
    names = {field.name.lower() for field in inferred}
    columns, partitions = _file_columns(context, source, files), list(inferred)
    if source.format not in _WITHOUT_ENGINE:
        partitions = [columns.find(field.name) or field for field in inferred]
    data = [StructField(field.name, field.type) for field in columns if field.name.lower() not in names]
    if not data and not partitions:
        raise errors.UnknownColumnsError(table, source.format, "the files have no columns")
    return FoundColumns(StructType((*data, *partitions)), tuple(field.name for field in partitions))


def _file_columns(context: Context, source: TableSource, files: FileSource) -> StructType:
    if source.format == "text":
        return StructType((StructField("value", STRING),))
    if source.format == "parquet":
        return _parquet_columns(context, source, files)
    return context.analyst.schema(source_files(source, files, typed=False))


def _parquet_columns(context: Context, source: TableSource, files: FileSource) -> StructType:
    """The columns of the first file, as Spark takes them; with the option mergeSchema those of all."""
    from deltasql.files import parquet_columns

    merges = options_of(source).get("mergeschema", "").lower() == "true"
    chosen = files.files if merges else files.files[:1]
    store = context.analyst.stores.open(files.root)
    paths = [(relative_path(file.path, files.root), file.size) for file in chosen]
    return parquet_columns(store, paths)


def _folders(source: TableSource, files: FileSource) -> Iterator[Folders]:
    """The partition folders of each file. Raises SourceFileError for one without a value."""
    from deltasql.files import folder_values

    if options_of(source).get("recursivefilelookup", "").lower() == "true":
        return
    for file in files.files:
        yield folder_values(relative_path(file.path, files.root), files.root)


def discovered(source: TableSource, files: FileSource) -> StructType:
    """The partition columns that the folders of a table's files name."""
    return partition_fields(_folders(source, files), files.root)


def _added(context: Context, files: FileSource, metadata: Metadata) -> Iterator[AddFile]:
    """The files as a log would have them. Raises SourcePartitionValueError, PartitionCountError."""
    from deltasql.files import folder_values

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
    from deltasql.files import iceberg_source, source_statistics

    named: Mapping[str, str] = {**options_of(source), **{key.lower(): text for key, text in source.properties.items()}}
    try:
        found = iceberg_source(context.analyst.stores, entry.location, named.get(METADATA_LOCATION))
    except errors.IcebergSourceError as error:
        raise errors.IcebergReadError(error.location, error.reason) from None
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
