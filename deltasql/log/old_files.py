"""Files of a table's folder that no version needs, and files of a version that are missing where the log names them.

A file stays if it is in the newest version, if it was removed later than the cutoff, or if it is itself younger: it may
belong to a commit that is still to come. Files of the change data feed are in no version; only their age counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base import errors
from deltasql.log.actions.action_fields import parse_line
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import parse_commit
from deltasql.log.actions.deletion_vectors import vector_file
from deltasql.log.actions.file_tables import REMOVE, from_actions, needs_decoding, one_array, regrouped
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.configuration.row_ids import converts_to_iceberg
from deltasql.log.replay.log_segment import list_log
from deltasql.log.replay.snapshot import Snapshot, file_times
from deltasql.log.storage.listing import (
    IsHidden,
    TableListing,
    absolute,
    canonical,
    commit_path,
    folder_and_name,
    is_absolute,
    is_local,
    local_path,
    located,
    path_exists,
    real_path,
)
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore
from deltasql.log.table_properties import DELETED_FILE_RETENTION
from deltasql.schema import ZERO, flags, integers, strings

if TYPE_CHECKING:
    from deltasql.log.replay.live_files import LiveFiles
    from deltasql.log.replay.snapshot import DeltaLog


_ALWAYS_DATA = ("_change_data", "_delta_index")
_COLUMNS = ["path", "deletionVector"]
# Each piece is a table to look files up in: few are few looks, and this is 100 MB of paths.
_PIECE = 1_000_000
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, eq=False, slots=True)
class UnusedFiles:
    """Files and folders that no version needs. `files` as in `TableListing`, sorted, `folders` the deepest first."""

    files: pa.Table
    folders: list[str]

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return pc.sum(self.files["size"]).as_py() or 0


def hidden_names(snapshot: Snapshot) -> IsHidden:
    """Names that begin with `_` or `.` are none of the table's, but for its partitions and its change data."""
    keys = {*snapshot.partition_columns, *partition_keys(snapshot.metadata)}
    data = (*_ALWAYS_DATA, *(f"{key}=" for key in keys))
    # The Iceberg metadata beside the log, which conversion itself clears away.
    iceberg = converts_to_iceberg(snapshot.configuration)

    def is_hidden(name: str) -> bool:
        return (name.startswith((".", "_")) and not name.startswith(data)) or (iceberg and name == "metadata")

    return is_hidden


def unused_files(tree: TableListing, log: DeltaLog, snapshot: Snapshot, cutoff_ms: int) -> UnusedFiles:
    """The files and folders in `tree` that no version needs. `snapshot` must be newer, or new files would go."""
    cutoff = integers([cutoff_ms])[0]
    old = tree.files.filter(pc.less(tree.files["modified"], cutoff)).combine_chunks()
    paths, root = one_array(old["path"]), snapshot.location
    removed = (piece for table in _removed(log, snapshot, cutoff_ms) for piece in _paths(table, root))
    needed = _is_in_any(paths, removed)
    needed = pc.or_(needed, snapshot.read_files(lambda files: _is_in_any(paths, _live_paths(files, root))))
    folders = tree.empty.filter(pc.less(tree.empty["modified"], cutoff))["path"].to_pylist()
    return UnusedFiles(old.filter(pc.invert(needed)).sort_by("path"), folders)


def logged_paths(log: DeltaLog, after: int, cutoff_ms: int) -> tuple[list[str], int]:
    """The files that commits after version `after` and before the cutoff removed or wrote as change data; sorted.

    With them comes the last of these versions. Paths are decoded and relative. Raises VacuumLiteError where a commit
    is gone.
    """
    times = file_times(list_log(log.store, full=True))
    last = max(after, _last_before(times, cutoff_ms))
    if last > after and min(times) > after + 1:
        raise errors.VacuumLiteError(log.table, after + 1, min(times))
    paths: set[str] = set()
    for removes, changes in _removals(log, range(after + 1, last + 1)):
        paths.update(path for piece in _paths(removes, log.location) for path in piece.to_pylist())
        paths.update(canonical(change["path"], log.location) for change in changes)
    return sorted(path for path in paths if not is_absolute(path) and ".." not in path.split("/")), last


def last_before(log: DeltaLog, cutoff_ms: int) -> int:
    """The last version that is older than the cutoff; -1 if there is none."""
    return _last_before(file_times(list_log(log.store, full=True)), cutoff_ms)


def _last_before(times: Mapping[int, int], cutoff_ms: int) -> int:
    return max((version for version, modified in times.items() if modified < cutoff_ms), default=-1)


def _is_in_any(paths: pa.Array, pieces: Iterable[pa.Array]) -> pa.BooleanArray:
    """Which of `paths` are among those that are `pieces`, which are gone through once, piece by piece."""
    union = flags(np.zeros(len(paths), dtype=bool))
    if not len(paths):
        return union
    return reduce(lambda mask, piece: pc.or_(mask, pc.is_in(paths, value_set=piece)), pieces, union)


