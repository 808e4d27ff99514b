"""An Iceberg table in Delta's terms: columns with their ids, identity partitions, data files.

Only the current snapshot is read. Features without an equivalent in Delta are refused by name. Source: Iceberg's table
spec.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from pyiceberg import types as iceberg
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.transforms import IdentityTransform, VoidTransform

from deltasql.base.errors.iceberg import IcebergSourceError, NoIcebergTableError
from deltasql.log.iceberg.current_metadata import METADATA_FOLDER
from deltasql.log.iceberg.store_io import StoreIO
from deltasql.log.properties.property_registry import COLUMN_MAPPING_MODE, MAX_COLUMN_ID
from deltasql.log.storage.locations import folder_and_name, is_absolute, plain_location, relative_path
from deltasql.log.storage.log_store import LogStore
from deltasql.schema import types as delta
from deltasql.schema.column_mapping import ID, PHYSICAL_NAME

_METADATA = re.compile(r"(?:v(\d+)|(\d+)-[0-9a-fA-F-]+)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_PRIMITIVES: Mapping[type, delta.DataType] = {
    iceberg.BooleanType: delta.BOOLEAN,
    iceberg.IntegerType: delta.INTEGER,
    iceberg.LongType: delta.LONG,
    iceberg.FloatType: delta.FLOAT,
    iceberg.DoubleType: delta.DOUBLE,
    iceberg.StringType: delta.STRING,
    iceberg.BinaryType: delta.BINARY,
    iceberg.FixedType: delta.BINARY,
    iceberg.DateType: delta.DATE,
    iceberg.TimestampType: delta.TIMESTAMP_NTZ,
    iceberg.TimestamptzType: delta.TIMESTAMP,
}
_OURS = ("delta.", "owner", "provider", "location", "external", "is_managed_location", "comment")
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class IcebergTable:
    """`files` have canonical path, size in bytes, and partition columns with the texts that a log has for them.

    `stored` are the field ids of other partition columns, whose values only the files themselves have.
    """

    schema: delta.StructType
    partition_columns: tuple[str, ...]
    files: Sequence[tuple[str, int, tuple[tuple[str, str | None], ...]]]
    properties: Mapping[str, str]
    stored: frozenset[int] = frozenset()


def iceberg_table(store: LogStore, metadata_file: str | None = None, *, reading: bool = False) -> IcebergTable:
    """The table whose folder is the store's root, with the metadata of a file of this location, or the newest.

    With `reading`, partitions need not be those of a Delta table.
    Raises NoIcebergTableError, and IcebergSourceError for what Delta has not: partitions that are computed, partitions
    that changed, deletes, files of other formats, types.
    """
    metadata = _current(store, metadata_file)
    root = store.root
    schema = _struct(metadata.schema().fields, (), root)
    spec = _readable_spec(metadata) if reading else _spec(metadata, root)
    columns = tuple(metadata.schema().find_column_name(field.source_id) or "" for field in spec.fields)
    if any("." in name for name in columns):
        raise IcebergSourceError(root, f"it is partitioned by a field inside of a column, {', '.join(columns)}")
    kinds = [column.type for name in columns if (column := schema.find(name, case_sensitive=True)) is not None]
    files = [
        (_path(item.file_path, store.root), item.file_size_in_bytes, _values(item, spec, metadata, columns, kinds))
        for item in _data_files(metadata, store)
    ]
    properties = {key: value for key, value in metadata.properties.items() if not key.lower().startswith(_OURS)}
    mapping = {COLUMN_MAPPING_MODE.name: "id", MAX_COLUMN_ID.name: str(metadata.last_column_id)}
    stored = _identities(metadata) - {field.source_id for field in spec.fields}
    return IcebergTable(schema, columns, files, {**properties, **mapping}, frozenset(stored))


def _readable_spec(metadata: TableMetadata) -> PartitionSpec:
    """The partition spec, if it is one of identities and never changed; else none: files have all columns as well."""
    fields = metadata.spec().fields
    plain = all(isinstance(field.transform, (IdentityTransform, VoidTransform)) for field in fields)
    inside = any("." in (metadata.schema().find_column_name(field.source_id) or "") for field in fields)
    return _spec(metadata, "") if plain and not inside and len(metadata.partition_specs) == 1 else PartitionSpec()


def _identities(metadata: TableMetadata) -> set[int]:
    """The field ids of all columns by whose values files were ever partitioned."""
    fields = (field for spec in metadata.partition_specs for field in spec.fields)
    return {field.source_id for field in fields if isinstance(field.transform, IdentityTransform)}


def _current(store: LogStore, metadata_file: str | None) -> TableMetadata:
    """The metadata of a file, else the newest: that of the highest number. Raises NoIcebergTableError."""
    if metadata_file is not None:
        return _parsed(store, _path(metadata_file, store.root))
    numbered = []
    for entry in store.list_folder(METADATA_FOLDER):
        match = _METADATA.fullmatch(entry.name)
        if match is not None:
            numbered.append((int(match[1] or match[2]), entry.modified, entry.path))
    if not numbered:
        raise NoIcebergTableError(store.root, "its folder 'metadata' has no metadata file")
    return _parsed(store, max(numbered)[2])


def _parsed(store: LogStore, path: str) -> TableMetadata:
    try:
        folder, name = folder_and_name(path)
        data = store.at(folder).read(name) if is_absolute(path) else store.read(path)
    except FileNotFoundError as error:
        raise NoIcebergTableError(store.root, f"{path} is not there") from error
    try:
        if ".gz" in path:
            data = gzip.decompress(data)
        return TableMetadataUtil.parse_raw(data.decode())
    except (ValueError, OSError, EOFError) as error:
        raise NoIcebergTableError(store.root, f"{path} cannot be read") from error


def _spec(metadata: TableMetadata, root: str) -> PartitionSpec:
    """The partition spec of all files. Raises IcebergSourceError for one that is computed, or has changed."""
    used = [spec for spec in metadata.partition_specs if spec.spec_id == metadata.default_spec_id]
    if len(metadata.partition_specs) != len(used):
        raise IcebergSourceError(root, "its partitioning has changed, so that its files are partitioned differently")
    (spec,) = used
    for field in spec.fields:
        if not isinstance(field.transform, (IdentityTransform, VoidTransform)):
            raise IcebergSourceError(
                root, f"its partitions are computed: {field.name} is {field.transform} of a column"
            )
    return PartitionSpec(*(field for field in spec.fields if isinstance(field.transform, IdentityTransform)))


def _data_files(metadata: TableMetadata, store: LogStore) -> Iterator[DataFile]:
    """The live data files, in order of path. Raises IcebergSourceError for deletes, and for files of other formats."""
    snapshot = metadata.current_snapshot()
    if snapshot is None:
        return
    files = StoreIO(store)
    live = []
    for manifest in snapshot.manifests(files):
        for entry in manifest.fetch_manifest_entry(files, discard_deleted=True):
            item = entry.data_file
            if manifest.content == ManifestContent.DELETES or item.content != DataFileContent.DATA:
                what = "equality deletes" if item.content == DataFileContent.EQUALITY_DELETES else "position deletes"
                raise IcebergSourceError(store.root, f"it has {what}, {item.file_path}: rewrite its data files first")
            if item.file_format != FileFormat.PARQUET:
                raise IcebergSourceError(store.root, f"{item.file_path} is of format {item.file_format.value}")
            live.append(item)
    yield from sorted(live, key=lambda item: str(item.file_path))


def _path(location: str, root: str) -> str:
    """A file's canonical path. Iceberg does not encode locations."""
    return relative_path(plain_location(location), root)


