"""Transactions on a table: the read set, and the commit with its retries after lost races.

A commit is put as the next version; where another writer was first, its commit is checked for conflicts, the
transaction is rebased on it, and put again. The commit of one transaction to several tables is ratified by the catalog
that manages them: all versions, or none.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from deltasql.base import DeltaSqlError, errors, note_commit, note_doubt, pa, shielded
from deltasql.log import operations
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    DomainMetadata,
    Json,
    Metadata,
    RemoveFile,
    SetTransaction,
    TransactionGroup,
)
from deltasql.log.actions.commit_file import CommitFile, FileChanges
from deltasql.log.commit.commit_writer import (
    CommitPlan,
    CommitText,
    CommitWriter,
    Provenance,
    changes_data,
    effective_level,
    of_kind,
    split_adds,
    table_level,
)
from deltasql.log.commit.conflict import (
    Attempt,
    CanonicalPaths,
    IsolationLevel,
    ReadPredicate,
    ReadSet,
    Rebase,
    TableWrites,
    Winner,
    table_conflict,
)
from deltasql.log.committers import CatalogCommitter, Committer, StagedCommit, ratified
from deltasql.log.configuration.properties import check_writable
from deltasql.log.configuration.row_ids import RowNumbering, assigns_row_ids, high_water_mark
from deltasql.log.operations import Operation, operation_named
from deltasql.log.protocol import CATALOG_MANAGED, Protocol
from deltasql.log.replay.log_segment import LogListing, LogSegment
from deltasql.log.replay.segment_replay import BEFORE_FIRST
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.log.source_files import COPY_INTO
from deltasql.log.storage.listing import canonical, commit_path
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.upkeep.post_commit import after_commit

MOST_ATTEMPTS = 1000
_MOST_LOST_ANSWERS = 5
_MOST_DOUBTFUL_SECONDS = 60
MOST_SECONDS = 600
_TURNS = tuple(threading.RLock() for _ in range(256))
"""Tables share them by the hash of their locations, so that they do not grow with the number of tables."""


def is_contended(location: str) -> bool:
    """Whether another thread of this process commits to a table now, or waits for it."""
    turn = _turn_of(location)
    is_free = turn.acquire(blocking=False)
    if is_free:
        turn.release()
    return not is_free


@contextmanager
def turn(location: str, seconds: float = -1) -> Iterator[None]:
    """Context: no other thread of this process commits to a table, after waiting `seconds` for them at most (-1: as
    long as it takes). Then it goes on all the same: the storage decides about each version.
    """
    own = _turn_of(location)
    is_taken = own.acquire(timeout=seconds)
    try:
        yield
    finally:
        if is_taken:
            own.release()


def _turn_of(location: str) -> threading.RLock:
    return _TURNS[hash(location) % len(_TURNS)]


@dataclass(frozen=True, slots=True)
class WonRace:
    """A finished commit: `winners` came in between, `attempts` versions were tried.

    `data` is its text where the storage said yes to it; None where its author was read in the log.
    """

    commit: CommitFile
    data: bytes | None
    winners: Sequence[CommitFile]
    attempts: int


class CommitRace:
    """Tries to commit `actions` and those of `rebase` as `writer` writes them. Used once.

    `need` is told whether the commit is there or may be, and needs the files of `rebase`.
    """

    def __init__(
        self,
        log: DeltaLog,
        committer: Committer,
        writer: CommitWriter,
        rebase: Rebase,
        actions: Sequence[Action],
        need: Callable[[bool], None],
        note: Callable[[CommitFile], SetTransaction] | None = None,
    ) -> None:
        """`note` gives the action of COPY INTO anew, on top of a winner that has one."""
        self._log, self._committer, self._writer, self._rebase, self._need = log, committer, writer, rebase, need
        self._actions, self._note = actions, note
        self._plan = writer.plan
        self.table, self.location = log.table, log.location
        self.table_id = self._plan.metadata.id
        self.version = self._plan.attempt.version
        """The version that is tried next."""
        self._winners: list[CommitFile] = []
        self.needs_files = False

    def run(self) -> WonRace | None:
        """The commit; None where winners have left nothing to commit.

        Raises a ConcurrentModificationError that names the winner which is in the way, CommitRetriesExceededError
        after too many tries, AmbiguousWriteError where the storage does not say whether the commit is there, and the
        errors of `commit_writer`.
        """
        # Threads of this process that commit to one table take turns. In a race most tries of many threads are lost,
        # and each lost one has to be put on top of the winners: of 16 threads the last one waited for 20 seconds.
        with turn(self.location):
            return self._run()

    def _run(self) -> WonRace | None:
        deadline = time.monotonic() + MOST_SECONDS
        for attempts in range(1, MOST_ATTEMPTS + 1):
            self.put_preceding()
            if self._rebase.is_void:
                return None
            text = self.text()
            if self._put_commit(text):
                return self.won(text, attempts)
            own = self.after_loss(attempts)
            if own is not None:
                return own
            if time.monotonic() > deadline:
                break
            back_off(attempts)
        raise errors.CommitRetriesExceededError(self._log.table, attempts, self.version)

    def text(self, further: Sequence[Action] = ()) -> CommitText:
        """The commit of the next version, with `further` actions. Raises the errors of `commit_writer`."""
        actions = [*self._actions, *self._rebase.actions(), *further]
        return self._writer.text(actions, self.version, self._winners, self._rebase.metrics)

    def won(self, text: CommitText, attempts: int) -> WonRace:
        """The commit, once `text` is the one of its version."""
        return WonRace(text.parsed(self._log.table), text.data, self._winners, attempts)

    def after_loss(self, attempts: int) -> WonRace | None:
        """Puts the transaction on top of the commits that came first; its own commit, if it is among them.

        Raises a ConcurrentModificationError.
        """
        commits = self._commits_from(self.version)
        own = self.recovered(commits, attempts)
        if own is None:
            self._go_on_top(commits)
            self._actions = self._noted(self._actions, commits)
        return own

    def recovered(self, commits: Sequence[CommitFile], attempts: int) -> WonRace | None:
        """The transaction's commit among `commits`: the answer to an earlier try was lost, and it had been written."""
        ours = next((item for item in commits if self._is_ours(item)), None)
        if ours is None:
            return None
        self.says_needed(True)
        note_commit(self._log.table, ours.version)
        earlier = [item for item in commits if item.version < ours.version]
        return WonRace(ours, None, [*self._winners, *earlier], attempts)

    def newer_commits(self) -> Sequence[CommitFile]:
        """The commits from the version on that is to be the transaction's; empty for none."""
        newer = self._log.commits_after(self.version - 1)
        return self._commits_from(self.version) if self.version in newer else ()

    def _is_ours(self, commit: CommitFile) -> bool:
        return commit.info is not None and commit.info.transaction_id == self._plan.transaction_id

    def _go_on_top(self, commits: Sequence[CommitFile]) -> None:
        """Puts the transaction on top of some winners. Raises a ConcurrentModificationError where that cannot be."""
        attempt = self._plan.attempt
        changes = [FileChanges() for _ in commits]
        if not attempt.is_blind_append:
            changes = [FileChanges.of(commit, self._log.table, self._log.location) for commit in commits]
            self._rebase.expect(changes)
        for commit, files in zip(commits, changes, strict=True):
            winner = self._winner(commit, files)
            error = table_conflict(attempt, winner) or self._rebase.onto(attempt, winner, files)
            if error is not None:
                raise error
        self._winners += commits
        self.version = self._winners[-1].version + 1

    def _noted(self, actions: Sequence[Action], commits: Sequence[CommitFile]) -> Sequence[Action]:
        """The actions, with what COPY INTO notes on top of the last winner that has noted something as well."""
        last = next((commit for commit in reversed(commits) if COPY_INTO in commit.transactions), None)
        if last is None or self._note is None:
            return actions
        note = self._note(last)
        return [note if isinstance(item, SetTransaction) and item.app_id == COPY_INTO else item for item in actions]

    def _winner(self, commit: CommitFile, files: FileChanges) -> Winner:
        """The commit as the rules of conflicts see it from this transaction."""
        info = commit.info
        # What only states files once more has neither added nor moved a row.
        outputs = {} if info is not None and operation_named(info.operation).restates_files else files.outputs
        stated = {path: add for path, (_, add) in files.restated.items()}
        left = {path: remove for path, (remove, _) in files.restated.items()}
        winner = Winner(
            version=commit.version,
            operation="An unnamed operation",
            writes=TableWrites(
                metadata=commit.metadata is not None,
                protocol=commit.protocol is not None and self._is_another(commit.protocol),
                app_ids=frozenset(commit.transactions),
                domains=frozenset(commit.domains),
            ),
            adds=_partitions({**files.new, **outputs, **stated}),
            removes=_partitions({**files.removed, **files.moved, **left}),
        )
        if info is None:
            return winner
        return replace(
            winner,
            operation=info.operation,
            is_blind_append=info.is_blind_append,
            only_raises_identity=info.only_raises_identity,
            only_enables_row_tracking=info.only_enables_row_tracking,
            read_version=info.read_version,
            orders_rows=info.orders_rows,
        )

    def _is_another(self, protocol: Json) -> bool:
        """False for a protocol that was only stated once more."""
        read = self._plan.read
        return read is None or self._plan.attempt.writes.protocol or Protocol.from_json(protocol) != read.protocol

    def put_preceding(self) -> None:
        """Commits what must be there before the transaction, if anything."""
        while actions := self._rebase.preceding_actions():
            text = self._writer.undo_text(actions, self.version, self._winners)
            with shielded():
                won = self._put(text)
                if won:
                    note_commit(self._log.table, text.version, last=False)
            if won:
                self._winners.append(text.parsed(self._log.table))
                self.version += 1
                self._rebase.confirm_preceding()
                return
            self._go_on_top(self._commits_from(self.version))

    def _put_commit(self, text: CommitText) -> bool:
        """Whether the transaction's own commit is now a version. Ctrl-C waits for the put, and comes too late if so."""
        with shielded():
            self.says_needed(True)
            try:
                won = self._put(text)
            except errors.AmbiguousWriteError:
                note_doubt()
                raise
            except DeltaSqlError:
                self.says_needed(False)
                raise
            self.says_needed(won)
            if won:
                note_commit(self._log.table, text.version)
            return won

    def says_needed(self, needed: bool) -> None:
        """Tells the owner of the staged files whether the commit is there or may be."""
        self.needs_files = needed
        self._need(needed)

    def _put(self, text: CommitText) -> bool:
        """Whether `text` is now the commit of its version, however the storage answered. Raises AmbiguousWriteError."""
        deadline = time.monotonic() + _MOST_DOUBTFUL_SECONDS
        for left in reversed(range(_MOST_LOST_ANSWERS)):
            try:
                return self._committer.commit(text.version, text.data)
            except errors.AmbiguousWriteError as error:
                present = self._read_back(text.version, error)
                if present is not None:
                    return present == text.data
                if left == 0 or time.monotonic() > deadline:
                    raise
                back_off(_MOST_LOST_ANSWERS - left + 2)
        raise AssertionError("unreachable")

    def _read_back(self, version: int, doubt: errors.AmbiguousWriteError) -> bytes | None:
        """The commit that exists, if any. Raises AmbiguousWriteError where the storage does not say that either."""
        try:
            return self._log.store.read(commit_path(version))
        except FileNotFoundError:
            return None
        except errors.StorageError as error:
            raise doubt from error

    def _commits_from(self, version: int) -> list[CommitFile]:
        """The commits from `version` on, without gaps; at least one."""
        newer = self._log.commits_after(version - 1)
        last = version
        while last + 1 in newer:
            last += 1
        return self._log.reader.commits(range(version, last + 1))


