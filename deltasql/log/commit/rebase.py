"""Rebase of the file actions of a transaction onto commits that came first, by the rules for whole files.

OPTIMIZE and REORG that lost a race: what others did to the old files is carried over to the new ones, bin by bin.

A bin whose files others have taken away is given up; the other bins are committed all the same.
Source: Databricks documentation, Isolation levels and write conflicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.concurrency import ConcurrentAppendError, ConcurrentModificationError
from deltasql.log.actions.actions import Action, Json
from deltasql.log.actions.commit_file import FileChanges
from deltasql.log.commit.conflict import Attempt, IsolationLevel, Winner, file_conflict


@dataclass(frozen=True, slots=True)
class SkippedAppend:
    """Rows that a blind append has added and that WriteSerializable lets a transaction ignore."""

    version: int
    new: Mapping[str, Json]


class Rebase:
    """The file actions of one transaction on top of winners, in version order, by the rules for whole files.

    With `strict` a transaction that was put before a blind append must not be put after a reader of that append: three
    writers could else go round in a circle.
    """

    def __init__(self, strict: bool = True, actions: Sequence[Action] = ()) -> None:
        self._strict, self._actions = strict, actions
        self._skipped: list[SkippedAppend] = []

    def expect(self, changes: Sequence[FileChanges]) -> None:
        """Announces winners before `onto` is called for each, so that work which they share is done once."""

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        """Puts the transaction on top of a winner, or gives the error that it must end with because that cannot be."""
        return self.closes_circle(attempt, winner, files) or file_conflict(attempt, winner)

    def actions(self) -> Sequence[Action]:
        """The actions, besides the fixed ones, that follow from the winners so far."""
        return self._actions

    @property
    def is_void(self) -> bool:
        """Whether the winners have left nothing to commit."""
        return False

    @property
    def metrics(self) -> Mapping[str, object] | None:
        """The operation's metrics, where they depend on the winners."""
        return None

    def preceding_actions(self) -> Sequence[Action]:
        """The actions of a commit that must come just before the transaction's own; empty for none."""
        return ()

    def confirm_preceding(self) -> None:
        """Takes note that `preceding_actions` has been committed."""

    def discard(self) -> None:
        """Removes files that `actions` has written, when no commit comes of it."""

    def selects(self, attempt: Attempt, new: Mapping[str, Json]) -> bool:
        """Whether the transaction would have had to look at rows of these files."""
        return any(attempt.reads.meets(add.get("partitionValues") or {}) for add in new.values())

    def closes_circle(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        """The error for a winner that has read what this transaction, put before it, has ignored."""
        if not self._ignores_appends(attempt):
            return None
        if winner.is_blind_append:
            if files.new:
                self._skipped.append(SkippedAppend(winner.version, files.new))
            return None
        if not files.changes_rows:
            return None
        for append in self._appends_read_by(winner):
            if self.selects(attempt, append.new):
                return ConcurrentAppendError(attempt.table, winner.version, winner.operation, attempt.advice)
            # The answer stays the same for every later reader.
            self._skipped.remove(append)
        return None

    def _ignores_appends(self, attempt: Attempt) -> bool:
        """Whether the transaction may go before blind appends whose rows it would have read."""
        lenient = attempt.level is IsolationLevel.WRITE_SERIALIZABLE and not attempt.writes.metadata
        return self._strict and lenient and not attempt.is_blind_append

    def _appends_read_by(self, winner: Winner) -> list[SkippedAppend]:
        """The ignored appends that were there when the winner's writer read the table."""
        # A writer that does not say what it has read may have read all that was there.
        read = winner.version - 1 if winner.read_version is None else winner.read_version
        return [append for append in self._skipped if append.version <= read]
