"""Row-level concurrency: two transactions that touch different rows of one file can both commit.

The rows that a transaction removes from files stay marked in deletion vectors until its commit. The changes of a winner
to these files are compared row by row: other rows are no conflict, the vectors are united, and moved rows are followed.
For rows that a winner has added, the engine evaluates whether the statement would have changed them.

A row is identified by its file and its row index. Commits that change no row may move rows to other files; a
transaction follows them by the map of their order that deltasql's compaction writes, by row ids, or by taking the move
back. OPTIMIZE and REORG that lost a race apply the winners' changes to the new files, bin by bin. A bin is given up if
others have removed its files; the other bins are committed nevertheless.
Source: Databricks documentation, Isolation levels and write conflicts; Delta protocol, Deletion Vectors and Row
Tracking.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from deltasql.base import counted, errors, np
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, Json, record_count
from deltasql.log.actions.commit_file import FileChanges
from deltasql.log.actions.deletion_vectors import (
    MarkedFile,
    Marking,
    loose_statistics,
    mark_rows,
    rows_by_id,
    rows_marked_in,
    write_vectors,
)
from deltasql.log.commit.conflict import Attempt, Rebase, Winner, file_conflict, partition_text
from deltasql.log.storage.listing import canonical
from deltasql.log.storage.log_store import LogStore

SOURCE_TAG = "deltasql.src"
"""Tag of a file whose rows are those of others in order: `[[path, deletion vector's id or null, live rows], …]`."""

NewPositions = Mapping[str, "Sequence[tuple[str, int]]"]
"""Where the rows of moved files are now: by file, in the order in which they were given, the new file and position."""


class Follower(Protocol):
    """Finds rows in data files; only the engine can look into these."""

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        """Where rows of `moved` are in `outputs`, by their row ids; None where the table does not track rows, or where
        some row is not found exactly once."""

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """The add actions of those files that the statement has read, by canonical path. `paths` are as in the log."""

    def count_rows(self, add: AddFile) -> int:
        """All rows of a file, deleted ones too, for one whose statistics do not tell."""


@dataclass(frozen=True, slots=True)
class RowMove:
    """Files that another commit took out of the table, as they were before, and those that have their rows since."""

    inputs: Mapping[str, AddFile]
    outputs: Mapping[str, AddFile]

    def loses(self, files: FileChanges) -> bool:
        """Whether a later commit changed or deleted rows in the outputs, so that the inputs are no longer the same."""
        return not self.outputs.keys().isdisjoint((*files.restated, *files.removed))

    def is_moved_on(self, files: FileChanges) -> bool:
        """Whether a later commit moved rows out of the outputs."""
        return not self.outputs.keys().isdisjoint(files.moved)


class MovesToUndo:
    """Moves of rows that a transaction could not follow, and takes back in a commit just before its own."""

    def __init__(self, store: LogStore, follower: Follower) -> None:
        self._store, self._follower = store, follower
        self._moves: list[RowMove] = []

    def add(self, removes: Mapping[str, Json], outputs: Mapping[str, AddFile]) -> bool:
        """Adds a move from the files that `removes` took out to `outputs`; False if a file is gone for good."""
        inputs = self._as_before(removes)
        if inputs is not None:
            self._moves.append(RowMove(inputs, outputs))
        return inputs is not None

    def includes(self, paths: Iterable[str]) -> bool:
        """Whether one of the files goes once the moves are taken back."""
        return not _outputs(self._moves).isdisjoint(paths)

    def rebase(self, files: FileChanges) -> bool:
        """Puts the moves on top of a winner. False if one of them cannot be taken back any more."""
        if any(move.loses(files) for move in self._moves):
            return False
        continued = [move for move in self._moves if move.is_moved_on(files)]
        if not continued:
            return True
        self._moves = [move for move in self._moves if move not in continued]
        if _has_undone(continued, files):
            return True
        # Outputs that were moved on are no longer live: the outputs of the later move must go instead, and all other
        # files that it has moved must come back too.
        outputs = _outputs(continued)
        others = self._as_before({path: remove for path, remove in files.moved.items() if path not in outputs})
        if others is not None:
            self._moves.append(_joined(continued, others, files))
        return others is not None

    def actions(self) -> tuple[Action, ...]:
        """The actions that take all the moves back, without a change of data; none for no moves."""
        now = int(time.time() * 1000)
        removes = [add.remove(now, data_change=False) for move in self._moves for add in move.outputs.values()]
        return (*removes, *(add for move in self._moves for add in move.inputs.values()))

    def clear(self) -> None:
        """Forgets the moves, once they have been taken back."""
        self._moves.clear()

    def _as_before(self, removes: Mapping[str, Json]) -> dict[str, AddFile] | None:
        """Files that have left the table, as they were; None where one of them, or its vector, is gone for good."""
        adds = {}
        read = self._follower.as_read([remove["path"] for remove in removes.values()])
        for path, remove in removes.items():
            try:
                # VACUUM may have deleted the file or its vector, and some writers' removes state too little for an add.
                modified = self._store.head(path).modified
                rows_marked_in(self._store, remove)
                add = AddFile.from_json({**remove, "modificationTime": modified, "dataChange": False})
            except (FileNotFoundError, KeyError, errors.InvalidDeletionVectorError):
                return None
            adds[path] = self._described(add, read.get(path))
        return adds

    def _described(self, add: AddFile, read: AddFile | None) -> AddFile:
        """The file with what its remove action did not say: not every writer states more there than the path."""
        if read is not None:
            add = replace(add, stats=add.stats or read.stats, clustering_provider=read.clustering_provider)
        if add.deletion_vector is None:
            return add
        # With a deletion vector the protocol demands numRecords, and bounds may be those of deleted rows.
        return replace(add, stats=loose_statistics(add.stats, row_count_of(add, self._follower)))


def _outputs(moves: Iterable[RowMove]) -> set[str]:
    return {path for move in moves for path in move.outputs}


def _has_undone(moves: Iterable[RowMove], files: FileChanges) -> bool:
    """Whether a winner has itself undone these moves: all their inputs are live again, with the same vectors."""
    outputs = added_files(files.outputs)
    return all(_same_vector(outputs.get(path), add) for move in moves for path, add in move.inputs.items())


def _joined(moves: Iterable[RowMove], others: Mapping[str, AddFile], files: FileChanges) -> RowMove:
    """One move in place of `moves` and of the one that a winner went on with, which moved rows of `others` as well."""
    inputs = {path: add for move in moves for path, add in move.inputs.items()}
    stay = {path: add for move in moves for path, add in move.outputs.items() if path not in files.moved}
    return RowMove({**inputs, **others}, {**stay, **added_files(files.outputs)})


def added_files(adds: Mapping[str, Json]) -> dict[str, AddFile]:
    """Add actions, JSON objects by canonical path, as objects of their class."""
    return {path: AddFile.from_json(add) for path, add in adds.items()}


def row_count_of(add: AddFile, follower: Follower) -> int:
    """All rows of a file, deleted ones too: from its statistics, else from the file itself."""
    count = record_count(add.stats)
    return follower.count_rows(add) if count is None else count


@dataclass(slots=True)
class TouchedRows:
    """The rows that a transaction marks as deleted, and those that it has only looked at, by canonical path.

    `root` is the table's decoded location. `marking` are the actions for `marked` as they were first.
    """

    store: LogStore
    root: str
    follower: Follower
    marked: dict[str, MarkedFile] = field(default_factory=dict)
    marking: Marking | None = None
    seen: dict[str, MarkedFile] = field(default_factory=dict)
    to_undo: MovesToUndo = field(init=False)

    def __post_init__(self) -> None:
        self.to_undo = MovesToUndo(self.store, self.follower)

    def positions(self, path: str) -> np.ndarray[Any, Any]:
        """The positions of all rows in one file that the transaction depends on, sorted."""
        parts = [kind[path].rows for kind in (self.marked, self.seen) if path in kind]
        if len(parts) == 1:
            return parts[0]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)

    def restate(self, path: str, add: Json) -> None:
        """Replaces our AddFile of `path` by the winner's: same data file, other vector, tags or row ids."""
        for kind in (self.marked, self.seen):
            if path in kind:
                kind[path] = replace(kind[path], add=AddFile.from_json(add))
                self._forget_marking(kind)

    def actions(self) -> tuple[Action, ...]:
        """The removes and adds that mark the rows on top of the winners so far. Vectors that changed are written."""
        if self.marking is None:
            self.marking = mark_rows(self.store, list(self.marked.values()), int(time.time() * 1000))
        return self.marking.actions

    def move(self, files: FileChanges, orders_rows: bool) -> bool:
        """Finds the rows that a winner put into other files, or plans to take its move back. False: neither can be.

        `orders_rows` says that the winner was asked to put the rows into another order: it is not taken back.
        """
        moved = [path for path in files.moved if path in self.marked or path in self.seen]
        if not moved or self.to_undo.includes(files.outputs):
            # Nothing to follow, or the files come back once those moves are taken back to which this one was added.
            return True
        outputs = added_files(files.outputs)
        marked, seen = (self._new_positions(kind, moved, outputs) for kind in (self.marked, self.seen))
        if marked is None or seen is None:
            # To take back a commit that also changed rows would lose these changes.
            may_be_undone = not orders_rows and not files.changes_rows
            return may_be_undone and self.to_undo.add(files.moved, outputs)
        self._replace(self.marked, marked, outputs)
        self._replace(self.seen, seen, outputs)
        return True

    def _new_positions(
        self, kind: Mapping[str, MarkedFile], moved: Iterable[str], outputs: Mapping[str, AddFile]
    ) -> NewPositions | None:
        """Where rows of moved files are now: by their order where the outputs have the map, else by row id."""
        rows = {path: kind[path] for path in moved if path in kind}
        by_order = {
            path: row_indexes_by_order(self.store, self.root, path, item.rows, outputs) for path, item in rows.items()
        }
        rest = {path: rows[path] for path, positions in by_order.items() if positions is None}
        followed = {path: positions for path, positions in by_order.items() if positions is not None}
        if not rest:
            return followed
        by_id = self.follower.follow(rest, outputs)
        return None if by_id is None else {**followed, **by_id}

    def _replace(self, kind: dict[str, MarkedFile], replacements: NewPositions, outputs: Mapping[str, AddFile]) -> None:
        """Puts `replacements` in place of the rows of the files that are gone."""
        if not replacements:
            return
        by_path: dict[str, list[int]] = {}
        for path, new in replacements.items():
            del kind[path]
            for output, position in new:
                by_path.setdefault(output, []).append(position)
        for output, positions in by_path.items():
            old = kind[output].rows if output in kind else np.empty(0, np.uint64)
            rows = np.union1d(old, np.array(positions, np.uint64))
            kind[output] = MarkedFile(outputs[output], rows, row_count_of(outputs[output], self.follower))
        self._forget_marking(kind)

    def _forget_marking(self, kind: dict[str, MarkedFile]) -> None:
        """No commit will refer to the vectors of the last try."""
        if kind is not self.marked:
            return
        if self.marking is not None and self.marking.vector_file is not None:
            self.store.delete([self.marking.vector_file])
        self.marking = None

    def discard(self) -> None:
        """Removes the vectors that no commit has come to refer to."""
        self._forget_marking(self.marked)


