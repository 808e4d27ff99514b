"""The log of one table: where snapshots come from. Transactions begin in `log.commit`.

Times and operations of versions. Source: Delta protocol, Commit Timestamps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from obstore.store import MemoryStore

from deltasql.base import DeltaSqlError, errors
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.actions.commit_file import encode_actions, parse_commit
from deltasql.log.committers import (
    AdoptingCommitter,
    CatalogCommitter,
    CommitCatalog,
    Committer,
    FileSystemCommitter,
    StagedCommit,
    TableCommits,
    current_commits,
)
from deltasql.log.configuration.properties import first_with_timestamp
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import (
    LogListing,
    LogSegment,
    build_segment,
    list_after,
    list_log,
    up_to,
    with_staged,
)
from deltasql.log.replay.segment_replay import LogReader
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import LOG, commit_path, table_location
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.stores import open_store
from deltasql.schema import StructType

# Where the first line of a big commit is expected to end.
_HEAD = 64 << 10


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit: its timestamp in ms and its commitInfo, empty if it has none."""

    version: int
    timestamp_ms: int
    info: Mapping[str, Any]


def commit_history(reader: LogReader, listing: LogListing, snapshot: Snapshot, limit: int | None) -> list[CommitEntry]:
    """The commits that the log still has, newest first, at most `limit`."""
    times = file_times(listing)
    first = first_with_timestamp(snapshot.metadata)
    entries = []
    for version in sorted(times, reverse=True)[:limit]:
        info = read_commit_info(reader, version, listing.commits[version].size)
        in_commit_ms = info.get("inCommitTimestamp") if first is not None and version >= first else None
        entries.append(CommitEntry(version, times[version] if in_commit_ms is None else int(in_commit_ms), info))
    return entries


def version_at(reader: LogReader, listing: LogListing, snapshot: Snapshot, timestamp_us: int) -> int:
    """The last version committed at or before the timestamp (µs since the epoch).

    Raises NoCommitsFoundError, TimestampTooEarlyError or TimestampTooLateError.
    """
    versions = sorted(version for version in listing.commits if version >= _earliest(listing))
    if not versions:
        raise errors.NoCommitsFoundError(reader.table, f"{reader.store.root}/{LOG}")
    timestamp_ms = timestamp_us // 1000
    clock = _Clock(reader, listing, snapshot)
    latest = versions[-1]
    candidates = _on_one_clock(clock, versions, timestamp_ms)
    first = clock.at(candidates[0])
    if timestamp_ms < first:
        raise errors.TimestampTooEarlyError(
            reader.table, timestamp_text(timestamp_us), timestamp_text(first * 1000), candidates[0]
        )
    if candidates[-1] == latest and timestamp_us > clock.at(latest) * 1000:
        raise errors.TimestampTooLateError(
            reader.table, timestamp_text(timestamp_us), timestamp_text(clock.at(latest) * 1000), latest
        )
    return candidates[_last_not_after(clock, candidates, timestamp_ms)]


def commit_times(reader: LogReader, listing: LogListing, snapshot: Snapshot, versions: Iterable[int]) -> dict[int, int]:
    """The timestamps, in ms, of some versions that the log still has."""
    clock = _Clock(reader, listing, snapshot)
    return {version: clock.at(version) for version in versions}


