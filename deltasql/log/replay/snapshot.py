"""Snapshots of a table and the log that they come from, with the times and operations of versions.

The files of a snapshot are read on first use. Transactions begin in `log.commit`. Source: Delta protocol, Commit
Timestamps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from obstore.store import MemoryStore

from deltasql.base import DeltaSqlError, errors, pa
from deltasql.log.actions.actions import AddFile, CommitInfo, FileTotals, Metadata
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
from deltasql.log.configuration.properties import (
    check_readable,
    check_writable,
    first_with_timestamp,
    has_commit_timestamps,
    partition_keys,
)
from deltasql.log.protocol import MANAGED, Protocol
from deltasql.log.replay.checksum import TableState, read_checksum
from deltasql.log.replay.log_segment import (
    LogListing,
    LogSegment,
    build_segment,
    list_after,
    list_log,
    up_to,
    with_staged,
)
from deltasql.log.replay.segment_replay import BaseVersion, LogReader, RecoveringReplay, SegmentReplay
from deltasql.log.storage.listing import LOG, commit_path, table_location
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.stores import open_store
from deltasql.log.table_properties import TableProperties
from deltasql.schema import StructType

if TYPE_CHECKING:
    from deltasql.log.actions.commit_file import CommitFile
    from deltasql.log.replay.live_files import LiveFiles


_Result = TypeVar("_Result")

FILE_COLUMNS = ("path", "partitionValues", "size", "modificationTime", "stats")


class Snapshot:
    """A version of a table, immutable; safe to keep while the table moves on.

    Whatever reads the log raises errors of the group `log`. A damaged checkpoint is replaced by older log
    files where these allow it: see `recovery`.
    """

    def __init__(
        self,
        reader: LogReader,
        segment: LogSegment,
        base: BaseVersion | None = None,
        *,
        by_version: bool = False,
        by_catalog: bool = False,
    ) -> None:
        """`by_version` says that this version was asked for by its number, not as the newest one; `by_catalog`, that
        the catalog which manages the table says that it is the newest one."""
        self.location = reader.store.root
        self.table = reader.table
        self.version = segment.version
        self._reader = reader
        self._by_version, self.by_catalog = by_version, by_catalog
        self._replay = RecoveringReplay(SegmentReplay(reader, segment, base))
        # Files that were counted one by one, and whether that corrects what a checksum says.
        self._counted: FileTotals | None = None
        self._corrected = False

    @property
    def segment(self) -> LogSegment:
        """The log files that the version is read from; others than at first where some were damaged."""
        return self._replay.current.segment

    # What the version says

    @property
    def protocol(self) -> Protocol:
        """Versions and features that readers and writers must support."""
        protocol = self.state.protocol
        assert protocol is not None
        return protocol

    @property
    def metadata(self) -> Metadata:
        """Identity, schema, partitioning and properties of the table."""
        metadata = self.state.metadata
        assert metadata is not None
        return metadata

    @property
    def schema(self) -> StructType:
        """All columns in the table's order, partition columns included."""
        return self.metadata.schema

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The partition columns by logical name, in their order."""
        return self.metadata.partition_columns

    @property
    def configuration(self) -> Mapping[str, str]:
        """The table's properties as the log holds them."""
        return self.metadata.configuration

    @property
    def properties(self) -> TableProperties:
        """The table's properties with their types."""
        return self.metadata.properties

    @property
    def is_managed(self) -> bool:
        """Whether a catalog decides which version is the newest one."""
        return bool(MANAGED & self.protocol.features)

    def check_readable(self) -> None:
        """Raises what `support.check_readable` raises when deltasql cannot read rows of this version."""
        check_readable(
            self.protocol,
            self.table,
            self.schema,
            self.configuration,
            by_version=self._by_version,
            by_catalog=self.by_catalog,
        )

    def check_writable(self) -> None:
        """Raises what `support.check_writable` raises when deltasql cannot write on top of this version."""
        check_writable(self.protocol, self.table, self.schema, self.configuration, by_catalog=self.by_catalog)

    @cached_property
    def state(self) -> TableState:
        """Protocol, metadata, and maybe transactions and domains. Raises StateRecoverError."""
        state = self._replay.read(SegmentReplay.state)
        for action, value in (("protocol", state.protocol), ("metaData", state.metadata)):
            if value is None:
                raise errors.StateRecoverError(self.table, self.version, action)
        return state

    @cached_property
    def full_state(self) -> TableState:
        """The state with transactions and domains, which a checksum may lack."""
        state = self.state
        if state.transactions is not None and state.domains is not None:
            return state
        return self._replay.read(lambda replay: replay.full_state(state))

    @cached_property
    def transactions(self) -> Mapping[str, int]:
        """The last version of every application that has written, by its id."""
        transactions = self.full_state.transactions or {}
        return {name: item.version for name, item in transactions.items()}

    @cached_property
    def domains(self) -> Mapping[str, str]:
        """The configuration of every live metadata domain, by its name."""
        domains = self.full_state.domains or {}
        return {name: item.configuration for name, item in domains.items()}

    @cached_property
    def timestamp_ms(self) -> int:
        """When the version was committed: its in-commit timestamp if the table has them, else its file's time.

        Raises MissingCommitTimestampError.
        """
        if has_commit_timestamps(self.metadata):
            return self._in_commit_timestamp()
        if self.segment.commits and self.segment.commits[-1][0] == self.version:
            modified = self.segment.commits[-1][1].modified
            if modified >= 0:
                return modified
        try:
            return self._reader.store.head(commit_path(self.version)).modified
        except FileNotFoundError:
            assert self.segment.checkpoint is not None
            return self.segment.checkpoint.parts[0].modified

    def _in_commit_timestamp(self) -> int:
        info = self.commit_info()
        timestamp = info.in_commit_timestamp if info is not None else None
        if timestamp is None:
            checksum = read_checksum(self._reader.store, self.version)
            timestamp = checksum.in_commit_timestamp if checksum is not None else None
        if timestamp is None:
            raise errors.MissingCommitTimestampError(self.table, self.version)
        return timestamp

    def commit_info(self) -> CommitInfo | None:
        """The commitInfo of this version; None if its commit has none or its file is gone."""
        try:
            return self._reader.commit(self.version).info
        except errors.LogFileNotFoundError:
            return None

    def commits_after(self, version: int) -> list[CommitFile]:
        """The commits from the one after `version` up to this one. Raises LogFileNotFoundError where one is gone."""
        return self._reader.commits(range(version + 1, self.version + 1))

    # How many files it has

    @property
    def num_files(self) -> int:
        return self.totals.files

    @property
    def size_in_bytes(self) -> int:
        return self.totals.bytes

    @property
    def totals(self) -> FileTotals:
        """Counts and bytes of the live files: from a checksum if there is one, else by reading all their sizes."""
        totals = self.cheap_totals or self._counted
        if totals is None:
            totals = self._counted = self._count()
        return totals

    @property
    def cheap_totals(self) -> FileTotals | None:
        """The totals, if they are known without reading a checkpoint's files."""
        return self._counted if self._corrected else self._carried_totals

    @cached_property
    def _carried_totals(self) -> FileTotals | None:
        base = self._replay.current.base_version
        if base is not None and base.totals is not None:
            totals = self._replay.read(lambda replay: replay.carried_totals(base))
            if totals is not None:
                return totals
        return None if self.segment.checkpoint else self._count()

    @property
    def lost_count(self) -> bool:
        """True if the totals of an earlier version are known, but not how the commits since have changed them."""
        base = self._replay.current.base_version
        return self.cheap_totals is None and base is not None and base.totals is not None

    def correct_count(self) -> bool:
        """Counts the files where the totals are only carried on from a checksum; True if they were wrong."""
        totals = self.cheap_totals
        self._counted, self._corrected = self._count(), True
        return totals is not None and (totals.files, totals.bytes) != (self._counted.files, self._counted.bytes)

    @property
    def is_plainly_empty(self) -> bool:
        """True if there is no file, and a log without a checkpoint and without large commits says so."""
        return self.segment.checkpoint is None and self._replay.read(SegmentReplay.small_adds) == []

    def _count(self) -> FileTotals:
        if self.segment.checkpoint is None:
            small = self._replay.read(SegmentReplay.small_adds)
            if small is not None:
                totals = FileTotals().after(small, ())
                assert totals is not None
                return totals
        from deltasql.log.replay.columnar_totals import count_files

        return self.read_files(lambda files: count_files(files.raw_column("size"), files.raw_column("deletionVector")))

    def as_base(self) -> BaseVersion:
        """The state, totals and reconciled commits of this version, on which a newer snapshot can build."""
        return BaseVersion(
            self.version, self.state, self.cheap_totals or self._counted, self._replay.current.reconciled_tail
        )

    # Its files

    def files(self, columns: Sequence[str] = FILE_COLUMNS) -> pa.Table:
        """One row per live file, in log order.

        `columns` are fields of the add action in the log's spelling, and `location`: the file's absolute decoded place.
        `path` is as in the log. `partitionValues` is a struct with one dictionary-encoded string field per partition
        column, by logical name; empty is null. Only what is asked for is read.
        """
        return self.read_files(lambda files: files.table(columns))

    def read_files(self, read: Callable[[LiveFiles], _Result]) -> _Result:
        """The result of `read`, called anew if a log file turns out damaged, since files then have other numbers."""
        # The metadata come first: to read them may already show that the checkpoint is damaged.
        partitions = list(zip(partition_keys(self.metadata), self.partition_columns, strict=True))
        return self._replay.read(lambda replay: read(replay.live_files(partitions)))

    def add_files(self, paths: Iterable[str]) -> list[AddFile]:
        """The full add actions of these files, in log order. `paths` as in the log; unknown ones are left out."""
        requested = set(paths)
        actions = self.read_files(lambda files: files.with_paths(requested)).to_pylist(maps_as_pydicts="lossy")
        return [AddFile.from_json(action) for action in actions]

    def tombstones(self) -> pa.Table:
        """The removed files that the log still remembers, as `file_tables.REMOVE`; expired ones may be among them."""
        return self.read_files(lambda files: files.tombstones())

    def live_adds(self, columns: Sequence[str]) -> pa.Table:
        """The live files' add actions with these columns of `file_tables.ADD`, maps left as maps."""
        return self.read_files(lambda files: files.raw_table(columns))

    def tail_actions(self) -> int:
        """The number of files that commits after the checkpoint added or removed, also those that are gone again."""
        tail = self._replay.current.tail()
        return len(tail.live) + len(tail.removed)


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