def row_indexes_by_order(
    store: LogStore, root: str, path: str, rows: np.ndarray[Any, Any], outputs: Mapping[str, AddFile]
) -> list[tuple[str, int]] | None:
    """Where live rows of a file are now, by the map of their order in one of the outputs; None where none tells."""
    for output, add in outputs.items():
        start = 0
        for source, vector, live in _order_map(add):
            if canonical(source, root) == path:
                ranks = _live_row_indexes(store, vector, rows)
                return None if ranks is None else [(output, start + int(rank)) for rank in ranks]
            start += live
    return None


def _order_map(add: AddFile) -> list[tuple[str, str | None, int]]:
    """The files whose live rows `add` holds, one after another, with the id of the vector that they had; or nothing."""
    text = (add.tags or {}).get(SOURCE_TAG)
    return [] if text is None else json.loads(text)


def _live_row_indexes(store: LogStore, vector: str | None, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """How many live rows stand before each of some live rows of a file whose vector has this id; None: not known."""
    if vector is None:
        return rows.astype(np.int64)
    deleted = rows_by_id(store, vector)
    # Compaction left deleted rows out, so the row index in the output is the rank among the rows that were live then.
    return None if deleted is None else rows.astype(np.int64) - np.searchsorted(deleted, rows)


def _same_vector(add: AddFile | None, old: AddFile) -> bool:
    return add is not None and add.deletion_vector == old.deletion_vector


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

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> errors.ConcurrentModificationError | None:
        if not self._touched.to_undo.rebase(files):
            return moved_apart(attempt, winner, files.moved)
        error = self.closes_circle(attempt, winner, files)
        if error is not None:
            return error
        # A change in the output of a move is a change to rows that the transaction has read in the inputs.
        extended = replace(attempt, reads=replace(attempt.reads, files=attempt.reads.files | self._followed))
        error = file_conflict(extended, _without_moves(winner, files))
        if error is not None:
            return error
        # A file that is replaced as a whole has no row indexes to carry over: rows that a winner moved out of it would
        # stay in the table, beside their new images or although they were deleted.
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

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> errors.ConcurrentModificationError | None:
        if not self._touched.to_undo.rebase(files):
            return moved_apart(attempt, winner, files.moved)
        try:
            error = self.closes_circle(attempt, winner, files)
            if error is not None:
                return error
            self._look_up(attempt, [*files.restated, *files.removed, *files.moved])
            error = self._overlap(attempt, winner, files)
            if error is None and not attempt.ignores(winner) and self.selects(attempt, files.new):
                error = errors.RowAppendError(
                    attempt.table, winner.version, winner.operation, attempt.advice, rows=_NEW
                )
        except _SpentError as spent:
            return errors.AppendBudgetError(
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
            # Each file once: `seen` is carried to successor files, and another search would give old row indexes.
            self._searched.update(unsearched)
            self._touched.seen.update(self._reader.seen(unsearched))

    def _overlap(
        self, attempt: Attempt, winner: Winner, files: FileChanges
    ) -> errors.ConcurrentModificationError | None:
        """The error for rows of this transaction that the winner has changed or deleted, or brought back."""
        store = self._touched.store
        kind = errors.RowAppendError if files.new else errors.RowDeleteReadError
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
                return errors.RowAppendError(attempt.table, winner.version, winner.operation, attempt.advice, rows=_NEW)
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


def moved_apart(attempt: Attempt, winner: Winner, paths: Iterable[str]) -> errors.ConcurrentModificationError:
    """The error for rows of the transaction that a winner has put where they are not found again."""
    values = next((values for path in paths if (values := winner.removes.get(path))), None)
    kind = errors.PartitionDeleteDeleteError if values else errors.ConcurrentDeleteDeleteError
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

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> errors.ConcurrentModificationError | None:
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
        # The new files would bring deleted rows back, or have rows twice that the winner's files have as well.
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
        # Path and deletion vector together identify a file in the log: the remove action must name the latest vector.
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
