"""The log of one table: where snapshots come from. Transactions begin in `log.commit`."""

from __future__ import annotations

from collections.abc import Iterable

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.log import NotADeltaTableError
from deltasql.log.replay.history import CommitEntry, commit_history, commit_times, first_at, version_at
from deltasql.log.replay.log_reader import LogReader
from deltasql.log.replay.log_segment import LogListing, LogSegment, build_segment, list_after, list_log
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import table_location
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.open_store import open_store
from deltasql.schema.types import StructType


class DeltaLog:
    """The log of the table at `location`, an absolute local path or a URL.

    Cheap to create. It keeps the last snapshot, so that the next one only costs what has been committed since.
    `name` is how messages call the table.
    """

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
        listing = list_log(self.store, upto=version)
        if not listing.complete and version > listing.latest:
            listing = list_log(self.store, full=True)
        segment = build_segment(listing, self.table, self.location, version)
        # A reader of its own: an old version must not drop what the latest one keeps.
        return Snapshot(LogReader(self.store, self.table), segment, by_version=True)

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
        listing = self._full_listing()
        return version_at(self._reader, listing, self.snapshot(), timestamp_us)

    def first_at(self, timestamp_us: int) -> int | None:
        """The first version committed at or after the timestamp (µs since the epoch, UTC); None: none yet."""
        return first_at(self._reader, self._full_listing(), self.snapshot(), timestamp_us)

    def commit_times(self, versions: Iterable[int]) -> dict[int, int]:
        """The timestamps of some versions, in ms since the epoch."""
        return commit_times(self._reader, self._full_listing(), self.snapshot(), versions)

    def history(self, limit: int | None = None) -> list[CommitEntry]:
        """The commits that the log still has, newest first."""
        listing = self._full_listing()
        return commit_history(self._reader, listing, self.snapshot(), limit)

    def committed(self, snapshot: Snapshot) -> None:
        """Makes a snapshot that this process has committed the last one, if it is newer."""
        if self._latest is None or self._latest.version < snapshot.version:
            self._adopt(snapshot)

    @property
    def reader(self) -> LogReader:
        return self._reader

    @property
    def settled(self) -> DeltaLog:
        """The log without what is not committed."""
        return self

    def _refreshed(self) -> Snapshot:
        last = self._latest
        if last is None:
            segment = build_segment(list_log(self.store), self.table, self.location)
            return self._adopt(Snapshot(self._reader, segment))
        listing = list_after(self.store, last.version)
        replaced = self.replaced(last)
        if not listing.commits and not replaced:
            return last
        grown = None if replaced else self._grown(last, listing)
        if grown is None:
            self._latest = self._before = None
            self._reader = LogReader(self.store, self.table)
            return self._refreshed()
        return self._adopt(Snapshot(self._reader, grown, last.as_base()))

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
        listing = list_log(self.store, upto=snapshot.version)
        try:
            segment = build_segment(listing, self.table, self.location, snapshot.version)
        except DeltaSqlError:
            return snapshot
        if segment.checkpoint == snapshot.segment.checkpoint:
            return snapshot
        return Snapshot(self._reader, segment, snapshot.as_base())

    def _full_listing(self) -> LogListing:
        listing = list_log(self.store, full=True)
        if listing.latest < 0:
            raise NotADeltaTableError(self.table, self.location)
        return listing


# A tail of fewer commits is cheaper to keep than the columns of a new checkpoint are to read.
_LONG_TAIL = 50
_LOOK_EVERY = 10
