"""Row-level concurrency: two writers that touch different rows of one file can both commit.

The rows that a transaction takes out of files stay marked in deletion vectors until its commit. What a winner did to
the same files is told apart row by row: other rows are no conflict, the vectors are united, and moved rows are
followed. Rows that a winner has added are asked whether the statement would have acted on them.
Source: Databricks documentation, Isolation levels and write conflicts; Delta protocol, Deletion Vectors.

OPTIMIZE and REORG that lost a race: what others did to the old files is carried over to the new ones, bin by bin.

A bin whose files others have taken away is given up; the other bins are committed all the same.
Source: Databricks documentation, Isolation levels and write conflicts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from deltasql.base.errors.base import counted
from deltasql.base.errors.concurrency import (
    AppendBudgetError,
    ConcurrentDeleteDeleteError,
    ConcurrentModificationError,
    PartitionDeleteDeleteError,
    RowAppendError,
    RowDeleteReadError,
)
from deltasql.base.lazy import np
from deltasql.log.actions import operations
from deltasql.log.actions.actions import Action, AddFile, Json
from deltasql.log.actions.commit_file import FileChanges
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking, loose_statistics, rows_marked_in, write_vectors
from deltasql.log.commit.conflict import Attempt, Winner, file_conflict, partition_text
from deltasql.log.commit.moved_rows import Follower, TouchedRows, row_indexes_by_order
from deltasql.log.commit.rebase import Rebase
from deltasql.log.storage.log_store import LogStore

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


@dataclass(slots=True)
class Bin:
    """Old files, by canonical path, whose live rows are those of the new files; rows that others have deleted since."""

    inputs: dict[str, AddFile]
    outputs: dict[str, AddFile]
    deleted: dict[str, set[int]] = field(default_factory=dict)


class BinRebase(Rebase):
    """The file actions of OPTIMIZE or REORG: bins that winners have made impossible are given up, others committed.

    Without `by_rows` the rules of files hold, as in a table without deletion vectors.

    `needs_all` says that a bin cannot be given up: ZORDER BY is all or nothing. `describe` gives the metrics of the
    bins that are left and of their new files.
    """

    def __init__(
        self,
        bins: Sequence[Bin],
        store: LogStore,
        root: str,
        follower: Follower,
        by_rows: bool,
        needs_all: bool,
        describe: Callable[[Sequence[Bin], Sequence[AddFile]], Mapping[str, object]],
    ) -> None:
        super().__init__(strict=False)
        self.bins, self._store, self._root = list(bins), store, root
        self._follower, self._describe = follower, describe
        self._by_rows, self._needs_all = by_rows, needs_all
        self._vector_file: str | None = None
        self.adds: Sequence[AddFile] = [add for item in bins for add in item.outputs.values()]

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> ConcurrentModificationError | None:
        if not self._by_rows:
            return file_conflict(attempt, winner)
        left = [item for item in self.bins if self._carried_over(item, files)]
        if len(left) < len(self.bins) and self._needs_all:
            return moved_apart(attempt, winner, [*files.restated, *files.removed, *files.moved])
        self.bins = left
        return None

    def actions(self) -> Sequence[Action]:
        now = int(time.time() * 1000)
        self.discard()
        self.adds = self._successors()
        inputs = (add for item in self.bins for add in item.inputs.values())
        return [*(add.remove(now, data_change=False) for add in inputs), *self.adds]

    @property
    def is_void(self) -> bool:
        return not self.bins

    @property
    def metrics(self) -> Mapping[str, object]:
        return self._describe(self.bins, self.adds)

    def discard(self) -> None:
        if self._vector_file is not None:
            self._store.delete([self._vector_file])
            self._vector_file = None

    def _carried_over(self, item: Bin, files: FileChanges) -> bool:
        """Carries a winner's deletions over to a bin; False where it must be given up."""
        if any(path in item.inputs for kind in (files.removed, files.moved) for path in kind):
            return False
        touched = {path: pair for path, pair in files.restated.items() if path in item.inputs}
        return all(self._deletions(item, path, *pair) for path, pair in touched.items())

    def _deletions(self, item: Bin, path: str, before: Json, after: Json) -> bool:
        old, new = (rows_marked_in(self._store, action) for action in (before, after))
        if len(np.setdiff1d(old, new)):
            # Rows came back that the new files do not hold.
            return False
        rows = np.setdiff1d(new, old)
        positions = self._new_positions(item, path, rows) if len(rows) else []
        if positions is None:
            return False
        for output, position in positions:
            item.deleted.setdefault(output, set()).add(position)
        item.inputs[path] = AddFile.from_json(after)
        return True

    def _new_positions(self, item: Bin, path: str, rows: np.ndarray[Any, Any]) -> Sequence[tuple[str, int]] | None:
        """Where rows of an old file are in the new ones: by their order, or by their ids."""
        positions = row_indexes_by_order(self._store, self._root, path, rows, item.outputs)
        if positions is not None:
            return positions
        followed = self._follower.follow({path: MarkedFile(item.inputs[path], rows, 0)}, item.outputs)
        return None if followed is None else followed[path]

    def _successors(self) -> list[AddFile]:
        """The new files, with vectors for what others have deleted; one without a live row is left out."""
        deleted = {
            output: np.array(sorted(rows), np.uint64) for item in self.bins for output, rows in item.deleted.items()
        }
        counts = {output: self._follower.count_rows(self._output(output)) for output in deleted}
        remaining = {output: rows for output, rows in deleted.items() if len(rows) < counts[output]}
        vectors, self._vector_file = write_vectors(self._store, remaining)
        adds = []
        for item in self.bins:
            for output, add in item.outputs.items():
                if output in vectors:
                    stats = loose_statistics(add.stats, counts[output])
                    adds.append(replace(add, stats=stats, deletion_vector=vectors[output]))
                elif output not in deleted:
                    adds.append(add)
        return adds

    def _output(self, path: str) -> AddFile:
        return next(item.outputs[path] for item in self.bins if path in item.outputs)
