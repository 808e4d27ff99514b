"""The log of one table: where snapshots come from. Transactions begin in `log.commit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from obstore.store import MemoryStore

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import NotADeltaTableError
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.actions.commit_file import encode_actions
from deltasql.log.committer.committers import (
    AdoptingCommitter,
    CatalogCommitter,
    CommitCatalog,
    Committer,
    FileSystemCommitter,
    StagedCommit,
    TableCommits,
    current_commits,
)
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.history import CommitEntry, commit_history, commit_times, first_at, version_at
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
from deltasql.log.storage.locations import commit_path, table_location
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.open_store import open_store
from deltasql.schema.types import StructType


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
            raise NotADeltaTableError(self.table, self.location)
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
