"""OPTIMIZE and REORG that lost a race: what others did to the old files is carried over to the new ones, bin by bin.

A bin whose files others have taken away is given up; the other bins are committed all the same.
Source: Databricks documentation, Isolation levels and write conflicts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deltasql.errors.concurrency import ConcurrentModificationError
from deltasql.lazy import np
from deltasql.log.actions.actions import Action, AddFile, Json
from deltasql.log.actions.deletion_vectors import MarkedFile, loose_statistics, rows_marked_in, write_vectors
from deltasql.log.actions.file_changes import FileChanges
from deltasql.log.commit.conflict import Attempt, Winner, file_conflict
from deltasql.log.commit.moved_rows import Follower, row_indexes_by_order
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.row_rebase import moved_apart
from deltasql.log.storage.log_store import LogStore


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
