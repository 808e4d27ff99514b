"""Manifests for readers of symlink tables, such as Presto and Athena: texts that name a table's data files, one a line.

There is one for each partition, in Hive-style folders below `_symlink_format_manifest`. Readers see files as they are:
tables with deletion vectors or column mapping have none. Source: Delta, symlink format manifests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

import pyarrow as pa

from deltasql.base import errors
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import checksum_beside, table_uri
from deltasql.log.storage.log_store import LogStore
from deltasql.schema import HIVE_NULL

FOLDER = "_symlink_format_manifest"
_NAME = "manifest"
_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^")
"""Characters that Spark escapes in folder names, besides control characters."""


def write_manifests(store: LogStore, snapshot: Snapshot, partitions: Collection[str] | None = None) -> None:
    """Writes the manifests of a version, and removes those of partitions that are gone.

    `partitions` are the folders, below FOLDER, of the manifests to write; None: all.
    Raises ManifestVectorsError, MappedManifestError, StorageError.
    """
    if snapshot.properties.maps_columns:
        raise errors.MappedManifestError(table=snapshot.table)
    manifests = _manifests(snapshot)
    if partitions is not None:
        manifests = {folder: text for folder, text in manifests.items() if folder in partitions}
    present = {entry.path for entry in store.list_below(FOLDER)}
    for folder, text in manifests.items():
        _write(store, _path(folder), text, present)
    paths = {_path(folder) for folder in manifests}
    written = {path for path in present if path.rpartition("/")[2] == _NAME}
    judged = written if partitions is None else written & {_path(folder) for folder in partitions}
    _remove(store, sorted(judged - paths))


def _write(store: LogStore, path: str, text: str, present: Collection[str]) -> None:
    store.overwrite(path, text.encode())
    if checksum_beside(path) in present:
        # Of the text that was there before: Hadoop would refuse to read this one.
        store.delete([checksum_beside(path)])


def touched_partitions(commit: CommitFile, snapshot: Snapshot) -> set[str] | None:
    """The folders of the partitions whose files a commit has changed; None if all manifests must be written."""
    if commit.metadata is not None:
        return None
    plain = commit.materialized(snapshot.table)
    keys = list(zip(snapshot.partition_columns, partition_keys(snapshot.metadata), strict=True))
    actions = [*plain.adds, *plain.removes]
    if any(action.get("partitionValues") is None for action in actions):
        return None
    return {folder_of((name, action["partitionValues"].get(key)) for name, key in keys) for action in actions}


def folder_of(values: Iterable[tuple[str, str | None]]) -> str:
    """The folder of a partition: "p=1/q=a", "" for a table without partitions."""
    return "/".join(f"{_escaped(name)}={_escaped(value) if value else HIVE_NULL}" for name, value in values)


def _path(folder: str) -> str:
    return f"{FOLDER}/{folder}/{_NAME}" if folder else f"{FOLDER}/{_NAME}"


def _manifests(snapshot: Snapshot) -> dict[str, str]:
    """The text of each manifest by its folder. A table without partitions has one, even if it has no files."""
    files = snapshot.files(("location", "partitionValues", "deletionVector"))
    if files.filter(marked_files(files)).num_rows:
        raise errors.ManifestVectorsError(table=snapshot.table)
    lines: dict[str, list[str]] = {} if snapshot.partition_columns else {"": []}
    for values, location in zip(_values(files, snapshot), files["location"].to_pylist(), strict=True):
        lines.setdefault(folder_of(values), []).append(table_uri(location))
    return {folder: "".join(f"{line}\n" for line in sorted(paths)) for folder, paths in lines.items()}


def _values(files: pa.Table, snapshot: Snapshot) -> Iterator[list[tuple[str, str | None]]]:
    """The partition values of each file, by the names of the columns."""
    for row in files["partitionValues"].to_pylist():
        yield [(name, row[name]) for name in snapshot.partition_columns]


def _remove(store: LogStore, paths: list[str]) -> None:
    if paths:
        store.delete_all(paths)
        folders = {str(above) for path in paths for above in PurePosixPath(path).parents} - {".", FOLDER}
        store.delete_folders(sorted(folders, reverse=True))


def _escaped(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in _ESCAPED or char < " " else char for char in text)
