"""Row-level concurrency: two writers that touch different rows of one file can both commit.

The rows that a transaction takes out of files stay marked in deletion vectors until its commit. What a winner did to
the same files is told apart row by row: other rows are no conflict, the vectors are united, and moved rows are
followed. Rows that a winner has added are asked whether the statement would have acted on them.
Source: Databricks documentation, Isolation levels and write conflicts; Delta protocol, Deletion Vectors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from deltasql.errors.base import counted
from deltasql.errors.concurrency import (
    AppendBudgetError,
    ConcurrentDeleteDeleteError,
    ConcurrentModificationError,
    PartitionDeleteDeleteError,
    RowAppendError,
    RowDeleteReadError,
)
from deltasql.lazy import np
from deltasql.log.actions import operations
from deltasql.log.actions.actions import Action, AddFile, Json
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking, rows_marked_in
from deltasql.log.actions.file_changes import FileChanges
from deltasql.log.commit.conflict import Attempt, Winner, file_conflict, partition_text
from deltasql.log.commit.moved_rows import TouchedRows
from deltasql.log.commit.rebase import Rebase

RowPositions = Mapping[str, "np.ndarray[Any, Any]"]
Describe = Callable[[Marking], Mapping[str, object]]
"""The operation's metrics, from what it has marked."""


class RowQuestions(Protocol):
    """Questions about rows that only the engine can answer, for one statement. Paths are canonical."""

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        """The files among `adds` that may hold a row on which the statement depends, by their statistics."""

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool:
        """Whether the statement would act on a live row of these files, or depends on one being there.

        With `only` just the rows at these positions count, live or not.
        """

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        """The rows of some files which the statement has found, so that their absence would change what it does.

        Files as it read them; those that it did not read, or found nothing in, are left out.
        """


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a transaction may spend on reading files which winners have added."""

    files: int = 64
    bytes: int = 256 << 20
    seconds: float = 60.0


class FollowingRebase(Rebase):
    """The file actions of a transaction whose rows are followed: only changes of rows conflict, no mere moves.

    The rules of files hold apart from that. Source: Databricks documentation, write conflicts of tables with deletion
    vectors and without row-level concurrency.
    """

    def __init__(self, touched: TouchedRows, strict: bool = True, describe: Describe | None = None) -> None:
        super().__init__(strict)
        self._touched, self._describe = touched, describe
        # Files that hold rows which were read elsewhere.
        self._followed: set[str] = set()

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        if not self._touched.to_undo.rebase(files):
            return moved_apart(attempt, winner, files.moved)
        error = self.closes_circle(attempt, winner, files)
        if error is not None:
            return error
        extended = replace(attempt, reads=replace(attempt.reads, files=attempt.reads.files | self._followed))
        error = file_conflict(extended, _without_moves(winner, files))
        if error is not None:
            return error
        rewritten = attempt.removes - self._touched.marked.keys()
        if not rewritten.isdisjoint(files.moved) or not self._touched.move(files, winner.orders_rows):
            return moved_apart(attempt, winner, files.moved)
        if not extended.reads.files.isdisjoint(files.moved):
            self._followed |= files.outputs.keys()
        return None

    def actions(self) -> Sequence[Action]:
        return self._touched.actions()

    @property
    def metrics(self) -> Mapping[str, object] | None:
        """The operation's metrics after the rebase, as vectors were united with those of winners."""
        marking = self._touched.marking
        return None if self._describe is None or marking is None else self._describe(marking)

    def preceding_actions(self) -> Sequence[Action]:
        """The actions that take back moves of rows which could not be followed: files come back as they were before."""
        return self._touched.to_undo.actions()

    def confirm_preceding(self) -> None:
        self._touched.to_undo.clear()

    def discard(self) -> None:
        self._touched.discard()


def _without_moves(winner: Winner, files: FileChanges) -> Winner:
    """The winner as if it had moved no row: only files whose rows it added, changed or deleted."""
    changed = {path: values for path, values in winner.adds.items() if path in files.new or path in files.restated}
    gone = {path: values for path, values in winner.removes.items() if path not in files.moved}
    return replace(winner, adds=changed, removes=gone)


