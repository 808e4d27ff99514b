"""One attempt to change a table: what it read, and the commit that follows from it."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.concurrency import TableReplacedError
from deltasql.errors.log import (
    AmbiguousWriteError,
    CommitRetriesExceededError,
    InvalidCommitError,
    StorageError,
)
from deltasql.interrupts import note_commit, note_doubt, shielded
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    DomainMetadata,
    Json,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.commit_file import CommitFile, parse_commit
from deltasql.log.actions.file_changes import FileChanges
from deltasql.log.commit.commit_info import Provenance, effective_level, table_level
from deltasql.log.commit.commit_rules import check_commit, of_kind, split_adds
from deltasql.log.commit.commit_writer import STATING_ANEW, CommitWriter, written_commit
from deltasql.log.commit.conflict import Attempt, IsolationLevel, ReadPredicate, Winner, table_conflict
from deltasql.log.commit.rebase import Rebase
from deltasql.log.configuration.row_ids import (
    RowNumbering,
    assigns_row_ids,
    high_water_mark,
)
from deltasql.log.configuration.support import check_writable
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.log_segment import LogListing, LogSegment, list_after
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.committer import Committer, FileSystemCommitter
from deltasql.log.storage.paths import canonical, commit_path
from deltasql.log.storage.store import Entry
from deltasql.log.upkeep.post_commit import after_commit

if TYPE_CHECKING:
    from deltasql.log.replay.delta_log import DeltaLog

_MOST_ATTEMPTS = 1000
_MOST_LOST_ANSWERS = 5
_MOST_SECONDS = 600

# These replace whatever there is: nothing may come in between.
_LARGE = frozenset({"RESTORE", "CLONE", "CONVERT"})


@dataclass(frozen=True, slots=True)
class Commit:
    """What came of a transaction; `attempts` counts the versions it tried for."""

    version: int
    snapshot: Snapshot
    attempts: int


@dataclass(frozen=True, slots=True)
class _Won:
    """A commit that is there: its text has `size` bytes, `winners` came in between."""

    commit: CommitFile
    size: int
    winners: Sequence[CommitFile]
    attempts: int


class Transaction:
    """Records what a statement reads and commits what it writes. Used once, by one thread."""

    def __init__(self, log: DeltaLog, read_snapshot: Snapshot | None, committer: Committer | None = None) -> None:
        self.read_snapshot = read_snapshot
        self.transaction_id = str(uuid.uuid4())
        self._log = log
        self._committer = committer or FileSystemCommitter(log.store)
        self._predicates: list[ReadPredicate] = []
        self._files: set[str] = set()
        self._whole_table = False
        self._advice = ""
        self.need: Callable[[bool], None] = lambda needed: None
        """Told whether the commit is there or may be, and needs its files."""
        self._needs_files = False
        self._app_ids: set[str] = set()

    def record_read(
        self,
        predicate: str | None = None,
        files: Iterable[str] | None = None,
        whole_table: bool = False,
        matches: Callable[[Mapping[str, str | None]], bool] | None = None,
    ) -> None:
        """Notes a scan of the table: its predicate in SQL (None: all rows) and the files it was planned over.

        `files` are paths as in the log. A scan that says neither has read the whole table. `matches` says of partition
        values, as in the log, whether the predicate can accept a row there: see `partition_match`.
        """
        self._whole_table |= whole_table or (predicate is None and files is None)
        self._predicates.append(ReadPredicate(predicate if predicate is not None else "true", matches))
        self._files.update(canonical(path, self._log.location) for path in files or ())

    def advise(self, advice: str) -> None:
        """Sets what errors of lost races say of how to lose fewer."""
        self._advice = advice

    @property
    def location(self) -> str:
        """Where the table is."""
        return self._log.location

    def record_read_app_id(self, app_id: str) -> None:
        """Notes that the statement depends on how far an application has written."""
        self._app_ids.add(app_id)

    def commit(
        self,
        operation: str,
        parameters: Mapping[str, object],
        actions: Sequence[Action],
        *,
        metrics: Mapping[str, object] | None = None,
        user_metadata: str | None = None,
        engine_info: str | None = None,
        tags: Mapping[str, str] | None = None,
        blind_append: bool | None = None,
        isolation_level: IsolationLevel | None = None,
    ) -> Commit:
        """Writes the actions as the next version of the table.

        A lost race is tried again at the next free version if what was committed in between does not touch what this
        transaction read or removes; else a ConcurrentModificationError names the winner. Raises the errors of
        `commit_rules` for actions that the protocol forbids, and CommitRetriesExceededError.
        """
        provenance = Provenance(operation, parameters, metrics, user_metadata, engine_info, tags)
        commit = self.commit_rebased(
            provenance, actions, Rebase(), blind_append=blind_append, isolation_level=isolation_level
        )
        assert commit is not None
        return commit

    def commit_rebased(
        self,
        provenance: Provenance,
        actions: Sequence[Action],
        rebase: Rebase,
        *,
        blind_append: bool | None = None,
        isolation_level: IsolationLevel | None = None,
    ) -> Commit | None:
        """The same with actions of `rebase` besides, which change with what others commit; None if they leave nothing.

        Files that `rebase` has written for a commit that was not made are gone afterwards.
        """
        first = [*actions, *rebase.actions()]
        protocol, metadata = self._effective(first)
        check_writable(protocol, self._log.table, metadata.schema, metadata.configuration)
        numbering = self._numbering(protocol, metadata)
        level = isolation_level or effective_level(table_level(metadata.configuration), provenance.operation, first)
        attempt = self._attempt(provenance.operation, first, level)
        check_commit(first, protocol, metadata, self._log.table, self._log.location)
        read = self.read_snapshot
        if read is not None and self._log.replaced(read):
            raise TableReplacedError(self._log.table, read.version, "Another statement")
        writing = CommitWriter(
            self.read_snapshot,
            provenance,
            metadata,
            attempt,
            blind_append,
            numbering,
            protocol,
            location=self.location,
            transaction_id=self.transaction_id,
            time_of=self.time_of,
        )
        try:
            done = self._race(writing, actions, rebase)
        except BaseException:
            # A commit that may be there needs the files.
            if not self._needs_files:
                rebase.discard()
            raise
        return None if done is None else self._committed(done)

    def _race(self, writing: CommitWriter, actions: Sequence[Action], rebase: Rebase) -> _Won | None:
        version = writing.attempt.version
        winners: list[CommitFile] = []
        deadline = time.monotonic() + _MOST_SECONDS
        for attempts in range(1, _MOST_ATTEMPTS + 1):
            version = self._put_preceding(writing, rebase, version, winners)
            if rebase.is_void:
                return None
            final, data = writing.text([*actions, *rebase.actions()], version, winners, rebase.metrics)
            if self._put_own(version, data):
                return _Won(written_commit(version, data, final, self._log.table), len(data), winners, attempts)
            commits = self._winners(version)
            own = next((item for item in commits if self._is_own(item)), None)
            if own is not None:
                # The answer to an earlier try was lost, and it had been written after all.
                self._says_needed(True)
                note_commit(self._log.table, own.version)
                winners += [item for item in commits if item.version < own.version]
                return _Won(own, len(data), winners, attempts)
            self._rebase(rebase, writing.attempt, commits)
            winners += commits
            version = winners[-1].version + 1
            if time.monotonic() > deadline:
                break
            back_off(attempts)
        raise CommitRetriesExceededError(self._log.table, attempts, version)

    def _is_own(self, commit: CommitFile) -> bool:
        return commit.info is not None and commit.info.transaction_id == self.transaction_id

    def _rebase(self, rebase: Rebase, attempt: Attempt, commits: Sequence[CommitFile]) -> None:
        """Puts the transaction on top of some winners. Raises a ConcurrentModificationError where that cannot be."""
        changes = [FileChanges() for _ in commits]
        if not attempt.is_blind_append:
            changes = [FileChanges.of(commit, self._log.table, self._log.location) for commit in commits]
            rebase.expect(changes)
        for commit, files in zip(commits, changes, strict=True):
            winner = self._seen(commit, attempt, files)
            error = table_conflict(attempt, winner) or rebase.onto(attempt, winner, files)
            if error is not None:
                raise error

    def _put_preceding(self, writing: CommitWriter, rebase: Rebase, version: int, winners: list[CommitFile]) -> int:
        """Commits what must be there before the transaction, if anything; the version that is free then."""
        while actions := rebase.preceding_actions():
            final, data = writing.undo(actions, version, winners)
            with shielded():
                won = self._put(version, data)
                if won:
                    note_commit(self._log.table, version, last=False)
            if won:
                winners.append(written_commit(version, data, final, self._log.table))
                rebase.confirm_preceding()
                return version + 1
            commits = self._winners(version)
            self._rebase(rebase, writing.attempt, commits)
            winners += commits
            version = winners[-1].version + 1
        return version

    def _put_own(self, version: int, data: bytes) -> bool:
        """The same as `_put`; Ctrl-C waits for it, and is too late when it is True."""
        with shielded():
            self._says_needed(True)
            try:
                won = self._put(version, data)
            except AmbiguousWriteError:
                note_doubt()
                raise
            except DeltaSqlError:
                self._says_needed(False)
                raise
            self._says_needed(won)
            if won:
                note_commit(self._log.table, version)
            return won

    def _says_needed(self, needed: bool) -> None:
        self._needs_files = needed
        self.need(needed)

    def _put(self, version: int, data: bytes) -> bool:
        """True if this transaction's commit is now `version`, however the storage answered."""
        for left in reversed(range(_MOST_LOST_ANSWERS)):
            try:
                return self._committer.commit(version, data)
            except AmbiguousWriteError:
                present = self._read_back(version)
                if present is not None:
                    return present.info is not None and present.info.transaction_id == self.transaction_id
                if left == 0:
                    raise
                back_off(_MOST_LOST_ANSWERS - left + 2)
        raise AssertionError("unreachable")

    def time_of(self, winner: CommitFile) -> int | None:
        """When a winner was committed, in ms: its own timestamp, or its file's time; None if its file is gone."""
        info = winner.info
        if info is not None and info.in_commit_timestamp is not None:
            return info.in_commit_timestamp
        try:
            return self._log.store.head(winner.path).modified
        except FileNotFoundError:
            return None

    def _read_back(self, version: int) -> CommitFile | None:
        path = commit_path(version)
        try:
            return parse_commit(self._log.store.read(path), version, path, self._log.table)
        except FileNotFoundError:
            return None

    def _winners(self, version: int) -> list[CommitFile]:
        """The commits from `version` on, without gaps; at least one."""
        newer = list_after(self._log.store, version - 1).commits
        last = version
        while last + 1 in newer:
            last += 1
        return self._log.reader.commits(range(version, last + 1))

    def _committed(self, done: _Won) -> Commit:
        """What follows a commit. Whatever fails here, its files are needed."""
        commit = done.commit
        self._log.reader.remember(commit)
        entries = {item.version: Entry(item.path, 0, -1) for item in done.winners if item.version < commit.version}
        entries[commit.version] = self._entry(commit.path, done.size)
        snapshot = self._snapshot(entries, commit.version)
        after_commit(self._log.store, snapshot, self.transaction_id)
        self._log.committed(snapshot)
        return Commit(commit.version, snapshot, done.attempts)

    def _entry(self, path: str, size: int) -> Entry:
        """The commit as the storage lists it: its time and tag tell it from another one of the same version."""
        try:
            return self._log.store.head(path)
        except (FileNotFoundError, StorageError):
            return Entry(path, size, -1)

    def _snapshot(self, entries: Mapping[int, Entry], version: int) -> Snapshot:
        read = self.read_snapshot
        if read is None:
            return Snapshot(self._log.reader, LogSegment(0, None, ((0, entries[0]),), frozenset()))
        segment = read.segment.extended(LogListing(dict(entries), (), frozenset(), complete=False))
        assert segment.version == version
        return Snapshot(self._log.reader, segment, read.known())

    def _effective(self, actions: Sequence[Action]) -> tuple[Protocol, Metadata]:
        """Protocol and metadata as they hold after the commit."""
        _, others = split_adds(actions)
        protocols, metadata = of_kind(others, Protocol), of_kind(others, Metadata)
        read = self.read_snapshot
        if read is None and not (protocols and metadata):
            raise InvalidCommitError(self._log.table, "version 0 needs a protocol and a metaData action")
        protocol = protocols[-1] if protocols else read.protocol  # type: ignore[union-attr]
        return protocol, metadata[-1] if metadata else read.metadata  # type: ignore[union-attr]

    def _numbering(self, protocol: Protocol, metadata: Metadata) -> RowNumbering | None:
        """How the files of this commit get row ids; None for a table whose files need none."""
        if not assigns_row_ids(protocol, metadata):
            return None
        read = self.read_snapshot
        highest = -1 if read is None else high_water_mark(read.domains)
        return RowNumbering(highest, self._log.table, self._log.location)

    def _attempt(self, operation: str, actions: Sequence[Action], level: IsolationLevel) -> Attempt:
        _, others = split_adds(actions)
        root = self._log.location
        removes = frozenset(canonical(action.path, root) for action in of_kind(others, RemoveFile))
        return Attempt(
            table=self._log.table,
            version=0 if self.read_snapshot is None else self.read_snapshot.version + 1,
            level=level,
            read_predicates=tuple(self._predicates),
            read_files=frozenset(self._files),
            read_whole_table=self._whole_table,
            read_app_ids=frozenset(self._app_ids),
            removes=removes,
            app_ids=frozenset(action.app_id for action in of_kind(others, SetTransaction)),
            domains=frozenset(action.domain for action in of_kind(others, DomainMetadata)),
            changes_metadata=bool(of_kind(others, Metadata)),
            changes_protocol=bool(of_kind(others, Protocol)),
            only_adds=not removes and not of_kind(others, AddCDCFile),
            needs_next_version=operation in _LARGE or self._judges_unseen(removes, others),
            advice=self._advice,
        )

    def _judges_unseen(self, removes: Collection[str], actions: Sequence[Action]) -> bool:
        """True if the commit is made of what was read, but no scan was noted against which a winner could be held."""
        read = self.read_snapshot
        if any(
            read is not None and not _keeps_features(action, read.protocol) for action in of_kind(actions, Protocol)
        ):
            return True
        return bool(removes) and not (self._predicates or self._files or self._whole_table)

    def _seen(self, commit: CommitFile, attempt: Attempt, files: FileChanges) -> Winner:
        info = commit.info
        # What only states files once more has neither added nor moved a row.
        outputs = {} if info is not None and info.operation in STATING_ANEW else files.outputs
        stated = {path: add for path, (_, add) in files.restated.items()}
        left = {path: remove for path, (remove, _) in files.restated.items()}
        return Winner(
            version=commit.version,
            operation=info.operation if info is not None else "An unnamed operation",
            is_blind_append=info is not None and info.is_blind_append,
            changes_metadata=commit.metadata is not None,
            changes_protocol=commit.protocol is not None and self._is_another(commit.protocol, attempt),
            only_raises_identity=info is not None and info.only_raises_identity,
            only_enables_row_tracking=info is not None and info.only_enables_row_tracking,
            adds=_partitions({**files.new, **outputs, **stated}),
            removes=_partitions({**files.removed, **files.moved, **left}),
            app_ids=frozenset(commit.transactions),
            domains=frozenset(commit.domains),
            read_version=None if info is None else info.read_version,
            orders_rows=info is not None and info.orders_rows,
        )

    def _is_another(self, protocol: Json, attempt: Attempt) -> bool:
        """False for a protocol that was only stated once more."""
        read = self.read_snapshot
        return read is None or attempt.changes_protocol or Protocol.from_json(protocol) != read.protocol


def _keeps_features(protocol: Protocol, old: Protocol) -> bool:
    return protocol.features >= old.features


def _partitions(actions: Mapping[str, Json]) -> dict[str, Mapping[str, str | None]]:
    return {path: action.get("partitionValues") or {} for path, action in actions.items()}


def back_off(attempts: int) -> None:
    """Lets others finish after so many lost races; the first tries go at once."""
    if attempts >= 3:
        time.sleep(min(2 ** (attempts - 3) * 0.01, 1.0) * random.uniform(0.5, 1.5))
