"""Conversion of a snapshot to Iceberg metadata after each commit, and of an Iceberg table to Delta's terms.

The changes of the commits since the last conversion are applied; all files are listed anew only if these are unknown.

Of an Iceberg table only the current snapshot is read: columns with their ids, identity partitions, data files. Features
without an equivalent in Delta are refused by name. Source: Iceberg's table spec.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types as iceberg
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestFile
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil, TableMetadataV2
from pyiceberg.table.snapshots import MetadataLogEntry
from pyiceberg.transforms import IdentityTransform, VoidTransform

from deltasql.base import DeltaSqlError, errors
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.configuration.row_ids import converts_to_iceberg
from deltasql.log.iceberg.current_metadata import (
    HINT,
    METADATA_FOLDER,
    CurrentMetadata,
    current_metadata,
    metadata_path,
    root_uri,
)
from deltasql.log.iceberg.data_files import AddedFiles, manifest_data_files
from deltasql.log.iceberg.manifests import ManifestWriting, StoreIO, read_manifests
from deltasql.log.iceberg.table_metadata import (
    ExpiredMetadata,
    parse_metadata,
    same_types,
    snapshot_operation,
    snapshot_totals,
    with_snapshot,
    with_table_state,
    without_old,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import (
    canonical,
    folder_and_name,
    is_absolute,
    located,
    plain_location,
    relative_path,
)
from deltasql.log.storage.log_store import LogStore
from deltasql.log.table_properties import COLUMN_MAPPING_MODE, MAX_COLUMN_ID
from deltasql.schema import ID, PHYSICAL_NAME
from deltasql.schema import types as delta

_MOST_ATTEMPTS = 10
_MOST_PENDING = 1000
"""Most versions since the last conversion whose commits are read; beyond, listing all files is cheaper."""


def write_iceberg_metadata(store: LogStore, snapshot: Snapshot) -> bool:
    """Writes the Iceberg metadata of a snapshot; False if that or a later version is converted already.

    Raises IcebergWritersError if other writers won every attempt, and errors of a schema or files that Iceberg lacks.
    """
    for _ in range(_MOST_ATTEMPTS):
        current = current_metadata(store)
        if current is not None and current.converted[0] >= snapshot.version:
            return False
        if _Conversion(store, snapshot, current).run():
            return True
    raise errors.IcebergWritersError(snapshot.table, _MOST_ATTEMPTS)


class _Conversion:
    """One attempt to write metadata, on top of the current ones."""

    def __init__(self, store: LogStore, snapshot: Snapshot, current: CurrentMetadata | None) -> None:
        self.files = StoreIO(store)
        self.snapshot = snapshot
        self.current = current
        self.base = None if current is None else parse_metadata(current)
        self.next = with_table_state(self.base, snapshot, root_uri(store.root))
        self.writing = self._new_writing()

    def _new_writing(self) -> ManifestWriting:
        return ManifestWriting(
            self.files,
            snapshot_id=random.getrandbits(62),
            sequence=self.next.last_sequence_number + 1,
            spec=self.next.spec(),
            schema=self.next.schema(),
        )

    def run(self) -> bool:
        """Writes the metadata; False if another writer has put metadata of the same number."""
        try:
            metadata, expired = without_old(self._advanced(), self.snapshot, self._previous())
        except BaseException:
            self._discard()
            raise
        number = 1 if self.current is None else self.current.number + 1
        # If the answer is lost, the metadata may be there and need its manifests: then they stay.
        if not self.files.store.put_if_absent(metadata_path(number), metadata.model_dump_json().encode()):
            self._discard()
            return False
        with suppress(DeltaSqlError):
            self.files.store.overwrite(HINT, str(number).encode())
        self._forget(expired, metadata)
        return True

    def _previous(self) -> MetadataLogEntry | None:
        if self.current is None or self.base is None:
            return None
        location = f"{self.files.root}/{self.current.path}"
        return MetadataLogEntry(metadata_file=location, timestamp_ms=self.base.last_updated_ms)

    def _advanced(self) -> TableMetadataV2:
        """The metadata of this version, with a new Iceberg snapshot if the live files have changed."""
        change = self._since()
        if change is not None and not change.added and not change.removed:
            return self.next
        manifests = None if change is None else self._changed(change)
        if change is not None and manifests is not None:
            return self._with(manifests, only_layout=change.only_layout)
        # The files of the abandoned attempt are unreferenced.
        self._discard()
        self.writing = self._new_writing()
        self._delete_all()
        manifests = self.writing.added(self._data_files(self._all()))
        if not manifests and not self.writing.counts.deleted_files:
            return self.next
        return self._with(manifests, only_layout=False)

    def _delete_all(self) -> None:
        """Counts all files of the last snapshot as deleted, for a new one that keeps none of its manifests."""
        before, counts = snapshot_totals(self.next), self.writing.counts
        counts.deleted_files, counts.deleted_rows, counts.deleted_bytes = before.files, before.rows, before.bytes

    def _with(self, manifests: Sequence[ManifestFile], *, only_layout: bool) -> TableMetadataV2:
        location = self.writing.listed(manifests, self.next.current_snapshot_id)
        kind = snapshot_operation(self.writing.counts, only_layout=only_layout)
        return with_snapshot(self.next, self.writing.snapshot_id, location, kind, self.writing.counts)

    def _since(self) -> NetChange | None:
        """Net change of the commits since the last conversion; None if unknown, or if the file counts do not match."""
        if self.current is None or self.base is None or not same_types(self.base.schema(), self.next.schema()):
            return None
        version = self.current.converted[0]
        if version < 0 or self.snapshot.version - version > _MOST_PENDING:
            return None
        try:
            commits = self.snapshot.commits_after(version)
        except errors.LogFileNotFoundError:
            return None
        if any(_was_off(commit) for commit in commits):
            # Meanwhile VACUUM saw no use in the old manifests.
            return None
        change = net_change(commits, self.snapshot.location, self.snapshot.table)
        if snapshot_totals(self.base).files + len(change.added) - len(change.removed) != self.snapshot.num_files:
            # Files that were listed already were listed again, or the metadata is another's.
            return None
        return change

    def _changed(self, change: NetChange) -> list[ManifestFile] | None:
        """The manifests after a change; None if they are gone, or a removed file is in none of them."""
        assert self.base is not None
        current = self.base.current_snapshot()
        manifests: list[ManifestFile] = []
        if current is not None and len(change.removed) == snapshot_totals(self.base).files:
            self._delete_all()
        elif current is not None:
            removed = {self._location(path) for path in change.removed}
            try:
                manifests, missing = self._remaining_manifests(current.manifest_list, removed)
            except FileNotFoundError:
                return None
            if missing:
                return None
        return [*self.writing.added(self._data_files(self._added(change.added))), *manifests]

    def _remaining_manifests(self, manifest_list: str, removed: set[str]) -> tuple[list[ManifestFile], set[str]]:
        """The manifests of the last snapshot without the `removed` files, and the removed files that none has."""
        specs = self.next.specs()
        manifests, missing = read_manifests(self.files, manifest_list), set[str]()
        if removed:
            manifests, missing = self.writing.without(manifests, removed, specs)
        return self.writing.merged(manifests, specs), missing

    def _data_files(self, added: AddedFiles) -> Iterator[DataFile]:
        return manifest_data_files(added, self.snapshot.metadata, self.next.default_spec_id, self.snapshot.table)

    def _added(self, files: Mapping[str, Json]) -> AddedFiles:
        adds = list(files.values())
        if any(add.get("deletionVector") for add in adds):
            raise errors.IcebergVectorsError(self.snapshot.table, "Iceberg metadata")
        names = partition_keys(self.snapshot.metadata)
        columns = [pa.array([add["partitionValues"].get(name) or None for add in adds], pa.string()) for name in names]
        return AddedFiles(
            [self._location(path) for path in files],
            [add["size"] for add in adds],
            pa.array([add.get("stats") for add in adds], pa.string()),
            _struct(columns, names, len(adds)),
        )

    def _all(self) -> AddedFiles:
        """Every live file, by column."""
        table = self.snapshot.files(("location", "size", "stats", "partitionValues", "deletionVector"))
        if table.filter(marked_files(table)).num_rows:
            raise errors.IcebergVectorsError(self.snapshot.table, "Iceberg metadata")
        names = partition_keys(self.snapshot.metadata)
        values = table["partitionValues"].combine_chunks()
        columns = [pc.struct_field(values, [index]).cast(pa.string()) for index in range(len(names))]
        return AddedFiles(
            [root_uri(location) for location in table["location"].to_pylist()],
            table["size"].to_pylist(),
            table["stats"].combine_chunks().cast(pa.string()),
            _struct(columns, names, table.num_rows),
        )

    def _location(self, path: str) -> str:
        """The URI of a file in Iceberg metadata, from its canonical path."""
        return root_uri(located(path, self.snapshot.location))

    def _discard(self) -> None:
        with suppress(DeltaSqlError):
            self.files.store.delete([self.files.path(location) for location in self.writing.written])
        self.writing.written.clear()

    def _forget(self, expired: ExpiredMetadata, metadata: TableMetadataV2) -> None:
        """Deletes objects that no metadata names any more. Errors are ignored: leftovers are harmless."""
        if not expired.snapshots and not expired.metadata:
            return
        with suppress(DeltaSqlError, FileNotFoundError):
            lists = [snapshot.manifest_list for snapshot in expired.snapshots]
            needed = {
                item.manifest_path
                for snapshot in metadata.snapshots[:1]
                for item in read_manifests(self.files, snapshot.manifest_list)
            }
            manifests = {item.manifest_path for location in lists for item in read_manifests(self.files, location)}
            gone = [*expired.metadata, *lists, *(manifests - needed)]
            # Old metadata may name any file; only those of its own folder are its to delete.
            paths = [self.files.path(location) for location in gone]
            self.files.store.delete([path for path in paths if path.startswith(f"{METADATA_FOLDER}/")])


def _was_off(commit: CommitFile) -> bool:
    """Whether the commit has metadata without Iceberg conversion."""
    return commit.metadata is not None and not converts_to_iceberg(commit.metadata.get("configuration") or {})


def _struct(columns: Sequence[pa.Array], names: Sequence[str], length: int) -> pa.StructArray:
    if not names:
        return pa.nulls(length, pa.struct([]))
    return pa.StructArray.from_arrays(columns, names=list(names))


@dataclass(slots=True)
class NetChange:
    """Files by canonical path: `added` are live after the commits, `removed` were live before them.

    A path in both was restated. `only_layout` is true if no commit changed rows.
    """

    added: dict[str, Json] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    only_layout: bool = True


def net_change(commits: Sequence[CommitFile], root: str, table: str) -> NetChange:
    """The net change of consecutive commits, in version order. Raises InvalidLogJsonError."""
    change = NetChange()
    fresh: set[str] = set()
    for commit in commits:
        plain = commit.materialized(table)
        for remove in plain.removes:
            path = canonical(remove["path"], root)
            change.added.pop(path, None)
            change.only_layout &= remove.get("dataChange") is False
            if path not in fresh:
                change.removed.add(path)
            fresh.discard(path)
        for add in plain.adds:
            path = canonical(add["path"], root)
            change.added[path] = add
            change.only_layout &= add.get("dataChange") is False
            if path not in change.removed:
                fresh.add(path)
    return change


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
    schema = _source_struct(metadata.schema().fields, (), root)
    spec = _readable_spec(metadata) if reading else _spec(metadata, root)
    columns = tuple(metadata.schema().find_column_name(field.source_id) or "" for field in spec.fields)
    if any("." in name for name in columns):
        raise errors.IcebergSourceError(root, f"it is partitioned by a field inside of a column, {', '.join(columns)}")
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
        raise errors.NoIcebergTableError(store.root, "its folder 'metadata' has no metadata file")
    return _parsed(store, max(numbered)[2])


def _parsed(store: LogStore, path: str) -> TableMetadata:
    try:
        folder, name = folder_and_name(path)
        data = store.at(folder).read(name) if is_absolute(path) else store.read(path)
    except FileNotFoundError as error:
        raise errors.NoIcebergTableError(store.root, f"{path} is not there") from error
    try:
        if ".gz" in path:
            data = gzip.decompress(data)
        return TableMetadataUtil.parse_raw(data.decode())
    except (ValueError, OSError, EOFError) as error:
        raise errors.NoIcebergTableError(store.root, f"{path} cannot be read") from error


def _spec(metadata: TableMetadata, root: str) -> PartitionSpec:
    """The partition spec of all files. Raises IcebergSourceError for one that is computed, or has changed."""
    used = [spec for spec in metadata.partition_specs if spec.spec_id == metadata.default_spec_id]
    if len(metadata.partition_specs) != len(used):
        raise errors.IcebergSourceError(
            root, "its partitioning has changed, so that its files are partitioned differently"
        )
    (spec,) = used
    for part in spec.fields:
        if not isinstance(part.transform, (IdentityTransform, VoidTransform)):
            raise errors.IcebergSourceError(
                root, f"its partitions are computed: {part.name} is {part.transform} of a column"
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
                raise errors.IcebergSourceError(
                    store.root, f"it has {what}, {item.file_path}: rewrite its data files first"
                )
            if item.file_format != FileFormat.PARQUET:
                raise errors.IcebergSourceError(store.root, f"{item.file_path} is of format {item.file_format.value}")
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


def _source_struct(fields: Sequence[iceberg.NestedField], above: tuple[str, ...], location: str) -> delta.StructType:
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
            return _source_struct(kind.fields, path, location)
        case iceberg.ListType():
            return delta.ArrayType(_type(kind.element_type, (*path, "element"), location))
        case iceberg.MapType():
            key, value = (_type(item, path, location) for item in (kind.key_type, kind.value_type))
            return delta.MapType(key, value)
        case iceberg.DecimalType():
            return delta.DecimalType(kind.precision, kind.scale)
    primitive = _PRIMITIVES.get(type(kind))
    if primitive is None:
        raise errors.IcebergSourceError(location, f"its column {'.'.join(path)} is a {kind}, which Delta has not")
    return primitive
