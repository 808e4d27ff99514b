"""VACUUM: finds the files that can be deleted, notes it in the log, and deletes them.

The folder is read before the log: a file that is committed after that is younger than the cutoff, or it was in the
log by then. Between the note and the deletion the log is looked at once more. At the end the files of tables are
removed that were dropped from the same folder, and cannot come back any more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pyarrow as pa

from deltasql.base import DeltaSqlError, SessionSettings, errors, next_step, pc, session_settings, shielded
from deltasql.catalog import remove_expired
from deltasql.log import (
    LOG,
    Commit,
    IsHidden,
    Json,
    LogStore,
    Operation,
    Snapshot,
    TableListing,
    Transaction,
    UnusedFiles,
    file_table,
    hidden_names,
    is_absolute,
    last_before,
    logged_paths,
    no_folders,
    operations,
    plain_location,
    relative_path,
    table_uri,
    unused_files,
)
from deltasql.planner import Candidates, FileRemoval, Runtime
from deltasql.schema import STRING, StructField, StructType
from deltasql.session.execution.commit import Committed

PATHS = StructType((StructField("path", STRING),))
LAST_VACUUM = f"{LOG}/_last_vacuum_info"
LAST_VERSION = "latestCommitVersionOutsideOfRetentionWindow"
_MOST_TRIES = 10


def remove_files(change: FileRemoval, runtime: Runtime, settings: SessionSettings) -> Committed:
    """One row with the table's place; for a dry run one for each file and empty folder that would go.

    The metrics are those of both commits, whether or not they are made. Raises StorageError, VacuumLiteError.
    """
    cutoff = int(time.time() * 1000) - change.retention_ms
    tree, last = _candidates(change, runtime, cutoff)
    snapshot = change.log.snapshot()
    unused = unused_files(tree, change.log, snapshot, cutoff)
    metrics = {"numFilesToDelete": unused.files.num_rows, "sizeOfDataToDelete": unused.size}
    if change.dry_run:
        return Committed(PATHS, _rows(change, unused), metrics=metrics)
    if change.logged:
        start = _note(change, snapshot, operations.VACUUM_START, change.parameters, metrics, settings)
        next_step()
        unused = unused_files(tree, change.log, start.snapshot, cutoff)
    done = _deleted(change, unused, tree, settings)
    _remember(change, last, cutoff)
    # Nobody else looks after dropped tables of a schema in which no table is dropped any more.
    remove_expired(change.log.location.rpartition("/")[0], settings[session_settings.DROPPED_DAYS])
    return done


def _candidates(change: FileRemoval, runtime: Runtime, cutoff: int) -> tuple[TableListing, int | None]:
    """Where to look, and the last version whose removals were looked at where the log was asked."""
    is_hidden = hidden_names(change.snapshot)
    match change.candidates:
        case Candidates.FOLDER:
            return change.log.store.tree(is_hidden), None
        case Candidates.LOG:
            paths, last = logged_paths(change.log, _last_version(change), cutoff)
            return _present(change, paths, is_hidden), last
        case Candidates.INVENTORY:
            assert change.inventory is not None
            return _inventoried(runtime.rows(change.inventory).to_arrow(), change.log.store, is_hidden), None


def _present(change: FileRemoval, paths: list[str], is_hidden: IsHidden) -> TableListing:
    """Those of the files that exist and may be the table's data."""
    store = change.log.store
    data_paths = [path for path in paths if _may_be_data(path, store, is_hidden)]
    entries = [entry for path in data_paths if (entry := store.find(path)) is not None]
    files = file_table([e.path for e in entries], [e.size for e in entries], [e.modified for e in entries])
    return TableListing(files, no_folders())


def _may_be_data(path: str, store: LogStore, is_hidden: IsHidden) -> bool:
    """Whether a relative path of an inventory may be that of data: neither hidden nor outside of the table.

    `..` is hidden; and `a//b` is not how the log spells the file that it is.
    """
    return not any(part == "" or is_hidden(part) for part in path.split("/")) and store.contains(path)


