"""The log of a table inside a transaction: the version that it has read, with its uncommitted changes on top.

Changes of several statements to one file (added, rows deleted, removed) are merged into one; nothing is read or written
for that. Source: Delta protocol, Action Reconciliation: a commit adds a file at most once, and removes it with the
deletion vector of the version before. A transaction depends on a row if one of its statements does.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deltasql.base import np
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking
from deltasql.log.commit.row_rebase import Follower, NewPositions, RowPositions, RowQuestions
from deltasql.log.committers import TableCommits
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import LogListing
from deltasql.log.replay.segment_replay import LogReader
from deltasql.log.replay.snapshot import CommitEntry, DeltaLog, Snapshot
from deltasql.log.storage.listing import canonical, commit_path
from deltasql.log.storage.log_store import Entry
from deltasql.schema import StructType


@dataclass(frozen=True, slots=True)
class TableActions:
    """The last protocol, metadata, txn by application id and domain metadata by domain of several statements."""

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: Mapping[str, SetTransaction] = field(default_factory=dict)
    domains: Mapping[str, DomainMetadata] = field(default_factory=dict)

    def after(self, actions: Iterable[Action]) -> TableActions:
        """These actions, overridden by those of a further statement."""
        state = self
        for action in actions:
            match action:
                case Protocol():
                    state = replace(state, protocol=action)
                case Metadata():
                    state = replace(state, metadata=action)
                case SetTransaction():
                    state = replace(state, transactions={**state.transactions, action.app_id: action})
                case DomainMetadata():
                    state = replace(state, domains={**state.domains, action.domain: action})
        return state

    def __iter__(self) -> Iterator[Action]:
        yield from (action for action in (self.protocol, self.metadata) if action is not None)
        yield from self.transactions.values()
        yield from self.domains.values()


@dataclass(frozen=True, slots=True)
class NetActions:
    """The net effect of statements on one table; immutable. Files are keyed by canonical path.

    `added` files are new since the version that was read. `removed` files of that version are removed entirely;
    `marked` files lose rows, in addition to those of the deletion vector that was read. `restated` are the add actions
    of `marked` files with their last deletion vector, None where no row is left. `changes` are change data files.
    `root` is the table's location.
    """

    root: str
    table: TableActions = TableActions()
    added: Mapping[str, AddFile] = field(default_factory=dict)
    removed: Mapping[str, RemoveFile] = field(default_factory=dict)
    marked: Mapping[str, MarkedFile] = field(default_factory=dict)
    restated: Mapping[str, AddFile | None] = field(default_factory=dict)
    changes: tuple[AddCDCFile, ...] = ()

    def after(
        self, actions: Sequence[Action], now_ms: int, marked: Sequence[MarkedFile] = (), marking: Marking | None = None
    ) -> NetActions:
        """The net effect including a further statement, which has read the table as these actions leave it.

        `marked` are files that it deletes rows of, as it read them; `marking` has the actions for these, which are not
        in `actions`.
        """
        files = _Files(dict(self.added), dict(self.removed), dict(self.marked), dict(self.restated))
        for action in actions:
            match action:
                case RemoveFile():
                    files.remove(canonical(action.path, self.root), action, now_ms)
                case AddFile():
                    files.added[canonical(action.path, self.root)] = action
        if marking is not None:
            again = {canonical(add.path, self.root): add for add in marking.actions if isinstance(add, AddFile)}
            for item in marked:
                path = canonical(item.add.path, self.root)
                files.mark(path, item, again.get(path))
        changes = (*self.changes, *(action for action in actions if isinstance(action, AddCDCFile)))
        return NetActions(
            self.root, self.table.after(actions), files.added, files.removed, files.marked, files.restated, changes
        )

    def recording(self, changes: Iterable[AddCDCFile]) -> NetActions:
        """The net effect with further change data files."""
        return replace(self, changes=(*self.changes, *changes))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to commit."""
        return not (self.changes_files or any(True for _ in self.table))

    @property
    def changes_files(self) -> bool:
        """Whether a file is added, removed or restated."""
        return bool(self.added or self.removed or self.marked)

    def fixed_actions(self) -> list[Action]:
        """The actions that no concurrent commit can change: all but those that replace deletion vectors."""
        return [*self.table, *self.removed.values(), *self.added.values(), *self.changes]

    def marking(self, now_ms: int) -> Marking | None:
        """The actions that replace deletion vectors, if there is no concurrent commit; None without `marked` files."""
        if not self.marked:
            return None
        removes: list[Action] = [item.add.remove(now_ms) for item in self.marked.values()]
        adds = [add for add in self.restated.values() if add is not None]
        gone = tuple(item.add for path, item in self.marked.items() if self.restated[path] is None)
        first = sum(self.marked[path].add.deletion_vector is None for path in _remaining_paths(self.restated))
        # Vectors may be in several files, of which the owner of the statements' files takes care.
        return Marking((*removes, *adds), None, first, len(adds) - first, gone)

    def touches_added(self, actions: Iterable[Action], marked: Iterable[MarkedFile]) -> bool:
        """Whether a further statement removes, or deletes rows of, a file that an earlier one has added."""
        removed = (action.path for action in actions if isinstance(action, RemoveFile))
        paths = (*removed, *(item.add.path for item in marked))
        return any(canonical(path, self.root) in self.added for path in paths)