class RowRebase(FollowingRebase):
    """The file actions of a transaction whose conflicts are decided row by row."""

    def __init__(
        self,
        touched: TouchedRows,
        reader: RowQuestions,
        budget: Budget,
        strict: bool = True,
        describe: Describe | None = None,
    ) -> None:
        super().__init__(touched, strict, describe)
        self._reader, self._budget = reader, budget
        self._searched: set[str] = set()
        self._candidates: dict[str, AddFile] = {}
        self._files = self._bytes = 0
        self._seconds = 0.0

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        if not self._touched.to_undo.rebase(files):
            return moved_apart(attempt, winner, files.moved)
        try:
            error = self.closes_circle(attempt, winner, files)
            if error is not None:
                return error
            self._look_up(attempt, [*files.restated, *files.removed, *files.moved])
            error = self._overlap(attempt, winner, files)
            if error is None and not attempt.ignores(winner) and self.selects(attempt, files.new):
                error = RowAppendError(attempt.table, winner.version, winner.operation, attempt.advice, rows=_NEW)
        except _SpentError as spent:
            return AppendBudgetError(
                attempt.table, winner.version, winner.operation, attempt.advice, reason=spent.args[0]
            )
        if error is not None:
            return error
        for path, (_, add) in files.restated.items():
            self._touched.restate(path, add)
        for path, add in files.outputs.items():
            # A file that is only stated once more, such as with row ids.
            self._touched.restate(path, add)
        if not self._touched.move(files, winner.orders_rows):
            return moved_apart(attempt, winner, files.moved)
        return None

    def expect(self, changes: Sequence[FileChanges]) -> None:
        # One look at the statistics of a thousand winners takes as long as at those of one.
        adds = [AddFile.from_json(add) for files in changes for add in files.new.values()]
        self._candidates |= {add.path: add for add in self._reader.candidates(adds)}

    def selects(self, attempt: Attempt, new: Mapping[str, Json]) -> bool:
        adds = [self._candidates[add["path"]] for add in new.values() if add["path"] in self._candidates]
        return bool(adds) and self._within_budget(adds, None)

    def _look_up(self, attempt: Attempt, paths: Collection[str]) -> None:
        """Finds the rows that were only looked at in files which the statement has read and others have touched."""
        unsearched = [path for path in paths if path in attempt.reads.files and path not in self._searched]
        if unsearched:
            self._searched.update(unsearched)
            self._touched.seen.update(self._reader.seen(unsearched))

    def _overlap(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        """The error for rows of this transaction that the winner has changed or deleted, or brought back."""
        store = self._touched.store
        kind = RowAppendError if files.new else RowDeleteReadError
        for path in files.removed:
            met = self._touched.positions(path)
            if len(met):
                return kind(attempt.table, winner.version, winner.operation, attempt.advice, rows=_named(path, met))
        for path, (before, after) in files.restated.items():
            positions = self._touched.positions(path)
            if not len(positions) and winner.operation != operations.RESTORE.name and _grows(before, after):
                continue
            old, new = (rows_marked_in(store, item) for item in (before, after))
            # Vectors have no position twice; to make sure of that took half of the time of a commit.
            met = np.intersect1d(positions, np.setdiff1d(new, old, assume_unique=True), assume_unique=True)
            if len(met):
                return kind(attempt.table, winner.version, winner.operation, attempt.advice, rows=_named(path, met))
            back = np.setdiff1d(old, new, assume_unique=True)
            if len(back) and self._within_budget([AddFile.from_json(after)], {path: back}):
                return RowAppendError(attempt.table, winner.version, winner.operation, attempt.advice, rows=_NEW)
        return None

    def _within_budget(self, adds: Sequence[AddFile], only: RowPositions | None) -> bool:
        """Whether the statement selects a row of these files. Raises _SpentError if that is too much to ask."""
        budget = self._budget
        self._files += len(adds)
        self._bytes += sum(add.size for add in adds)
        if self._files > budget.files:
            raise _SpentError(f"more than {budget.files} files have to be looked at")
        if self._bytes > budget.bytes:
            raise _SpentError(f"more than {budget.bytes} bytes have to be looked at")
        if self._seconds > budget.seconds:
            raise _SpentError(f"it has taken {budget.seconds:g} seconds so far")
        started = time.monotonic()
        selected = self._reader.selects(adds, only)
        self._seconds += time.monotonic() - started
        return selected


class _SpentError(Exception):
    """Never leaves this module."""


_NEW = "new rows fulfil its condition"
_MOST_NAMED = 3
_UNFOLLOWED = (
    "Where rows are tracked, they are found again wherever others move them: "
    "ALTER TABLE … SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')."
)


def moved_apart(attempt: Attempt, winner: Winner, paths: Iterable[str]) -> ConcurrentModificationError:
    """The error for rows of the transaction that a winner has put where they are not found again."""
    values = next((values for path in paths if (values := winner.removes.get(path))), None)
    kind = PartitionDeleteDeleteError if values else ConcurrentDeleteDeleteError
    return kind(attempt.table, winner.version, winner.operation, _UNFOLLOWED, partition_text(values) if values else "")


def _named(path: str, rows: np.ndarray[Any, Any]) -> str:
    count = counted(len(rows), "rows")
    first = ", ".join(map(str, rows[:_MOST_NAMED].tolist()))
    return f"{count} of {path} (position {first}{', …' if len(rows) > _MOST_NAMED else ''})"


def _grows(before: Json, after: Json) -> bool:
    """Whether a vector has more rows than before. Only RESTORE, which may go to another branch of the history, takes
    out some rows at that and brings others back."""
    old, new = (action.get("deletionVector") or {} for action in (before, after))
    return bool(new.get("cardinality", 0) > old.get("cardinality", 0))
