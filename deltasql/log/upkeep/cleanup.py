"""Deleting log files that no kept version needs. Source: Delta protocol, Metadata Cleanup.

Only files before a checkpoint that is itself older than the retention are deleted, so every younger version can still
be read. Oldest first: a concurrent reader, or one after a crash, finds a log that merely begins later.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable

from deltasql.base.errors.log import InvalidCheckpointError
from deltasql.base.errors.statements.copy_into import CopyStateError
from deltasql.log.properties.property_registry import (
    DELETED_FILE_RETENTION,
    LOG_CLEANUP,
    LOG_RETENTION,
    PROTECTED_BEFORE,
)
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.reading.copy_log import FOLDER, needed_parts
from deltasql.log.replay.checkpoint import Checkpoint, sidecar_path
from deltasql.log.replay.history import file_times
from deltasql.log.replay.log_segment import LogListing, classify
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import LOG, STAGED_COMMITS
from deltasql.log.storage.log_store import Entry, LogStore

_DAY_MS = 24 * 60 * 60 * 1000

# Commits, checksums and checkpoints, compacted files, and the checksums that Hadoop puts beside them.
_VERSIONED = re.compile(r"\.?(\d{20})\.(json|crc|checkpoint\..+|\d{20}\.compacted\.json)(\.crc)?")
_STAGED = re.compile(r"(\d{20})\..+\.json")
_ORDER = {"json": 0, "crc": 1}


_YOUNGER: dict[str, int] = {}
"""By table: a time in ms before which no commit was there when this process has looked last. A log is long to list."""


def clean_up_log(store: LogStore, snapshot: Snapshot, now_ms: int | None = None) -> list[str]:
    """Deletes log files older than `delta.logRetentionDuration`, if the table allows it; returns their paths, in order.

    Raises StorageError, and PropertyValueError for an illegal retention.
    """
    properties = snapshot.properties
    if not properties[LOG_CLEANUP]:
        return []
    now = int(time.time() * 1000) if now_ms is None else now_ms
    cutoff = _cutoff(properties, now)
    if cutoff < _YOUNGER.get(store.root, 0):
        return []
    entries = store.list_folder(LOG)
    listing = classify(entries, complete=True)
    _YOUNGER[store.root] = min(file_times(listing).values(), default=0)
    first = oldest_needed_checkpoint(listing, cutoff)
    if first is None or first < properties[PROTECTED_BEFORE]:
        return []
    return _delete_before(first, store, snapshot, entries, listing, now)


def forget_versions(store: LogStore, snapshot: Snapshot, cutoff_ms: int) -> list[str]:
    """Deletes log files that no version since the cutoff needs, ignoring the retention; the paths in order of deletion.

    Versions protected against partial clean-up are deleted all together or not at all. Raises StorageError.
    """
    entries = store.list_folder(LOG)
    listing = classify(entries, complete=True)
    first = oldest_needed_checkpoint(listing, cutoff_ms)
    if first is None or first < snapshot.properties[PROTECTED_BEFORE]:
        return []
    return _delete_before(first, store, snapshot, entries, listing, int(time.time() * 1000))


def _delete_before(
    first: int, store: LogStore, snapshot: Snapshot, entries: Collection[Entry], listing: LogListing, now: int
) -> list[str]:
    expired = expired_files(entries, first)
    retained = [item for item in listing.checkpoints if item.version >= first]
    if expired and not any(item.is_classic for item in retained):
        from deltasql.log.upkeep.checkpoint_v2 import write_classic_copy

        write_classic_copy(store, snapshot.table, retained[0])
    store.delete(expired)
    orphans = _orphans(store, [Checkpoint(store, snapshot.table, item) for item in retained], now) if expired else []
    orphans += _unneeded_parts(store, snapshot, now) if expired else []
    orphans += _staged_commits(store, snapshot.version, now) if expired and snapshot.is_managed else []
    store.delete(orphans)
    return [*expired, *orphans]


def oldest_needed_checkpoint(listing: LogListing, cutoff_ms: int) -> int | None:
    """The version of the newest checkpoint on which every version since the cutoff can be read; None for none."""
    expired = [version for version, modified in file_times(listing).items() if modified <= cutoff_ms]
    if not expired:
        return None
    return max((item.version for item in listing.checkpoints if item.version <= expired[-1]), default=None)


def expired_files(entries: Iterable[Entry], first: int) -> list[str]:
    """The log files that only versions before `first` need, in order of deletion: a commit before its checkpoint."""
    expired = []
    for entry in entries:
        match = _VERSIONED.fullmatch(entry.name)
        if match and (int(match[1]) < first or (int(match[1]) == first and "compacted" in match[2])):
            expired.append((int(match[1]), _ORDER.get(match[2], 2), entry.name.lstrip("."), entry.path))
    return [path for *_, path in sorted(expired)]


def _cutoff(properties: TableProperties, now: int) -> int:
    """The retention cutoff in ms, at midnight UTC: so a day's first clean-up deletes all files of a whole day."""
    # Tombstones in the log must outlive the files that they name.
    retention = max(properties[LOG_RETENTION], properties[DELETED_FILE_RETENTION])
    return (now - retention) // _DAY_MS * _DAY_MS


def _orphans(store: LogStore, retained: Iterable[Checkpoint], now: int) -> list[str]:
    """Sidecars that no checkpoint refers to, except those of the last day: their checkpoint may not be written yet."""
    sidecars = [entry for entry in store.list_folder(f"{LOG}/_sidecars") if entry.modified < now - _DAY_MS]
    if not sidecars:
        return []
    try:
        used = {sidecar_path(action["path"]) for item in retained for action in item.actions("sidecar")}
    except InvalidCheckpointError:
        # Whatever that checkpoint refers to must stay.
        return []
    # If the folder is a link, its files are not part of the table.
    return [entry.path for entry in sidecars if entry.path not in used and store.contains(entry.path)]


def _staged_commits(store: LogStore, published: int, now: int) -> list[str]:
    """Staged files of commits that were never ratified, or are published; none of the last day."""
    old = (entry for entry in store.list_folder(STAGED_COMMITS) if entry.modified < now - _DAY_MS)
    found = ((entry.path, _STAGED.fullmatch(entry.name)) for entry in old)
    return [path for path, match in found if match and int(match[1]) <= published and store.contains(path)]


def _unneeded_parts(store: LogStore, snapshot: Snapshot, now: int) -> list[str]:
    """Parts of the COPY INTO log that a newer one absorbed, or that were not committed; none of the last day."""
    parts = [entry for entry in store.list_folder(FOLDER) if entry.modified < now - _DAY_MS]
    if not parts:
        return []
    try:
        needed = needed_parts(store, snapshot)
    except CopyStateError:
        return []
    return [entry.path for entry in parts if entry.path not in needed and store.contains(entry.path)]