def _live_paths(files: LiveFiles, root: str) -> Iterator[pa.Array]:
    for table in regrouped(files.raw_batches(_COLUMNS), _PIECE):
        yield from _paths(table, root)


def _removed(log: DeltaLog, snapshot: Snapshot, cutoff_ms: int) -> list[pa.Table]:
    """The files that were removed, and must stay."""
    tables = [_younger(snapshot.tombstones(), cutoff_ms)]
    if cutoff_ms < time.time() * 1000 - snapshot.properties[DELETED_FILE_RETENTION]:
        # Checkpoints forget tombstones after the table's own retention; the commits still have them.
        times = file_times(list_log(log.store, full=True))
        recent = [version for version, modified in times.items() if modified >= cutoff_ms]
        tables += [_younger(removes, cutoff_ms) for removes, _ in _removals(log, recent)]
    return tables


def _younger(removes: pa.Table, cutoff_ms: int) -> pa.Table:
    removed = removes["deletionTimestamp"].fill_null(ZERO)
    return removes.filter(pc.greater_equal(removed, integers([cutoff_ms])[0])).select(_COLUMNS)


def _removals(log: DeltaLog, versions: list[int] | range) -> Iterator[tuple[pa.Table, list[Json]]]:
    """The removes of each commit, as `file_tables.REMOVE`, and its files of change data."""
    for version in versions:
        path = commit_path(version)
        data = log.store.read(path)
        commit = parse_commit(data, version, path, log.table)
        if not commit.is_big:
            yield from_actions(commit.removes, REMOVE), commit.changes
            continue
        lines = enumerate(data.splitlines(), 1)
        changes = [parse_line(line, at, path, log.table) for at, line in lines if line.startswith(b'{"cdc":')]
        yield commit.file_tables(log.table)[1], [action["cdc"] for action in changes if action["cdc"] is not None]


def _paths(files: pa.Table, root: str) -> Iterator[pa.Array]:
    """The places of files and their vectors, decoded; relative where they lie below the table, however written."""
    if needs_decoding(files["path"]):
        yield strings([_below(canonical(path, root), root) for path in files["path"].to_pylist()])
    else:
        yield one_array(files["path"])
    vectors = files["deletionVector"].combine_chunks().drop_null()
    if len(vectors):
        vector_files = (_vector_file(vector, root) for vector in _distinct(vectors))
        yield strings([path for path in vector_files if path is not None])


def _distinct(vectors: pa.StructArray) -> list[Json]:
    """Files of vectors, each once: many vectors share one."""
    kinds, names = (pc.struct_field(vectors, name) for name in ("storageType", "pathOrInlineDv"))
    pairs = pa.table({"storageType": kinds, "pathOrInlineDv": names}).group_by(["storageType", "pathOrInlineDv"])
    distinct: list[Json] = pairs.aggregate([]).to_pylist()
    return distinct


def _vector_file(vector: Json, root: str) -> str | None:
    """The path of the file that a vector is in; None for one that stands in the log itself."""
    path = vector_file(vector, root)
    return None if path is None else _below(path, root)


def _below(path: str, root: str) -> str:
    """An absolute path relative to the table also where another spelling of its root leads there: a link, s3a://."""
    if not is_absolute(path):
        return path
    if is_local(path) and is_local(root):
        return real_path(path).removeprefix(f"{real_path(root)}/")
    return _SCHEME.sub("", path).removeprefix(f"{_SCHEME.sub('', root)}/")


def missing_files(store: LogStore, files: pa.Table) -> tuple[pa.BooleanArray, pa.BooleanArray]:
    """Two masks of `files` (`path`, `deletionVector` as in the log): whose data file is gone, and whose vector is.

    An object store is listed once, and asked by name only for what is not in the list. Raises StorageError.
    """
    paths = [absolute(path, store.root) for path in files["path"].to_pylist()]
    vectors = [vector_location(vector, store.root) for vector in files["deletionVector"].to_pylist()]
    listed = _listed(store)
    gone = {item for item in {*paths, *vectors} - listed if item is not None and not _exists(store, item)}
    return flags([item in gone for item in paths]), flags([item in gone for item in vectors])


def vector_location(vector: Json | None, root: str) -> str | None:
    """The absolute place of the file that a vector is in; None where it is in the log, or there is none."""
    path = None if vector is None else vector_file(vector, root)
    return None if path is None else located(path, root)


def _listed(store: LogStore) -> set[str | None]:
    # On a local disk to look for a file is as cheap as to list it.
    if isinstance(store, LocalLogStore):
        return set()
    return {store.url(entry.path) for entry in store.list_below("")}


def _exists(store: LogStore, location: str) -> bool:
    if is_local(location):
        return path_exists(local_path(location))
    folder, name = folder_and_name(location)
    return store.at(folder).exists(name)