def now_ms() -> int:
    """The current time in ms since the epoch."""
    return int(time.time() * 1000)


def _remaining_paths(restated: Mapping[str, AddFile | None]) -> Collection[str]:
    return [path for path, add in restated.items() if add is not None]


@dataclass(slots=True)
class _Files:
    """Mutable copies of the file fields of NetActions, to apply a statement to."""

    added: dict[str, AddFile]
    removed: dict[str, RemoveFile]
    marked: dict[str, MarkedFile]
    restated: dict[str, AddFile | None]

    def remove(self, path: str, action: RemoveFile, now_ms: int) -> None:
        """Removes a file entirely."""
        if self.added.pop(path, None) is not None:
            return
        marked = self.marked.pop(path, None)
        self.restated.pop(path, None)
        self.removed[path] = action if marked is None else marked.add.remove(now_ms, action.data_change)

    def mark(self, path: str, item: MarkedFile, again: AddFile | None) -> None:
        """Deletes rows of a file; `again` is its add action without them, None where no row is left."""
        if path in self.added:
            if again is None:
                del self.added[path]
            else:
                self.added[path] = again
            return

        before = self.marked.get(path)
        self.marked[path] = item if before is None else replace(before, rows=np.union1d(before.rows, item.rows))
        self.restated[path] = again


class JoinedRows:
    """Answers RowQuestions for several statements, and as a Follower for the version that the first of them has read.

    A row that no statement would have acted on stays as it is until the next statement, so that it is enough to ask
    each by itself.
    """

    def __init__(self, read: Follower, statements: Sequence[RowQuestions]) -> None:
        self._read, self._statements = read, statements

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        """The files that may hold a row on which some statement depends, by their statistics."""
        paths = {add.path for statement in self._statements for add in statement.candidates(adds)}
        return [add for add in adds if add.path in paths]

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool:
        """Whether some statement would act on a live row of these files, or depends on one being there."""
        return any(statement.selects(adds, only) for statement in self._statements)

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        """The rows of some files of the version that was read, which some statement has found."""
        marked: dict[str, MarkedFile] = {}
        for statement in self._statements:
            for path, item in statement.seen(paths).items():
                earlier = marked.get(path)
                marked[path] = item if earlier is None else replace(earlier, rows=np.union1d(earlier.rows, item.rows))
        # As they were read: an earlier statement may have marked rows of them.
        before = self._read.as_read([item.add.path for item in marked.values()])
        return {path: replace(item, add=before.get(path, item.add)) for path, item in marked.items()}

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        """Where rows of `moved` are in `outputs`, by their row ids."""
        return self._read.follow(moved, outputs)

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """Files of the version that was read, by canonical path."""
        return self._read.as_read(paths)

    def count_rows(self, add: AddFile) -> int:
        """All rows of a file, deleted ones too."""
        return self._read.count_rows(add)


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
