"""Iceberg manifests of a snapshot, with fast writing and searching of Avro files, and PyIceberg's access to the store.

Manifests in which nothing changes are kept unchanged. Blocks of Avro files are searched for paths without being parsed.
Source: Apache Avro specification, Object Container Files. PyIceberg gets whole objects in memory.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, TypeVar
from uuid import uuid4

from pyiceberg.avro.encoder import BinaryEncoder
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile, OutputStream
from pyiceberg.manifest import (
    DataFile,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    construct_partition_summaries,
    data_file_with_partition,
    manifest_entry_schema_with_data_file,
    read_manifest_list,
    write_manifest_list,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema

from deltasql.log.iceberg.current_metadata import METADATA_FOLDER, root_uri
from deltasql.log.storage.log_store import LogStore


class StoreIO(FileIO):  # type: ignore[misc]
    """Files below the root of a store. Raises FileNotFoundError, StorageError."""

    def __init__(self, store: LogStore) -> None:
        super().__init__()
        self.store = store
        self.root = root_uri(store.root)

    def new_input(self, location: str) -> InputFile:
        return _Input(self, location)

    def new_output(self, location: str) -> OutputFile:
        return _Output(self, location)

    def delete(self, location: Any) -> None:
        self.store.delete([self.path(location if isinstance(location, str) else location.location)])

    def path(self, location: str) -> str:
        """The path of a location in the store, whichever way its root is written."""
        for root in (self.root, self.store.root):
            if location.startswith(f"{root}/"):
                return location[len(root) + 1 :]
        raise FileNotFoundError(location)


class _Input(InputFile):  # type: ignore[misc]
    def __init__(self, files: StoreIO, location: str) -> None:
        super().__init__(location)
        self._files = files

    def __len__(self) -> int:
        return self._files.store.head(self._files.path(self.location)).size

    def exists(self) -> bool:
        return self._files.store.exists(self._files.path(self.location))

    def open(self, seekable: bool = True) -> InputStream:
        return io.BytesIO(self._files.store.read(self._files.path(self.location)))


class _Output(OutputFile):  # type: ignore[misc]
    """Output object. Overwriting is safe: its name is unique, and nothing refers to it before it is complete."""

    def __init__(self, files: StoreIO, location: str) -> None:
        super().__init__(location)
        self._files = files
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def exists(self) -> bool:
        return self._files.store.exists(self._files.path(self.location))

    def to_input_file(self) -> InputFile:
        return _Input(self._files, self.location)

    def create(self, overwrite: bool = False) -> OutputStream:
        return _Stream(self)

    def put(self, data: bytes) -> None:
        self._size = len(data)
        self._files.store.overwrite(self._files.path(self.location), data)


class _Stream(io.BytesIO):
    """Buffer that is written as the object when it is closed."""

    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output

    def close(self) -> None:
        if not self.closed:
            self._output.put(self.getvalue())
        super().close()


FILES_PER_MANIFEST = 4000
"""Data files of one manifest: all that is in it is written anew when one of them goes."""
LEAST_MERGED = 100
"""So many small manifests become one: each is an object that a reader fetches."""
_SMALL = FILES_PER_MANIFEST // 20
_BLOCK = 1000
_UNASSIGNED = -1
_CODEC = "deflate"


@dataclass(slots=True)
class SnapshotCounts:
    """Files, rows and bytes that one snapshot adds and deletes."""

    added_files: int = 0
    added_rows: int = 0
    added_bytes: int = 0
    deleted_files: int = 0
    deleted_rows: int = 0
    deleted_bytes: int = 0


@dataclass(slots=True)
class ManifestWriting:
    """The manifests of one new snapshot. `written` are the locations of new objects."""

    files: StoreIO
    snapshot_id: int
    sequence: int
    spec: PartitionSpec
    schema: Schema
    counts: SnapshotCounts = field(default_factory=SnapshotCounts)
    written: list[str] = field(default_factory=list)

    def added(self, data_files: Iterable[DataFile]) -> list[ManifestFile]:
        """New manifests that list these files, which are consumed as they come."""
        entries = (self._added(file) for file in data_files)
        return [self._manifest(chunk, self.spec) for chunk in _chunked(entries)]

    def without(
        self, manifests: Sequence[ManifestFile], removed: set[str], specs: dict[int, PartitionSpec]
    ) -> tuple[list[ManifestFile], set[str]]:
        """The manifests when these files are gone, by location, and those that were found nowhere."""
        left, remaining = set(removed), []
        search = PathSearch(removed, self.files.root)
        for manifest in reversed(manifests):
            if not left or not self._lists(manifest, search):
                remaining.append(manifest)
                continue
            entries = manifest.fetch_manifest_entry(self.files)
            if not any(entry.data_file.file_path in left for entry in entries):
                remaining.append(manifest)
                continue
            changed = (
                self._deleted(entry) if entry.data_file.file_path in left else _existing(entry) for entry in entries
            )
            remaining += [self._manifest(chunk, specs[manifest.partition_spec_id]) for chunk in _chunked(changed)]
            left -= {entry.data_file.file_path for entry in entries}
        return remaining[::-1], left

    def merged(self, manifests: Sequence[ManifestFile], specs: dict[int, PartitionSpec]) -> list[ManifestFile]:
        """The manifests, small ones of one spec joined where there are too many.

        Those of this snapshot, which have no number yet, stay: they say what it has deleted.
        """
        small = [item for item in manifests if _live(item) < _SMALL and item.sequence_number >= 0]
        chosen: set[str] = set()
        joined: list[ManifestFile] = []
        for number, spec in specs.items():
            members = [item for item in small if item.partition_spec_id == number]
            if len(members) >= LEAST_MERGED:
                chosen.update(item.manifest_path for item in members)
                joined += self._joined(members, spec)
        return [*(item for item in manifests if item.manifest_path not in chosen), *joined]

    def _joined(self, manifests: Sequence[ManifestFile], spec: PartitionSpec) -> list[ManifestFile]:
        """New manifests with all entries of some small ones."""
        entries = (_existing(entry) for item in manifests for entry in item.fetch_manifest_entry(self.files))
        return [self._manifest(chunk, spec) for chunk in _chunked(entries)]

    def listed(self, manifests: Sequence[ManifestFile], parent: int | None) -> str:
        """The location of a new manifest list."""
        location = self._location(f"snap-{self.snapshot_id}-{uuid4()}.avro")
        output = self.files.new_output(location)
        # Manifests of deleted files alone are news to this snapshot, and none to the next.
        live = [item for item in manifests if _live(item) or item.added_snapshot_id == self.snapshot_id]
        with write_manifest_list(2, output, self.snapshot_id, parent, self.sequence, _CODEC) as writer:
            writer.add_manifests(live)
        return location

    def _lists(self, manifest: ManifestFile, search: PathSearch) -> bool:
        """Whether the text of a manifest holds one of the paths: it is searched without being parsed."""
        data = self.files.store.read(self.files.path(manifest.manifest_path))
        return any(search.hits(block) for block in blocks(data))

    def _added(self, file: DataFile) -> ManifestEntry:
        self.counts.added_files += 1
        self.counts.added_rows += file.record_count
        self.counts.added_bytes += file.file_size_in_bytes
        return ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=self.snapshot_id, data_file=file)

    def _deleted(self, entry: ManifestEntry) -> ManifestEntry:
        file = entry.data_file
        self.counts.deleted_files += 1
        self.counts.deleted_rows += file.record_count
        self.counts.deleted_bytes += file.file_size_in_bytes
        return _with_status(entry, ManifestEntryStatus.DELETED, self.snapshot_id)

    def _location(self, name: str) -> str:
        location = f"{self.files.root}/{METADATA_FOLDER}/{name}"
        self.written.append(location)
        return location

    def _manifest(self, entries: Sequence[ManifestEntry], spec: PartitionSpec) -> ManifestFile:
        """A new manifest, in blocks of many entries: a block for each would take five times the space."""
        output = self.files.new_output(self._location(f"{uuid4()}-m0.avro"))
        kind = data_file_with_partition(spec.partition_type(self.schema), 2)
        shape = manifest_entry_schema_with_data_file(2, kind)
        about = {
            "schema": self.schema.model_dump_json(),
            "partition-spec": f"[{','.join(item.model_dump_json() for item in spec.fields)}]",
            "partition-spec-id": str(spec.spec_id),
            "format-version": "2",
            "content": "data",
            "avro.codec": _CODEC,
        }
        with AvroOutputFile[ManifestEntry](output, shape, "manifest_entry", shape, about) as writer:
            for start in range(0, len(entries), _BLOCK):
                write_block(writer, entries[start : start + _BLOCK])
        return self._described(output.location, len(output), entries, spec)

    def _described(
        self, location: str, size: int, entries: Sequence[ManifestEntry], spec: PartitionSpec
    ) -> ManifestFile:
        rows = dict.fromkeys(ManifestEntryStatus, 0)
        counts = dict(rows)
        for entry in entries:
            counts[entry.status] += 1
            rows[entry.status] += entry.data_file.record_count
        added, existing, deleted = (
            ManifestEntryStatus.ADDED,
            ManifestEntryStatus.EXISTING,
            ManifestEntryStatus.DELETED,
        )
        numbers = [entry.sequence_number for entry in entries if entry.status == existing]
        return ManifestFile.from_args(
            manifest_path=location,
            manifest_length=size,
            partition_spec_id=spec.spec_id,
            content=ManifestContent.DATA,
            sequence_number=_UNASSIGNED,
            min_sequence_number=min((number for number in numbers if number is not None), default=_UNASSIGNED),
            added_snapshot_id=self.snapshot_id,
            added_files_count=counts[added],
            existing_files_count=counts[existing],
            deleted_files_count=counts[deleted],
            added_rows_count=rows[added],
            existing_rows_count=rows[existing],
            deleted_rows_count=rows[deleted],
            partitions=construct_partition_summaries(spec, self.schema, [item.data_file.partition for item in entries]),
        )


def read_manifests(files: StoreIO, manifest_list: str) -> list[ManifestFile]:
    """The manifests of a snapshot that list live files."""
    return [item for item in read_manifest_list(files.new_input(manifest_list)) if _live(item)]


def _live(manifest: ManifestFile) -> int:
    return (manifest.added_files_count or 0) + (manifest.existing_files_count or 0)


def _existing(entry: ManifestEntry) -> ManifestEntry:
    return _with_status(entry, ManifestEntryStatus.EXISTING, entry.snapshot_id)


def _with_status(entry: ManifestEntry, status: ManifestEntryStatus, snapshot_id: int | None) -> ManifestEntry:
    return ManifestEntry.from_args(
        status=status,
        snapshot_id=snapshot_id,
        sequence_number=entry.sequence_number,
        file_sequence_number=entry.file_sequence_number,
        data_file=entry.data_file,
    )


def _chunked(entries: Iterable[ManifestEntry]) -> Iterator[list[ManifestEntry]]:
    """Entries for one manifest after the other; none where there are none."""
    source = iter(entries)
    for first in source:
        yield list(chain((first,), islice(source, FILES_PER_MANIFEST - 1)))


_Record = TypeVar("_Record")


class PathSearch:
    """A search for paths, of which all but a few lie below one root."""

    def __init__(self, paths: Iterable[str], root: str) -> None:
        self._root = f"{root}/".encode()
        encoded = [path.encode() for path in paths]
        self._below = {path[len(self._root) :] for path in encoded if path.startswith(self._root)}
        self._elsewhere = [path for path in encoded if not path.startswith(self._root)]
        self._lengths = {len(path) for path in self._below}

    def hits(self, block: bytes) -> bool:
        """Whether one of the paths is in the block."""
        starts = block.split(self._root)[1:] if self._below else ()
        if any(text[:length] in self._below for text in starts for length in self._lengths):
            return True
        return any(path in block for path in self._elsewhere)


def write_block(file: AvroOutputFile[_Record], records: Sequence[_Record]) -> None:
    """`file.write_block` with another encoder: twice as fast, since most of a record is small integers."""
    encoder = _BlockEncoder()
    for record in records:
        file.writer.write(encoder, record)
    deflate = zlib.compressobj(wbits=-15)
    file.encoder.write_int(len(records))
    file.encoder.write_bytes(deflate.compress(b"".join(encoder.parts)) + deflate.flush())
    file.encoder.write(file.sync_bytes)


class _BlockEncoder(BinaryEncoder):  # type: ignore[misc]
    """The parts of a block, in order."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.write = self.parts.append

    def write_int(self, integer: int) -> None:
        self.parts.append(_SMALL_INTEGERS[integer] if 0 <= integer < _FEW else _integer(integer))

    def write_bytes(self, b: bytes) -> None:
        self.write_int(len(b))
        self.parts.append(b)


def _integer(value: int) -> bytes:
    """Avro's zigzag varint."""
    rest, encoded = (value << 1) ^ (value >> 63), bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


_FEW = 1 << 12
_SMALL_INTEGERS = [_integer(number) for number in range(_FEW)]


def blocks(data: bytes) -> Iterator[bytes]:
    """The blocks of an Avro file, decompressed: what stands between its sync markers, which end the header too."""
    marker = data[-16:]
    compressed = b"deflate" in data[: data.find(marker)]
    for block in data.split(marker)[1:-1]:
        start = 0
        # The number of objects and of bytes come first.
        for _ in range(2):
            while block[start] & 0x80:
                start += 1
            start += 1
        yield zlib.decompress(block[start:], wbits=-15) if compressed else block[start:]
