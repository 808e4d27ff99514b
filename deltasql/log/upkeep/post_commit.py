"""Post-commit work: checksum, Iceberg metadata, manifests, checkpoints, compaction and clean-up of the log.

No failure of it fails the commit. A compacted log file has several commits in one, so that a reader of a long tail
fetches few files; the commits stay, and history is read from them. Source: Delta protocol, Log Compaction Files.

Clean-up deletes log files that no retained version needs. Only files before a checkpoint that is itself older than the
retention are deleted, so every younger version can still be read. Oldest first: a concurrent reader, or one after a
crash, finds a log that merely begins later. Source: Delta protocol, Metadata Cleanup.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Collection, Iterable, Sequence

from deltasql.base import errors
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.configuration.properties import has_commit_timestamps
from deltasql.log.configuration.row_ids import check_iceberg_library, converts_to_iceberg
from deltasql.log.replay.checkpoint import Checkpoint, sidecar_path
from deltasql.log.replay.checksum import VersionChecksum
from deltasql.log.replay.log_segment import LogListing, classify
from deltasql.log.replay.segment_replay import LogReader
from deltasql.log.replay.snapshot import Snapshot, file_times
from deltasql.log.source_files import FOLDER, needed_parts
from deltasql.log.storage.listing import LOG, STAGED_COMMITS, checksum_path, compacted_path
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.table_properties import (
    CHECKPOINT_INTERVAL,
    DELETED_FILE_RETENTION,
    LOG_CLEANUP,
    LOG_RETENTION,
    MANIFESTS,
    PROTECTED_BEFORE,
    TableProperties,
)

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
        from deltasql.log.upkeep.checkpoint_writer import write_classic_copy

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
    except errors.InvalidCheckpointError:
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
    except errors.CopyStateError:
        return []
    return [entry.path for entry in parts if entry.path not in needed and store.contains(entry.path)]


_LOGGER = logging.getLogger(__name__)


def after_commit(store: LogStore, snapshot: Snapshot, transaction_id: str | None, *, cleans: bool = True) -> None:
    """Writes the snapshot's checksum, Iceberg metadata, manifests and checkpoint, and `cleans` up the log.

    Failures are logged. Iceberg metadata that could not be written are made up for by the next commit.
    """
    due = False
    try:
        due = checkpoint_is_due(snapshot)
        if due and snapshot.correct_count():
            _LOGGER.warning("a checksum before version %d of %s was wrong", snapshot.version, snapshot.table)
    except Exception as error:
        _LOGGER.warning("no checkpoint of version %d of %s: %s", snapshot.version, snapshot.table, error)
    try:
        write_checksum(store, snapshot, transaction_id)
    except Exception as error:
        _LOGGER.warning("no checksum for version %d of %s: %s", snapshot.version, snapshot.table, error)
    try:
        if converts_to_iceberg(snapshot.configuration):
            _convert(store, snapshot)
    except Exception as error:
        _LOGGER.warning(
            "%s", errors.ConversionError(snapshot.table, snapshot.version, "iceberg", str(error).rstrip("."))
        )
    try:
        if snapshot.properties[MANIFESTS]:
            _write_manifests(store, snapshot)
    except Exception as error:
        _LOGGER.warning("no manifests of version %d of %s: %s", snapshot.version, snapshot.table, error)
    try:
        if due:
            _checkpoint(store, snapshot, cleans)
        elif _is_turn(snapshot):
            _compact(store, snapshot)
    except Exception as error:
        _LOGGER.warning("no checkpoint of version %d of %s: %s", snapshot.version, snapshot.table, error)


def _convert(store: LogStore, snapshot: Snapshot) -> None:
    check_iceberg_library(snapshot.table)
    from deltasql.log.iceberg.convert import write_iceberg_metadata

    write_iceberg_metadata(store, snapshot)


def _write_manifests(store: LogStore, snapshot: Snapshot) -> None:
    """Writes the manifests of the partitions that the commit has changed."""
    from deltasql.log.upkeep.manifests import touched_partitions, write_manifests

    (commit,) = snapshot.commits_after(snapshot.version - 1)
    if commit.metadata is not None or commit.has_files:
        write_manifests(store, snapshot, touched_partitions(commit, snapshot))


def _checkpoint(store: LogStore, snapshot: Snapshot, cleans: bool) -> None:
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    if write_checkpoint(store, snapshot) and cleans:
        try:
            clean_up_log(store, snapshot)
        except Exception as error:
            _LOGGER.warning("old log files of %s stay: %s", snapshot.table, error)


def _compact(store: LogStore, snapshot: Snapshot) -> None:
    """Compacts the commits of the last checkpoint interval into one file, in place of a postponed checkpoint."""
    checkpoint = snapshot.segment.checkpoint
    first = snapshot.version - snapshot.properties[CHECKPOINT_INTERVAL] + 1
    first = first if checkpoint is None else max(first, checkpoint.version + 1)
    write_compaction(store, snapshot.table, first, snapshot.version)


def write_checksum(store: LogStore, snapshot: Snapshot, transaction_id: str | None = None) -> bool:
    """Writes the checksum of a snapshot; True if this call has created it.

    None is written if the totals are unknown and would require reading the checkpoint.
    """
    totals = snapshot.totals if snapshot.lost_count else snapshot.cheap_totals
    if totals is None:
        return False
    timestamp = snapshot.timestamp_ms if has_commit_timestamps(snapshot.metadata) else None
    checksum = VersionChecksum(snapshot.state, totals, timestamp, transaction_id)
    return store.put_if_absent(checksum_path(snapshot.version), checksum.to_bytes())


def checkpoint_is_due(snapshot: Snapshot) -> bool:
    """True at every `delta.checkpointInterval`-th version.

    Where the table does not set the interval and has many files, a checkpoint is put off until the commits since the
    last one hold a twentieth as many actions: to rewrite a million files every ten commits costs more than it saves.
    """
    if not _is_turn(snapshot):
        return False
    if CHECKPOINT_INTERVAL in snapshot.properties:
        return True
    tail = snapshot.tail_actions()
    totals = snapshot.cheap_totals
    files = totals.files if totals is not None else 0
    return files < _MANY_FILES or tail * 20 >= files or len(snapshot.segment.commits) >= _LONGEST_TAIL


def _is_turn(snapshot: Snapshot) -> bool:
    return snapshot.version > 0 and snapshot.version % snapshot.properties[CHECKPOINT_INTERVAL] == 0


_MANY_FILES = 10_000
_LONGEST_TAIL = 100


def write_compaction(store: LogStore, table: str, first: int, last: int) -> bool:
    """Writes the commits from `first` to `last` into one file as well; whether it has.

    False if they were so before, if it is but one commit, and for commits that are better left alone: big ones, and
    those with deletion vectors, which readers have been known to mix up. Raises the errors of LogReader and the store.
    """
    if first >= last:
        return False
    commits = LogReader(store, table).commits(range(first, last + 1))
    if any(commit.is_big or _has_vectors(commit) for commit in commits):
        return False
    lines = [json.dumps(action, separators=(",", ":")) + "\n" for action in reconciled_actions(commits, store.root)]
    return store.put_if_absent(compacted_path(first, last), "".join(lines).encode())


def reconciled_actions(commits: Sequence[CommitFile], root: str) -> list[Json]:
    """The reconciled actions of commits, which are oldest first: the newest action of each kind and key.

    Removes stay, also of files that were added in between, and so do domains that were removed: they hide what is older
    than these commits. `root` is the table's decoded location.
    """
    single: dict[tuple[str, str], Json] = {}
    files: dict[str, Json] = {}
    for commit in commits:
        single |= {("protocol", ""): {"protocol": commit.protocol}} if commit.protocol is not None else {}
        single |= {("metaData", ""): {"metaData": commit.metadata}} if commit.metadata is not None else {}
        single |= {("txn", name): item.to_json() for name, item in commit.transactions.items()}
        single |= {("domain", name): item.to_json() for name, item in commit.domains.items()}
        for kind, actions in (("remove", commit.removes), ("add", commit.adds)):
            for action in actions:
                key = action_key(action, root)
                # Replaced, a file moves to the place of its newest action.
                files.pop(key, None)
                files[key] = {kind: action}
    return [*single.values(), *files.values()]


def _has_vectors(commit: CommitFile) -> bool:
    return any(action.get("deletionVector") is not None for action in (*commit.adds, *commit.removes))
