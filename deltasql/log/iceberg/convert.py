"""Converts a snapshot to Iceberg metadata, after each commit of a table that is also read as Iceberg.

The changes of the commits since the last conversion are applied; all files are listed anew only if these are unknown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import DataFile, ManifestFile
from pyiceberg.table.metadata import TableMetadataV2
from pyiceberg.table.snapshots import MetadataLogEntry

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.iceberg import IcebergVectorsError, IcebergWritersError
from deltasql.base.errors.log import LogFileNotFoundError
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.iceberg_compat import converts_to_iceberg
from deltasql.log.configuration.indexed_columns import partition_keys
from deltasql.log.iceberg.current_metadata import (
    HINT,
    METADATA_FOLDER,
    CurrentMetadata,
    current_metadata,
    metadata_path,
    root_uri,
)
from deltasql.log.iceberg.data_files import AddedFiles, manifest_data_files
from deltasql.log.iceberg.manifests import ManifestWriting, read_manifests
from deltasql.log.iceberg.schema_types import same_types
from deltasql.log.iceberg.store_io import StoreIO
from deltasql.log.iceberg.table_metadata import (
    ExpiredMetadata,
    parse_metadata,
    snapshot_operation,
    snapshot_totals,
    with_snapshot,
    with_table_state,
    without_old,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import canonical, located
from deltasql.log.storage.log_store import LogStore

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
    raise IcebergWritersError(snapshot.table, _MOST_ATTEMPTS)


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
        except LogFileNotFoundError:
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
            raise IcebergVectorsError(self.snapshot.table, "Iceberg metadata")
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
            raise IcebergVectorsError(self.snapshot.table, "Iceberg metadata")
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
