"""The tries of one commit: put, look at the winner, go on top of it, put again, until one of them is a version."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from deltasql.base import DeltaSqlError, errors, note_commit, note_doubt, shielded
from deltasql.log.actions.actions import Action, Json, SetTransaction
from deltasql.log.actions.commit_file import CommitFile, FileChanges
from deltasql.log.commit.commit_writer import CommitText, CommitWriter
from deltasql.log.commit.conflict import Rebase, TableWrites, Winner, table_conflict
from deltasql.log.committers import Committer
from deltasql.log.operations import operation_named
from deltasql.log.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.source_files import COPY_INTO
from deltasql.log.storage.listing import commit_path

MOST_ATTEMPTS = 1000
_MOST_LOST_ANSWERS = 5
_MOST_DOUBTFUL_SECONDS = 60
MOST_SECONDS = 600


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
        errors of `commit_rules`.
        """
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
        """The commit of the next version, with `further` actions. Raises the errors of `commit_rules`."""
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