def first_at(reader: LogReader, listing: LogListing, snapshot: Snapshot, timestamp_us: int) -> int | None:
    """The first version committed at or after the timestamp (µs since the epoch); None if there is none yet."""
    versions = sorted(version for version in listing.commits if version >= _earliest(listing))
    timestamp_ms = -(-timestamp_us // 1000)
    clock = _Clock(reader, listing, snapshot)
    if not versions or clock.at(versions[-1]) < timestamp_ms:
        return None
    if clock.at(versions[0]) >= timestamp_ms:
        return versions[0]
    before = _last_not_after(clock, versions, timestamp_ms - 1)
    return versions[before + 1]


def file_times(listing: LogListing) -> dict[int, int]:
    """Each commit file's time in ms, moved up where needed so that a later version never has an earlier time."""
    times: dict[int, int] = {}
    previous = -1
    for version in sorted(listing.commits):
        previous = max(listing.commits[version].modified, previous + 1)
        times[version] = previous
    return times


def read_commit_info(reader: LogReader, version: int, size: int) -> Mapping[str, Any]:
    """The commitInfo of a version, empty if it has none; of a big commit only the first line is fetched."""
    path = commit_path(version)
    if size > _HEAD:
        head, newline, _ = reader.data(version, _HEAD).partition(b"\n")
        if newline and head.startswith(b'{"commitInfo"'):
            info = parse_commit(head, version, path, reader.table).info
            return info.values if info is not None else {}
    info = parse_commit(reader.data(version), version, path, reader.table).info
    return info.values if info is not None else {}


def timestamp_text(timestamp_us: int) -> str:
    """A timestamp in UTC for a message."""
    seconds, rest = divmod(timestamp_us, 1_000_000)
    moment = datetime.fromtimestamp(seconds, timezone.utc).replace(microsecond=rest)
    return moment.isoformat(sep=" ", timespec="milliseconds" if rest % 1000 == 0 else "microseconds")


class _Clock:
    """Commit timestamps in ms; in-commit timestamps are read only for the versions in question."""

    def __init__(self, reader: LogReader, listing: LogListing, snapshot: Snapshot) -> None:
        self._reader = reader
        self._listing = listing
        self._times = file_times(listing)
        self.first = first_with_timestamp(snapshot.metadata)

    def at(self, version: int) -> int:
        if self.first is None or version < self.first:
            return self._times[version]
        info = read_commit_info(self._reader, version, self._listing.commits[version].size)
        if info.get("inCommitTimestamp") is None:
            raise errors.MissingCommitTimestampError(self._reader.table, version)
        return int(info["inCommitTimestamp"])


def _on_one_clock(clock: _Clock, versions: Sequence[int], timestamp_ms: int) -> Sequence[int]:
    """The versions to look in. The files of a copied table may be later than the times inside its commits."""
    newer = [version for version in versions if clock.first is not None and version >= clock.first]
    if not newer or len(newer) == len(versions):
        return versions
    return newer if timestamp_ms >= clock.at(newer[0]) else versions[: len(versions) - len(newer)]


def _last_not_after(clock: _Clock, versions: Sequence[int], timestamp_ms: int) -> int:
    """Index of the last version whose time is not after `timestamp_ms`; the first version's is not."""
    low, high = 0, len(versions) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if clock.at(versions[middle]) <= timestamp_ms:
            low = middle
        else:
            high = middle - 1
    return low


def _earliest(listing: LogListing) -> int:
    return listing.earliest if listing.earliest is not None else 0


class DeltaLog:
    """The log of the table at `location`, an absolute local path or a URL.

    Cheap to create. It keeps the last snapshot, so that the next one only costs what has been committed since.
    `name` is how messages call the table.
    """

    catalog: CommitCatalog | None = None
    """The catalog that may manage the table; without one the newest version of a managed table is unknown."""

    on_commit: Callable[[Snapshot | None, Snapshot], None] | None = None
    """Called after each commit of this process with the version that it is based on, and the new one; never raises."""

    def __init__(self, location: str, name: str | None = None, store: LogStore | None = None) -> None:
        self.location = table_location(location)
        self.table = name or f"delta.`{self.location}`"
        self.store = store if store is not None else open_store(location)
        self._reader = LogReader(self.store, self.table)
        self._latest: Snapshot | None = None
        self._before: tuple[int, StructType] | None = None

    def exists(self) -> bool:
        """Whether the location has a log: a commit or a checkpoint."""
        return self._latest is not None or list_log(self.store).latest >= 0

    def snapshot(self, version: int | None = None) -> Snapshot:
        """The snapshot of `version`, or of the latest one.

        Raises NotADeltaTableError, VersionNotFoundError, TruncatedLogError or LogGapError.
        """
        if version is None:
            return self._refreshed()
        if self._latest is not None and self._latest.version == version and not self._latest.is_managed:
            return self._latest
        listing = self._listing(upto=version)
        if version > listing.latest:
            if self.catalog is not None and self.exists():
                # Its commit may be ratified and not published.
                self._refreshed()
            listing = self._listing(full=True)
        segment = build_segment(listing, self.table, self.location, version)
        # A reader of its own: an old version must not drop what the latest one keeps.
        return Snapshot(self._new_reader(), segment, by_version=True)

    def as_of(self, version: int) -> Snapshot:
        """The snapshot of a version that the catalog has told as the latest one, on which a commit can go.

        Raises what `snapshot` raises.
        """
        if self._latest is None or self._latest.version < version:
            self._refreshed()
        if self._latest is not None and self._latest.version == version and self._latest.by_catalog:
            return self._latest
        segment = build_segment(self._listing(upto=version), self.table, self.location, version)
        return Snapshot(self._new_reader(), segment, by_catalog=True)

    def schema(self, version: int) -> StructType:
        """The columns of `version`, which is not read again where it is one of the last two that this log has had.

        Raises what `snapshot` does.
        """
        if self._before is not None and self._before[0] == version:
            return self._before[1]
        return self.snapshot(version).schema

    def version_at(self, timestamp_us: int) -> int:
        """The last version committed at or before the timestamp (µs since the epoch, UTC).

        Raises TimestampTooEarlyError, TimestampTooLateError or NoCommitsFoundError.
        """
        latest, listing = self.snapshot(), self._full_listing()
        return version_at(self._reader, listing, latest, timestamp_us)

    def first_at(self, timestamp_us: int) -> int | None:
        """The first version committed at or after the timestamp (µs since the epoch, UTC); None: none yet."""
        latest, listing = self.snapshot(), self._full_listing()
        return first_at(self._reader, listing, latest, timestamp_us)

    def commit_times(self, versions: Iterable[int]) -> dict[int, int]:
        """The timestamps of some versions, in ms since the epoch."""
        latest, listing = self.snapshot(), self._full_listing()
        return commit_times(self._reader, listing, latest, versions)

    def history(self, limit: int | None = None) -> list[CommitEntry]:
        """The commits that the log still has, newest first."""
        latest, listing = self.snapshot(), self._full_listing()
        return commit_history(self._reader, listing, latest, limit)

    def committed(self, snapshot: Snapshot) -> None:
        """Makes a snapshot that this process has committed the last one, if it is newer."""
        if self._latest is None or self._latest.version < snapshot.version:
            self._adopt(snapshot)

    def committer(self, read: Snapshot | None, *, managed: bool) -> Committer:
        """The arbiter of a commit on top of `read`; `managed` says whether a catalog manages the table afterwards."""
        before = read is not None and read.by_catalog and read.is_managed
        if self.catalog is None or not (before or managed):
            return FileSystemCommitter(self.store)
        if not before:
            return AdoptingCommitter(self.store, self.catalog, self.location)
        return CatalogCommitter(self.store, self.catalog, self.location, leaves=not managed)

    @property
    def reader(self) -> LogReader:
        return self._reader

    @property
    def settled(self) -> DeltaLog:
        """The log without what is not committed."""
        return self

    def commits_after(self, version: int) -> Mapping[int, Entry]:
        """The commits that are newer than `version`, also those that are ratified and not published."""
        latest = self._latest
        known = self._asked(latest) if latest is not None and latest.is_managed else None
        return self._known_to(known, list_after(self.store, version)).commits

    def _refreshed(self) -> Snapshot:
        """The latest snapshot. The catalog is asked only about a table whose protocol says that one manages it."""
        latest = self._latest
        vouched = latest is not None and latest.by_catalog and latest.is_managed
        if latest is None:
            latest = self._listed(None)
        elif not vouched:
            latest = self._updated(latest, None)
        if not _is_managed(latest):
            return latest
        known = self._asked(latest)
        if known is None:
            return self._listed(None) if vouched else latest
        return self._vouched(latest, known)

    def _listed(self, known: TableCommits | None) -> Snapshot:
        """The latest snapshot by a listing of the whole log."""
        self._latest = self._before = None
        self._reader = self._new_reader()
        segment = build_segment(self._known_to(known, list_log(self.store)), self.table, self.location)
        return self._adopt(Snapshot(self._reader, segment, by_catalog=known is not None))

    def _updated(self, last: Snapshot, known: TableCommits | None) -> Snapshot:
        """The latest snapshot by a listing of what is newer than `last`."""
        listing = self._known_to(known, list_after(self.store, last.version))
        replaced = self.replaced(last)
        if not listing.commits and not replaced:
            return last
        grown = None if replaced else self._grown(last, listing)
        if grown is None:
            return self._listed(known)
        return self._adopt(Snapshot(self._reader, grown, last.as_base(), by_catalog=known is not None))

    def _vouched(self, last: Snapshot, known: TableCommits) -> Snapshot:
        """The snapshot that the catalog says is the latest; `last` is one of the same log."""
        if known.latest != last.version:
            newer = known.latest is not None and known.latest > last.version
            last = self._updated(last, known) if newer else self._listed(known)
        elif self.replaced(last) if last.by_catalog else known.unpublished:
            # A published file of a version that the catalog has ratified may be of another writer.
            last = self._listed(known)
        if last.by_catalog or not last.is_managed:
            return last
        return self._adopt(Snapshot(self._reader, last.segment, last.as_base(), by_catalog=True))

    def _asked(self, latest: Snapshot) -> TableCommits | None:
        """The state of the table in its catalog, after ratified commits were published; None without a catalog."""
        if self.catalog is None:
            return None
        known = current_commits(self.catalog, self.store, self.location, latest.version)
        unpublished = {} if known is None else known.unpublished
        self._reader.staged = {
            version: StagedCommit(self.location, version, file).path for version, file in unpublished.items()
        }
        return known

    def _known_to(self, known: TableCommits | None, listing: LogListing) -> LogListing:
        if known is not None and known.latest is not None:
            listing = up_to(listing, known.latest)
        return with_staged(listing, self._reader.staged)

    def _listing(self, *, full: bool = False, upto: int | None = None) -> LogListing:
        return with_staged(list_log(self.store, full=full, upto=upto), self._reader.staged)

    def _new_reader(self) -> LogReader:
        reader = LogReader(self.store, self.table)
        reader.staged = self._reader.staged
        return reader

    def _grown(self, last: Snapshot, listing: LogListing) -> LogSegment | None:
        """The last segment with the new commits; None if the log has to be listed anew."""
        segment = last.segment.extended(listing)
        if segment.version != listing.latest or segment.version == last.version:
            return None
        return segment

    def replaced(self, snapshot: Snapshot) -> bool:
        """True if the table was dropped, and maybe created anew: the last commit is gone, or it is another file."""
        segment = snapshot.segment
        if not segment.commits:
            return False
        entry = segment.commits[-1][1]
        if entry.path in self._reader.staged.values():
            return False
        try:
            present = self.store.head(entry.path)
        except FileNotFoundError:
            return True
        return entry.modified >= 0 and not entry.is_same(present)

    def _adopt(self, snapshot: Snapshot) -> Snapshot:
        if len(snapshot.segment.commits) >= _LONG_TAIL and snapshot.version % _LOOK_EVERY == 0:
            snapshot = self._shortened(snapshot)
        if self._latest is not None:
            self._before = self._latest.version, self._latest.schema
        self._latest = snapshot
        first = snapshot.segment.commits[0][0] if snapshot.segment.commits else snapshot.version
        self._reader.forget(min(first, snapshot.version))
        return snapshot

    def _shortened(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot of the same version on top of the newest checkpoint, if there is a newer one by now."""
        listing = self._listing(upto=snapshot.version)
        try:
            segment = build_segment(listing, self.table, self.location, snapshot.version)
        except DeltaSqlError:
            return snapshot
        if segment.checkpoint == snapshot.segment.checkpoint:
            return snapshot
        return Snapshot(self._reader, segment, snapshot.as_base(), by_catalog=snapshot.by_catalog)

    def _full_listing(self) -> LogListing:
        listing = self._listing(full=True)
        if listing.latest < 0:
            raise errors.NotADeltaTableError(self.table, self.location)
        return listing


def _is_managed(snapshot: Snapshot) -> bool:
    """Whether a catalog manages the table. A damaged log is reported by whoever needs more of it."""
    try:
        return snapshot.is_managed
    except DeltaSqlError:
        return False


# A tail of fewer commits is cheaper to keep than the columns of a new checkpoint are to read.
_LONG_TAIL = 50
_LOOK_EVERY = 10


_UNLOGGED = Protocol(2, 5)
"""Columns may have physical names, as those of Iceberg have."""


def unlogged_snapshot(location: str, table: str, metadata: Metadata, files: Iterable[AddFile] = ()) -> Snapshot:
    """A snapshot of `files`, whose log is in memory and nowhere else; `table` is its name in messages.

    Nothing can be committed on top of it that others see.
    """
    store = LogStore(location, MemoryStore())
    store.overwrite(commit_path(0), encode_actions((_UNLOGGED, metadata, *files)))
    return DeltaLog(location, table, store).snapshot()