def _partitions(actions: Mapping[str, Json]) -> dict[str, Mapping[str, str | None]]:
    return {path: action.get("partitionValues") or {} for path, action in actions.items()}


def back_off(attempts: int) -> None:
    """Lets others finish after so many lost races; the first tries go at once."""
    if attempts >= 3:
        time.sleep(min(2 ** (attempts - 3) * 0.01, 1.0) * random.uniform(0.5, 1.5))


class RecordedReads:
    """Reads of a statement on one table so far; paths are canonical."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.predicates: list[ReadPredicate] = []
        self._files: list[Collection[str]] = []
        self.whole_table = False
        self.app_ids: set[str] = set()

    def record(
        self,
        predicate: str | None,
        files: Collection[str] | None,
        whole_table: bool,
        matches: Callable[[Mapping[str, str | None]], bool] | None,
    ) -> None:
        """Adds a scan: see `Transaction.record_read`."""
        self.whole_table |= whole_table or (predicate is None and files is None)
        self.predicates.append(ReadPredicate(predicate if predicate is not None else "true", matches))
        if files is not None:
            self._files.append(files)

    @property
    def read_set(self) -> ReadSet:
        """The recorded reads as input of the conflict rules."""
        files = CanonicalPaths(self._root, tuple(self._files))
        return ReadSet(tuple(self.predicates), files, self.whole_table, frozenset(self.app_ids))


@dataclass(frozen=True, slots=True)
class Commit:
    """A transaction that has been committed; `attempts` counts the versions it tried for."""

    version: int
    snapshot: Snapshot
    attempts: int


@dataclass(frozen=True, slots=True)
class PreparedCommit:
    """The commit of a transaction, but for its version; `managed` says whether a catalog manages the table after it."""

    transaction: Transaction
    race: CommitRace
    committer: Committer
    rebase: Rebase
    managed: bool

    def run(self) -> Commit | None:
        """Commits; None if winners left nothing to commit. Raises what `CommitRace.run` raises."""
        try:
            won = self.race.run()
        except BaseException:
            self.discard()
            raise
        return None if won is None else self.finish(won)

    def discard(self) -> None:
        """Deletes the files that the rebase has written, unless a commit that may be there needs them."""
        if not self.race.needs_files:
            self.rebase.discard()

    def finish(self, won: WonRace) -> Commit:
        """Publishes the commit, and runs the post-commit work; its files must stay even if this fails."""
        return self.transaction.finish(won, self.committer, managed=self.managed)


class Transaction:
    """Records what a statement reads and commits what it writes. Used once, by one thread."""

    def __init__(self, log: DeltaLog, read_snapshot: Snapshot | None, committer: Committer | None = None) -> None:
        self.read_snapshot = read_snapshot
        self.transaction_id = str(uuid.uuid4())
        self._log = log
        self._committer = committer
        self._reads = RecordedReads(log.location)
        self._advice = ""
        self.need: Callable[[bool], None] = lambda needed: None
        """Called with True if the commit exists or may exist, so that its files must stay; with False if not."""
        self.note: Callable[[CommitFile], SetTransaction] | None = None
        """Returns the txn action of COPY INTO on top of a winner with one, or raises a ConcurrentModificationError."""

    def record_read(
        self,
        predicate: str | None = None,
        files: Collection[str] | None = None,
        whole_table: bool = False,
        matches: Callable[[Mapping[str, str | None]], bool] | None = None,
    ) -> None:
        """Records a scan of the table: its predicate in SQL (None: all rows) and the files it was planned over.

        `files` are paths as in the log. A scan without either reads the whole table. `matches` takes partition values,
        as in the log, and returns whether the predicate can accept a row there: see `matches_partition`.
        """
        self._reads.record(predicate, files, whole_table, matches)

    def advise(self, advice: str) -> None:
        """Sets the hint of conflict errors on how to avoid conflicts."""
        self._advice = advice

    @property
    def location(self) -> str:
        """The absolute location of the table."""
        return self._log.location

    def record_read_app_id(self, app_id: str) -> None:
        """Records that the statement depends on the txn version of an application."""
        self._reads.app_ids.add(app_id)

    def commit(
        self,
        operation: Operation,
        parameters: Mapping[str, object],
        actions: Sequence[Action],
        *,
        metrics: Mapping[str, object] | None = None,
        user_metadata: str | None = None,
        engine_info: str | None = None,
        tags: Mapping[str, str] | None = None,
        blind_append: bool | None = None,
        isolation_level: IsolationLevel | None = None,
        added: pa.Table | None = None,
    ) -> Commit:
        """Writes the actions as the next version of the table.

        `added` are add actions besides, as an Arrow table with columns of `file_tables.ADD`, without a Python object
        for each file; of those columns that it lacks, all values are null.

        A lost race is retried at the next free version if no commit in between touches what this transaction read or
        removes; else a ConcurrentModificationError names the winner. Raises the errors of `commit_writer` for actions
        that the protocol forbids, CommitRetriesExceededError, and UnsafeStoreError or OverwrittenCommitError where the
        store does not guarantee put-if-absent.
        """
        provenance = Provenance(operation, parameters, metrics, user_metadata, engine_info, tags)
        commit = self.commit_rebased(
            provenance, actions, Rebase(), blind_append=blind_append, isolation_level=isolation_level, added=added
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
        added: pa.Table | None = None,
    ) -> Commit | None:
        """Commits `actions` and those of `rebase`, which are computed anew after each lost race.

        None if the winners left nothing to commit. If the commit fails, the files that `rebase` has written are
        deleted. Raises what `commit` raises.
        """
        prepared = self.prepare(
            provenance, actions, rebase, blind_append=blind_append, isolation_level=isolation_level, added=added
        )
        return prepared.run()

    def prepare(
        self,
        provenance: Provenance,
        actions: Sequence[Action],
        rebase: Rebase,
        *,
        blind_append: bool | None = None,
        isolation_level: IsolationLevel | None = None,
        added: pa.Table | None = None,
    ) -> PreparedCommit:
        """Checks a commit as far as that is possible before others are known that come first."""
        first = [*actions, *rebase.actions()]
        protocol, metadata = self._effective(first)
        read = self.read_snapshot
        # The table's first commit under a catalog needs no word of it on the version before.
        by_catalog = self._log.catalog is not None and (read is None or read.by_catalog or not read.is_managed)
        check_writable(protocol, self._log.table, metadata.schema, metadata.configuration, by_catalog=by_catalog)
        added = self._conformed(added)
        level = isolation_level or effective_level(
            table_level(metadata.configuration),
            provenance.operation,
            first,
            data_change=changes_data(first, added),
        )
        plan = CommitPlan(
            read,
            provenance,
            protocol,
            metadata,
            self._attempt(provenance.operation, first, level),
            self.location,
            self.transaction_id,
            self._numbering(protocol, metadata),
            blind_append,
            added,
        )
        plan.check(first)
        if read is not None and self._log.replaced(read):
            raise errors.TableReplacedError(self._log.table, read.version, "Another statement")
        managed = CATALOG_MANAGED in protocol.features
        committer = self._committer or self._log.committer(read, managed=managed)
        writer = CommitWriter(plan, self._log.store)
        race = CommitRace(self._log, committer, writer, rebase, actions, self.need, self.note)
        return PreparedCommit(self, race, committer, rebase, managed)

    def watch(self) -> CommitRace:
        """A race for the next version of a table that the transaction has only read, in which it only looks at winners.

        The isolation level is that of the table.
        """
        read, operation = self.read_snapshot, operations.TRANSACTION
        assert read is not None
        attempt = self._attempt(operation, (), table_level(read.configuration))
        plan = CommitPlan(
            read,
            Provenance(operation, {}),
            read.protocol,
            read.metadata,
            attempt,
            self.location,
            self.transaction_id,
        )
        writer, committer = CommitWriter(plan, self._log.store), self._log.committer(read, managed=True)
        return CommitRace(self._log, committer, writer, Rebase(), (), self.need)

    def _conformed(self, added: pa.Table | None) -> pa.Table | None:
        if added is None or len(added) == 0:
            return None
        from deltasql.log.actions.file_tables import conformed_adds

        return conformed_adds(added, self._log.table)

    def finish(self, won: WonRace, committer: Committer, *, managed: bool) -> Commit:
        """Publishes the commit, runs the post-commit work and returns it; its files must stay even if this fails."""
        commit = won.commit
        published = committer.publish(commit.version, won.data)
        self._log.reader.remember(commit)
        entries = {item.version: Entry(item.path, 0, -1) for item in won.winners if item.version < commit.version}
        entries[commit.version] = self._entry(commit.path, won.data) if published else Entry(commit.path, 0, -1)
        snapshot = self._snapshot(entries, commit.version, by_catalog=managed)
        if published:
            maintained = managed and self._log.catalog is not None and self._log.catalog.maintains(self.location)
            after_commit(self._log.store, snapshot, self.transaction_id, cleans=not maintained)
        self._log.committed(snapshot)
        if self._log.on_commit is not None:
            self._log.on_commit(self.read_snapshot, snapshot)
        return Commit(commit.version, snapshot, won.attempts)

    def _entry(self, path: str, data: bytes | None) -> Entry:
        """The store's entry of the commit file; time and tag distinguish it from another commit of the same version.

        Raises OverwrittenCommitError if the file is not the commit that was put.
        """
        try:
            return self._log.store.head(path) if data is None else self._log.store.confirm(path, data)
        except (FileNotFoundError, errors.StorageError):
            return Entry(path, len(data or b""), -1)

    def _snapshot(self, entries: Mapping[int, Entry], version: int, *, by_catalog: bool) -> Snapshot:
        read = self.read_snapshot
        if read is None:
            segment = LogSegment(0, None, ((0, entries[0]),), frozenset())
            return Snapshot(self._log.reader, segment, BEFORE_FIRST, by_catalog=by_catalog)
        segment = read.segment.extended(LogListing(dict(entries), (), frozenset(), complete=False))
        assert segment.version == version
        return Snapshot(self._log.reader, segment, read.as_base(), by_catalog=by_catalog)

    def _effective(self, actions: Sequence[Action]) -> tuple[Protocol, Metadata]:
        """Protocol and metadata after the commit."""
        _, others = split_adds(actions)
        protocols, metadata = of_kind(others, Protocol), of_kind(others, Metadata)
        read = self.read_snapshot
        if read is None and not (protocols and metadata):
            raise errors.InvalidCommitError(self._log.table, "version 0 needs a protocol and a metaData action")
        protocol = protocols[-1] if protocols else read.protocol  # type: ignore[union-attr]
        return protocol, metadata[-1] if metadata else read.metadata  # type: ignore[union-attr]

    def _numbering(self, protocol: Protocol, metadata: Metadata) -> RowNumbering | None:
        """How the files of this commit get row ids; None for a table whose files need none."""
        if not assigns_row_ids(protocol, metadata):
            return None
        read = self.read_snapshot
        highest = -1 if read is None else high_water_mark(read.domains)
        return RowNumbering(highest, self._log.table, self._log.location)

    def _attempt(self, operation: Operation, actions: Sequence[Action], level: IsolationLevel) -> Attempt:
        _, others = split_adds(actions)
        root = self._log.location
        removes = frozenset(canonical(action.path, root) for action in of_kind(others, RemoveFile))
        return Attempt(
            table=self._log.table,
            version=0 if self.read_snapshot is None else self.read_snapshot.version + 1,
            level=level,
            reads=self._reads.read_set,
            writes=TableWrites(
                metadata=bool(of_kind(others, Metadata)),
                protocol=bool(of_kind(others, Protocol)),
                app_ids=frozenset(action.app_id for action in of_kind(others, SetTransaction)),
                domains=frozenset(action.domain for action in of_kind(others, DomainMetadata)),
            ),
            removes=removes,
            only_adds=not removes and not of_kind(others, AddCDCFile),
            needs_next_version=operation.replaces_all or self._judges_unseen(removes, others),
            advice=self._advice,
        )

    def _judges_unseen(self, removes: Collection[str], actions: Sequence[Action]) -> bool:
        """True if the commit depends on reads, but has no recorded scan to check winners against."""
        read = self.read_snapshot
        if any(
            read is not None and not _keeps_features(action, read.protocol) for action in of_kind(actions, Protocol)
        ):
            return True
        return bool(removes) and not self._reads.read_set.has_scans


def _keeps_features(protocol: Protocol, old: Protocol) -> bool:
    return protocol.features >= old.features


class CommitGroup:
    """Commits `members`, of one catalog, together; `watched` are races of tables that were only read. Used once.

    All versions become visible at one moment. The watched tables must then be at versions that do not conflict with
    what was read of them.
    """

    def __init__(self, members: Sequence[PreparedCommit], watched: Iterable[CommitRace]) -> None:
        self._members = {member.transaction.location: member for member in members}
        self._watched = {race.location: race for race in watched}
        self._catalog = _committer(members[0]).catalog

    def run(self) -> list[Commit]:
        """The commits, in the order of the members.

        Raises a ConcurrentModificationError for the first table with a winner that is in the way, then none is
        committed; CommitRetriesExceededError, AmbiguousWriteError, and the errors of `commit_writer`.
        """
        try:
            won = self._won()
        except BaseException:
            for member in self._members.values():
                member.discard()
            raise
        return [member.finish(won[location]) for location, member in self._members.items()]

    def _won(self) -> Mapping[str, WonRace]:
        deadline, attempts = time.monotonic() + MOST_SECONDS, 0
        while attempts < MOST_ATTEMPTS and time.monotonic() < deadline:
            attempts += 1
            for member in self._members.values():
                member.race.put_preceding()
            texts = self._texts()
            try:
                lost = self._ratified(texts)
            except errors.AmbiguousWriteError:
                known = self._recovered(attempts)
                if known is None:
                    note_doubt()
                    raise
                return known
            if not lost:
                return {place: member.race.won(texts[place], attempts) for place, member in self._members.items()}
            for location in lost:
                self._race(location).after_loss(attempts)
            back_off(attempts)
        race = next(iter(self._members.values())).race
        raise errors.CommitRetriesExceededError(race.table, attempts, race.version)

    def _texts(self) -> Mapping[str, CommitText]:
        """The commit of each table, with the versions of all where there are several."""
        further: Sequence[Action] = ()
        if len(self._members) > 1:
            tables = tuple((member.race.table_id, member.race.version) for member in self._members.values())
            transaction = next(iter(self._members.values())).transaction
            further = (TransactionGroup(transaction.transaction_id, tables),)
        return {location: member.race.text(further) for location, member in self._members.items()}

    def _ratified(self, texts: Mapping[str, CommitText]) -> Collection[str]:
        """The locations of tables that prevent the commits; empty if they are all versions now."""
        unchanged = {location: race.version - 1 for location, race in self._watched.items()}
        with shielded():
            self._say_needed(True)
            try:
                lost = ratified(self._catalog, self._staged(texts), unchanged)
            except errors.AmbiguousWriteError:
                raise
            except DeltaSqlError:
                self._say_needed(False)
                raise
            self._say_needed(not lost)
            for location in () if lost else texts:
                note_commit(self._race(location).table, texts[location].version)
        return lost

    def _staged(self, texts: Mapping[str, CommitText]) -> Mapping[StagedCommit, LogStore]:
        """Stages all commits. Raises StorageError, after those that were staged are deleted."""
        staged: dict[StagedCommit, LogStore] = {}
        try:
            for location, text in texts.items():
                committer = _committer(self._members[location])
                staged[committer.stage(text.version, text.data)] = committer.store
        except DeltaSqlError:
            for commit, store in staged.items():
                with suppress(errors.StorageError):
                    store.delete([commit.path])
            self._say_needed(False)
            raise
        return staged

    def _recovered(self, attempts: int) -> Mapping[str, WonRace] | None:
        """The commits as the logs have them, although the catalog has not answered; None if it is not certain."""
        won: dict[str, WonRace] = {}
        for location, member in self._members.items():
            try:
                found = member.race.recovered(member.race.newer_commits(), attempts)
            except DeltaSqlError:
                return None
            if found is None:
                return None
            won[location] = found
        return won

    def _race(self, location: str) -> CommitRace:
        member = self._members.get(location)
        return self._watched[location] if member is None else member.race

    def _say_needed(self, needed: bool) -> None:
        for member in self._members.values():
            member.race.says_needed(needed)


def _committer(member: PreparedCommit) -> CatalogCommitter:
    assert isinstance(member.committer, CatalogCommitter)
    return member.committer
