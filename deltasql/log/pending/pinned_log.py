"""A log whose newest version is the one that a transaction has read, with its uncommitted changes on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deltasql.log.actions.actions import Action, AddCDCFile, AddFile, CommitInfo, RemoveFile
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.committer.committers import TableCommits
from deltasql.log.pending.net_actions import NetActions, now_ms
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.history import CommitEntry
from deltasql.log.replay.log_segment import LogListing
from deltasql.log.replay.segment_replay import LogReader
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import commit_path
from deltasql.log.storage.log_store import Entry
from deltasql.schema.types import StructType


class Cut:
    """The latest versions of all tables of a catalog at one moment: when a transaction first reads one of them.

    A table that no catalog manages is read as it is when it is asked for.
    """

    def __init__(self) -> None:
        self._states: Mapping[str, TableCommits] | None = None

    def snapshot(self, log: DeltaLog) -> Snapshot:
        """The snapshot of a table at the cut. Raises what `DeltaLog.snapshot` raises."""
        latest = log.snapshot()
        if log.catalog is None or not (latest.by_catalog and latest.is_managed):
            return latest
        if self._states is None:
            self._states = log.catalog.all()
        known = self._states.get(log.location)
        return latest if known is None or known.latest is None else log.as_of(known.latest)


class PinnedLog(DeltaLog):
    """The log at the place of `real`, as one transaction sees it; `real` goes on with what others commit.

    The latest snapshot is the version at the first use of the log, or, once `put_on_top` was called, that version with
    uncommitted actions on top, which has the next number. Versions that are asked for by number or time, and the
    history, are those that have been committed.
    """

    def __init__(self, real: DeltaLog, cut: Cut | None = None) -> None:
        self.real = real
        self._cut = cut or Cut()
        self.location, self.table, self.store = real.location, real.table, real.store
        self._read: Snapshot | None = None
        self._pending: Snapshot | None = None

    @property
    def read(self) -> Snapshot:
        """The committed version that the transaction reads. Raises what `snapshot` raises."""
        if self._read is None:
            self._read = self._cut.snapshot(self.real)
        return self._read

    @property
    def settled(self) -> DeltaLog:
        """This log without what is not committed; its latest version is the one that the transaction reads."""
        if self._pending is None:
            return self
        settled = PinnedLog(self.real)
        settled._read = self._read
        return settled

    def exists(self) -> bool:
        return self._read is not None or self.real.exists()

    def snapshot(self, version: int | None = None) -> Snapshot:
        if version is not None:
            return self.real.snapshot(version)
        return self._pending or self.read

    def schema(self, version: int) -> StructType:
        return self.real.schema(version)

    def put_on_top(self, net: NetActions) -> Snapshot:
        """Makes the version that was read, with `net` on top, the latest one of this log."""
        read, now = self.read, now_ms()
        version = read.version + 1
        commit = pending_commit(net, version, now)
        entry = Entry(commit_path(version), 0, now)
        segment = read.segment.extended(LogListing({version: entry}, (), frozenset(), complete=False))
        self._pending = Snapshot(
            self.real.reader.with_pending(commit, entry), segment, read.as_base(), by_catalog=read.by_catalog
        )
        return self._pending

    def version_at(self, timestamp_us: int) -> int:
        return self.real.version_at(timestamp_us)

    def first_at(self, timestamp_us: int) -> int | None:
        return self.real.first_at(timestamp_us)

    def commit_times(self, versions: Iterable[int]) -> dict[int, int]:
        return self.real.commit_times(versions)

    def history(self, limit: int | None = None) -> list[CommitEntry]:
        return self.real.history(limit)

    def committed(self, snapshot: Snapshot) -> None:
        self.real.committed(snapshot)

    @property
    def reader(self) -> LogReader:
        return self.real.reader

    def replaced(self, snapshot: Snapshot) -> bool:
        return self.real.replaced(snapshot)


def pending_commit(net: NetActions, version: int, timestamp_ms: int) -> CommitFile:
    """`net` as a reader of the log would find it, were it committed now."""
    table, marking = net.table, net.marking(timestamp_ms)
    actions: list[Action] = [*net.fixed_actions(), *(marking.actions if marking is not None else ())]
    return CommitFile(
        version,
        commit_path(version),
        info=CommitInfo({"timestamp": timestamp_ms, "inCommitTimestamp": timestamp_ms}),
        protocol=None if table.protocol is None else table.protocol.to_json(),
        metadata=None if table.metadata is None else table.metadata.to_json()["metaData"],
        transactions=dict(table.transactions),
        domains=dict(table.domains),
        adds=[action.to_json()["add"] for action in actions if isinstance(action, AddFile)],
        removes=[action.to_json()["remove"] for action in actions if isinstance(action, RemoveFile)],
        changes=[action.to_json()["cdc"] for action in actions if isinstance(action, AddCDCFile)],
    )
