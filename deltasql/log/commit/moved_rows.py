"""Rows of data files that a transaction depends on, and where other commits put them before its own.

A row is known by its file and its position there. Commits that change no row move rows to other files all the same;
a transaction follows them there: by a map of their order that our own compaction leaves, by row ids, or by taking the
move back. Source: Delta protocol, Deletion Vectors and Row Tracking.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.errors.log import InvalidDeletionVectorError
from deltasql.log.actions.actions import Action, AddFile, Json
from deltasql.log.actions.deletion_vectors import rows_by_id, rows_marked_in
from deltasql.log.actions.file_changes import FileChanges
from deltasql.log.actions.record_count import record_count
from deltasql.log.actions.vector_writer import MarkedFile, Marking, loose_statistics, mark_rows
from deltasql.log.storage.paths import canonical

if TYPE_CHECKING:
    import numpy as np

    from deltasql.log.storage.store import LogStore

SOURCE_TAG = "deltasql.src"
"""Tag of a file whose rows are those of others in order: `[[path, deletion vector's id or null, live rows], …]`."""

Places = Mapping[str, "Sequence[tuple[str, int]]"]
"""Where the rows of moved files are now: by file, in the order in which they were given, the new file and position."""


class Follower(Protocol):
    """Finds rows in data files; only the engine can look into these."""

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> Places | None:
        """Where rows of `moved` are in `outputs`, by their row ids; None where the table does not track rows, or where
        some row is not found exactly once."""

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """Files as the statement read them, by canonical path, where it did. `paths` are as in the log."""

    def count_rows(self, add: AddFile) -> int:
        """All rows of a file, deleted ones too, for one whose statistics do not tell."""


@dataclass(slots=True)
class _Rearranged:
    """A move of rows that has to be taken back: the files that went, as they were, and those that came."""

    inputs: dict[str, AddFile]
    outputs: dict[str, AddFile]


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
    _rearranged: list[_Rearranged] = field(default_factory=list)

    def positions(self, path: str) -> np.ndarray[Any, Any]:
        """All positions in one file, sorted."""
        import numpy as np

        parts = [kind[path].rows for kind in (self.marked, self.seen) if path in kind]
        if len(parts) == 1:
            return parts[0]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)

    def restate(self, path: str, add: Json) -> None:
        """Takes over what a winner says of a file that stayed."""
        for kind in (self.marked, self.seen):
            if path in kind:
                kind[path] = replace(kind[path], add=AddFile.from_json(add))
                self._forget_marking(kind)

    def actions(self) -> tuple[Action, ...]:
        """Removes and adds that mark the rows, on top of the winners so far; writes the vectors where they changed."""
        if self.marking is None:
            self.marking = mark_rows(self.store, list(self.marked.values()), int(time.time() * 1000))
        return self.marking.actions

    def move(self, files: FileChanges, orders_rows: bool) -> bool:
        """Follows rows whose files have gone without them. False if that is not possible.

        `orders_rows` says that the winner was asked to put the rows into another order: it is not taken back.
        """
        moved = {
            path: files.moved[path] for path in files.moved if any(path in kind for kind in (self.marked, self.seen))
        }
        if not moved or any(path in move.outputs for move in self._rearranged for path in files.outputs):
            # Nothing to follow, or the files come back once those moves are taken back to which this one was added.
            return True
        outputs = {path: AddFile.from_json(add) for path, add in files.outputs.items()}
        kinds = (self.marked, self.seen)
        found = [self._places({path: kind[path] for path in moved if path in kind}, outputs) for kind in kinds]
        if any(places is None for places in found):
            if orders_rows or files.changes_rows:
                return False
            inputs = self._as_before(files.moved)
            if inputs is None:
                return False
            self._rearranged.append(_Rearranged(inputs, outputs))
            return True
        for kind, places in zip(kinds, found, strict=True):
            if places:
                self._replace(kind, places, outputs)
        return True

    def follow(self, files: FileChanges) -> bool:
        """Takes note of what a winner did to files whose move is to be taken back. False if that cannot be any more."""
        known = {path for move in self._rearranged for path in move.outputs}
        if any(path in known for path in (*files.restated, *files.removed)):
            return False
        met = [move for move in self._rearranged if any(path in move.outputs for path in files.moved)]
        if not met:
            return True
        outputs = {path: AddFile.from_json(add) for path, add in files.outputs.items()}
        self._rearranged = [move for move in self._rearranged if move not in met]
        before = {path: add for move in met for path, add in move.inputs.items()}
        if all(_same_vector(outputs.get(path), add) for path, add in before.items()):
            # Somebody else has taken them back already.
            return True
        others = self._as_before({path: files.moved[path] for path in files.moved if path not in known})
        if others is None:
            return False
        # Moved once more, maybe together with the files of other moves: one move from first to last.
        stay = {path: add for move in met for path, add in move.outputs.items() if path not in files.moved}
        self._rearranged.append(_Rearranged(before | others, stay | outputs))
        return True

    def undo(self) -> tuple[Action, ...]:
        """The actions that take all those moves back; they must be committed before the transaction's own."""
        now = int(time.time() * 1000)
        removes = [add.remove(now, data_change=False) for move in self._rearranged for add in move.outputs.values()]
        return (*removes, *(add for move in self._rearranged for add in move.inputs.values()))

    def undone(self) -> None:
        """Takes note that all moves have been taken back."""
        self._rearranged.clear()

    def _places(self, rows: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> Places | None:
        """Where rows are now, by order where the outputs have the map, else by row id."""
        by_order = {
            path: places_by_order(self.store, self.root, path, item.rows, outputs) for path, item in rows.items()
        }
        rest = {path: rows[path] for path, places in by_order.items() if places is None}
        found = {path: places for path, places in by_order.items() if places is not None}
        if not rest:
            return found
        by_id = self.follower.follow(rest, outputs)
        return None if by_id is None else {**found, **by_id}

    def _as_before(self, removes: Mapping[str, Json]) -> dict[str, AddFile] | None:
        """Files that have left the table, as they were; None where one of them, or its vector, is gone for good."""
        adds = {}
        read = self.follower.as_read([remove["path"] for remove in removes.values()])
        for path, remove in removes.items():
            try:
                modified = self.store.head(path).modified
                rows_marked_in(self.store, remove)
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
        return replace(add, stats=loose_statistics(add.stats, self._count(add)))

    def _replace(self, kind: dict[str, MarkedFile], places: Places, outputs: Mapping[str, AddFile]) -> None:
        import numpy as np

        found: dict[str, list[int]] = {}
        for path, new in places.items():
            del kind[path]
            for output, position in new:
                found.setdefault(output, []).append(position)
        for output, positions in found.items():
            old = kind[output].rows if output in kind else np.empty(0, np.uint64)
            rows = np.union1d(old, np.array(positions, np.uint64))
            kind[output] = MarkedFile(outputs[output], rows, self._count(outputs[output]))
        self._forget_marking(kind)

    def _count(self, add: AddFile) -> int:
        count = record_count(add.stats)
        return self.follower.count_rows(add) if count is None else count

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


def places_by_order(
    store: LogStore, root: str, path: str, rows: np.ndarray[Any, Any], outputs: Mapping[str, AddFile]
) -> list[tuple[str, int]] | None:
    """Where live rows of a file are now, by the map of their order in one of the outputs; None where none tells."""
    for output, add in outputs.items():
        start = 0
        for source, vector, live in _order_map(add):
            if canonical(source, root) == path:
                places = _live_places(store, vector, rows)
                return None if places is None else [(output, start + int(place)) for place in places]
            start += live
    return None


def _order_map(add: AddFile) -> list[tuple[str, str | None, int]]:
    """The files whose live rows `add` holds, one after another, with the id of the vector that they had; or nothing."""
    text = (add.tags or {}).get(SOURCE_TAG)
    return [] if text is None else json.loads(text)


def _live_places(store: LogStore, vector: str | None, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """How many live rows stand before each of some live rows of a file whose vector has this id; None: not known."""
    import numpy as np

    if vector is None:
        return rows.astype(np.int64)
    deleted = rows_by_id(store, vector)
    return None if deleted is None else rows.astype(np.int64) - np.searchsorted(deleted, rows)


def _same_vector(add: AddFile | None, old: AddFile) -> bool:
    return add is not None and add.deletion_vector == old.deletion_vector
