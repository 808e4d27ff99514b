"""Rows of data files that a transaction depends on, and where other commits put them before its own.

A row is known by its file and its position there. Commits that change no row move rows to other files all the same;
a transaction follows them there: by a map of their order that our own compaction leaves, by row ids, or by taking the
move back. Source: Delta protocol, Deletion Vectors and Row Tracking.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from deltasql.base.errors.log import InvalidDeletionVectorError
from deltasql.base.lazy import np
from deltasql.log.actions.actions import Action, AddFile, Json
from deltasql.log.actions.commit_file import FileChanges
from deltasql.log.actions.deletion_vectors import (
    MarkedFile,
    Marking,
    loose_statistics,
    mark_rows,
    rows_by_id,
    rows_marked_in,
)
from deltasql.log.actions.record_count import record_count
from deltasql.log.storage.locations import canonical
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
                modified = self._store.head(path).modified
                rows_marked_in(self._store, remove)
                add = AddFile.from_json({**remove, "modificationTime": modified, "dataChange": False})
            except (FileNotFoundError, KeyError, InvalidDeletionVectorError):
                return None
            adds[path] = self._described(add, read.get(path))
        return adds

    def _described(self, add: AddFile, read: AddFile | None) -> AddFile:
        """The file with what its remove action did not say: not every writer states more there than the path."""
        if read is not None:
            add = replace(add, stats=add.stats or read.stats, clustering_provider=read.clustering_provider)
        if add.deletion_vector is None:
            return add
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
    return None if deleted is None else rows.astype(np.int64) - np.searchsorted(deleted, rows)


def _same_vector(add: AddFile | None, old: AddFile) -> bool:
    return add is not None and add.deletion_vector == old.deletion_vector
