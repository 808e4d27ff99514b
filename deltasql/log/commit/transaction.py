"""A transaction on one table: its read set, and its commit.

The commit of one transaction to several tables: the catalog that manages them ratifies all versions, or none.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from deltasql.base import DeltaSqlError, errors, note_commit, note_doubt, pa, shielded
from deltasql.log import operations
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
    TransactionGroup,
)
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.commit.commit_race import MOST_ATTEMPTS, MOST_SECONDS, CommitRace, WonRace, back_off
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
from deltasql.log.commit.conflict import Attempt, IsolationLevel, ReadPredicate, ReadSet, Rebase, TableWrites
from deltasql.log.committers import CatalogCommitter, Committer, StagedCommit, ratified
from deltasql.log.configuration.properties import check_writable
from deltasql.log.configuration.row_ids import (
    RowNumbering,
    assigns_row_ids,
    high_water_mark,
)
from deltasql.log.operations import Operation
from deltasql.log.protocol import CATALOG_MANAGED, Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.log_segment import LogListing, LogSegment
from deltasql.log.replay.segment_replay import BEFORE_FIRST
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import canonical
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.upkeep.post_commit import after_commit


class RecordedReads:
    """Reads of a statement on one table so far; paths are canonical."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.predicates: list[ReadPredicate] = []
        self.files: set[str] = set()
        self.whole_table = False
        self.app_ids: set[str] = set()

    def record(
        self,
        predicate: str | None,
        files: Iterable[str] | None,
        whole_table: bool,
        matches: Callable[[Mapping[str, str | None]], bool] | None,
    ) -> None:
        """Adds a scan: see `Transaction.record_read`."""
        self.whole_table |= whole_table or (predicate is None and files is None)
        self.predicates.append(ReadPredicate(predicate if predicate is not None else "true", matches))
        self.files.update(canonical(path, self._root) for path in files or ())

    @property
    def read_set(self) -> ReadSet:
        """The recorded reads as input of the conflict rules."""
        return ReadSet(tuple(self.predicates), frozenset(self.files), self.whole_table, frozenset(self.app_ids))


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
        files: Iterable[str] | None = None,
        whole_table: bool = False,
        matches: Callable[[Mapping[str, str | None]], bool] | None = None,
    ) -> None:
        """Records a scan of the table: its predicate in SQL (None: all rows) and the files it was planned over.

        `files` are paths as in the log. A scan without either reads the whole table. `matches` takes partition values,
        as in the log, and returns whether the predicate can accept a row there: see `partition_match`.
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
        removes; else a ConcurrentModificationError names the winner. Raises the errors of `commit_rules` for actions
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
        committed; CommitRetriesExceededError, AmbiguousWriteError, and the errors of `commit_rules`.
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