def _values(
    item: DataFile,
    spec: PartitionSpec,
    metadata: TableMetadata,
    columns: Sequence[str],
    kinds: Sequence[delta.DataType],
) -> tuple[tuple[str, str | None], ...]:
    """The partition values of a file by column; those of void partitions, which say nothing, are left out."""
    if not spec.fields:
        return ()
    fields = metadata.spec().fields
    values = [item.partition[at] for at, field in enumerate(fields) if isinstance(field.transform, IdentityTransform)]
    return tuple(
        (name, None if value is None else _text(value, kind))
        for name, value, kind in zip(columns, values, kinds, strict=True)
    )


def _text(value: Any, kind: delta.DataType) -> str:
    """A partition value as a log of Delta's writes it: Iceberg has days and microseconds in places of dates."""
    if kind == delta.DATE and isinstance(value, int):
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    if kind in (delta.TIMESTAMP, delta.TIMESTAMP_NTZ):
        return _moment(value, utc=kind == delta.TIMESTAMP)
    match value:
        case bool():
            return str(value).lower()
        case date():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case bytes():
            return value.decode("latin-1")
        case _:
            return str(value)


def _moment(value: int | datetime, *, utc: bool) -> str:
    moment = _EPOCH + timedelta(microseconds=value) if isinstance(value, int) else value
    clock = moment if moment.tzinfo is None else moment.astimezone(timezone.utc).replace(tzinfo=None)
    return f"{clock.isoformat(timespec='microseconds')}Z" if utc else clock.isoformat(" ")


# Types


def _struct(fields: Sequence[iceberg.NestedField], above: tuple[str, ...], location: str) -> delta.StructType:
    return delta.StructType(tuple(_field(field, above, location) for field in fields))


def _field(field: iceberg.NestedField, above: tuple[str, ...], location: str) -> delta.StructField:
    """A field under its id, and under its name of today as the physical one; all can be null: old files lack some."""
    path = (*above, field.name)
    metadata = {ID: field.field_id, PHYSICAL_NAME: field.name}
    if field.doc:
        metadata = {"comment": field.doc, **metadata}
    return delta.StructField(field.name, _type(field.field_type, path, location), True, MappingProxyType(metadata))


def _type(kind: iceberg.IcebergType, path: tuple[str, ...], location: str) -> delta.DataType:
    match kind:
        case iceberg.StructType():
            return _struct(kind.fields, path, location)
        case iceberg.ListType():
            return delta.ArrayType(_type(kind.element_type, (*path, "element"), location))
        case iceberg.MapType():
            key, value = (_type(item, path, location) for item in (kind.key_type, kind.value_type))
            return delta.MapType(key, value)
        case iceberg.DecimalType():
            return delta.DecimalType(kind.precision, kind.scale)
    primitive = _PRIMITIVES.get(type(kind))
    if primitive is None:
        raise IcebergSourceError(location, f"its column {'.'.join(path)} is a {kind}, which Delta has not")
    return primitive