def _inventoried(rows: pa.Table, store: LogStore, is_hidden: IsHidden) -> TableListing:
    """The files of an inventory that lie below the table, as `TableListing.files`."""
    rows = rows.filter(pc.invert(rows["isDir"].fill_null(False))).drop_null()
    entries = []
    for path, size, _, modified in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
        below = relative_path(plain_location(path), store.root)
        if not is_absolute(below) and _may_be_data(below, store, is_hidden):
            entries.append((below, size, modified))
    paths, sizes, times = zip(*entries, strict=True) if entries else ((), (), ())
    return TableListing(file_table(list(paths), list(sizes), list(times)), no_folders())


def _note(
    change: FileRemoval,
    snapshot: Snapshot,
    operation: Operation,
    parameters: Mapping[str, Any],
    metrics: Mapping[str, int],
    settings: SessionSettings,
) -> Commit:
    """A commit that only says what happens; what others change meanwhile is no obstacle to it."""
    for left in reversed(range(_MOST_TRIES)):
        try:
            return Transaction(change.log, snapshot).commit(
                operation, parameters, [], metrics=metrics, user_metadata=settings[session_settings.USER_METADATA]
            )
        except errors.ConcurrentModificationError:
            if left == 0:
                raise
            snapshot = change.log.snapshot()
    raise AssertionError("unreachable")


def _deleted(change: FileRemoval, unused: UnusedFiles, tree: TableListing, settings: SessionSettings) -> Committed:
    """Deletes, and notes how that ended."""
    store, paths = change.log.store, unused.files["path"].to_pylist()
    metrics = {"numDeletedFiles": 0, "numVacuumedDirectories": tree.folders}
    try:
        metrics["numDeletedFiles"] = store.delete_all(paths)
        store.delete_folders(unused.folders)
    except BaseException:
        # Also on Ctrl-C. That it failed is told by the error itself if not even the log can be written.
        with suppress(DeltaSqlError), shielded():
            _ended(change, "FAILED", metrics, settings)
        raise
    ended = _ended(change, "COMPLETED", metrics, settings)
    before = {"numFilesToDelete": len(paths), "sizeOfDataToDelete": unused.size}
    version, attempts = (None, 0) if ended is None else (ended.version, ended.attempts)
    return Committed(PATHS, ((table_uri(change.log.location),),), version, {**before, **metrics}, attempts)


def _ended(change: FileRemoval, status: str, metrics: Mapping[str, int], settings: SessionSettings) -> Commit | None:
    if not change.logged:
        return None
    return _note(change, change.log.snapshot(), operations.VACUUM_END, {"status": status}, metrics, settings)


def _rows(change: FileRemoval, unused: UnusedFiles) -> tuple[tuple[str], ...]:
    root = table_uri(change.log.location)
    return tuple((f"{root}/{path}",) for path in (*unused.files["path"].to_pylist(), *unused.folders))


def _last_version(change: FileRemoval) -> int:
    """The last version whose removals an earlier VACUUM has dealt with; -1 if there was none."""
    try:
        last: Json = json.loads(change.log.store.read(LAST_VACUUM))
    except (FileNotFoundError, ValueError, RecursionError, errors.StorageError):
        return -1
    version = last.get(LAST_VERSION) if isinstance(last, dict) else None
    return version if isinstance(version, int) else -1


def _remember(change: FileRemoval, last: int | None, cutoff: int) -> None:
    """Notes for the next VACUUM LITE which versions' removals have been dealt with. Only a hint: it may fail."""
    if change.candidates is Candidates.INVENTORY:
        return
    if last is None:
        last = last_before(change.log, cutoff)
    if last < 0:
        return
    with suppress(DeltaSqlError):
        change.log.store.overwrite(LAST_VACUUM, json.dumps({LAST_VERSION: last}).encode())
        change.log.store.delete([f"{LOG}/._last_vacuum_info.crc"])
