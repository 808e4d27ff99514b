"""Operation metrics of a rewrite, under Delta's names.

The record of files loaded by COPY INTO, written with the commit of their rows and rebased onto concurrent ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deltasql.base.errors.concurrency import DuplicateLoadError
from deltasql.log.actions.actions import AddFile, Outcome, SetTransaction
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import Marking
from deltasql.log.reading.copy_log import (
    COPY_INTO,
    LoadedFiles,
    encoded,
    newest_part,
    part_path,
    read_parts,
    transaction,
)
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.source_files import ListedFile
from deltasql.plan.operators import Rewrite, RowEffect, RowKind
from deltasql.planner.changes import CopyLoad, RowChange
from deltasql.planner.door import RewriteOutcome, Stage


def removed_metrics(removes: Sequence[AddFile]) -> dict[str, int]:
    """Metrics of removed files: their number and total bytes."""
    return {"numRemovedFiles": len(removes), "numRemovedBytes": sum(item.size for item in removes)}


def rewrite_metrics(
    outcome: Outcome, done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    """Operation metrics of a rewrite, by `outcome`; `removes` are the files removed from the table."""
    if outcome is Outcome.INSERT:
        written = {"numFiles": len(done.staged.files), "numOutputRows": done.staged.rows}
        deleted = {"numDeletedRows": done.rows(operator.actions, RowEffect.DELETE), "numCopiedRows": done.copied}
        changes = {"numAddedChangeFiles": len(done.staged.changes)}
        return {**written, "numOutputBytes": done.staged.size, **removed_metrics(removes), **changes, **deleted}
    if operator.source is None:
        return _dml_metrics(done, operator, removes, marking)
    return _merge_metrics(done, operator, removes, marking)


def _vector_metrics(prefix: str, marking: Marking) -> dict[str, int]:
    return {
        f"{prefix}DeletionVectorsAdded": marking.added + marking.replaced,
        f"{prefix}DeletionVectorsRemoved": marking.replaced + marking.removed_vectors,
        f"{prefix}DeletionVectorsUpdated": marking.replaced,
    }


def _dml_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    effect = operator.actions[0].effect
    name = "numUpdatedRows" if effect is RowEffect.UPDATE else "numDeletedRows"
    return {
        "numAddedFiles": len(done.staged.files),
        "numRemovedFiles": len(removes),
        "numAddedBytes": done.staged.size,
        "numRemovedBytes": sum(item.size for item in removes),
        "numAddedChangeFiles": len(done.staged.changes),
        **_vector_metrics("num", marking),
        name: done.counts[0],
        "numCopiedRows": done.copied,
    }


def _merge_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    def rows(effect: RowEffect, kind: RowKind | None = None) -> int:
        return done.rows(operator.actions, effect, kind)

    return {
        "numSourceRows": done.source_rows,
        "numTargetRowsInserted": rows(RowEffect.INSERT),
        "numTargetRowsUpdated": rows(RowEffect.UPDATE),
        "numTargetRowsMatchedUpdated": rows(RowEffect.UPDATE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceUpdated": rows(RowEffect.UPDATE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsDeleted": rows(RowEffect.DELETE),
        "numTargetRowsMatchedDeleted": rows(RowEffect.DELETE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceDeleted": rows(RowEffect.DELETE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsCopied": done.copied,
        "numOutputRows": done.staged.rows,
        "numTargetFilesAdded": len(done.staged.files),
        "numTargetFilesRemoved": len(removes),
        "numTargetBytesAdded": done.staged.size,
        "numTargetBytesRemoved": sum(item.size for item in removes),
        "numTargetChangeFilesAdded": len(done.staged.changes),
        **_vector_metrics("numTarget", marking),
    }


class CopyNotes:
    """The load record of one COPY INTO, staged with its files; it takes effect by `action` in the commit."""

    def __init__(self, change: RowChange, load: CopyLoad, stage: Stage) -> None:
        """Writes the load record. Raises StorageError."""
        snapshot = change.commit.snapshot
        assert snapshot is not None
        self._snapshot, self._load, self._stage = snapshot, load, stage
        self._store = change.commit.log.store
        self._part_path: str | None = None
        self.action = self._put(newest_part(snapshot), load)

    def on_top(self, winner: CommitFile) -> SetTransaction:
        """The action of a new load record on top of that of `winner`, a concurrent COPY INTO.

        Raises DuplicateLoadError if that has loaded one of the same files, CopyStateError, StorageError.
        """
        newest = winner.transactions[COPY_INTO].version
        loaded = read_parts(self._store, self._snapshot.table, self._snapshot.metadata.id, newest)
        paths = loaded.paths
        left = tuple(file for file in self._load.new if file.path not in paths)
        both = len(self._load.new) - len(left)
        if both and not self._load.forced:
            operation = "Another statement" if winner.info is None else winner.info.operation
            raise DuplicateLoadError(self._snapshot.table, winner.version, operation, files=both)
        if self._part_path is not None:
            # No commit has referred to it.
            self._store.delete([self._part_path])
            self._part_path = None
        self.action = self._put(newest, replace(self._load, new=left, loaded=loaded))
        return self.action

    def _put(self, newest: int, load: CopyLoad) -> SetTransaction:
        if not load.new:
            return transaction(newest)
        action, path = put_part(self._store, self._snapshot.metadata.id, newest, load.loaded, load.new)
        self._stage.also(path)
        self._part_path = path
        return action


def put_part(
    store: LogStore, table_id: str, newest: int, loaded: LoadedFiles, files: Sequence[ListedFile]
) -> tuple[SetTransaction, str]:
    """Writes a part that adds `files` to `loaded`; returns the txn action that makes it valid, and its path.

    `newest` is the number of the newest valid part. A higher number that exists is of a writer that has not committed,
    or never will: such a part never becomes valid, and clean-up of the log removes it.
    Raises StorageError.
    """
    number = newest + 1
    while not store.put_if_absent(part_path(number), encoded(loaded.with_files(files, number), table_id)):
        number += 1
    return transaction(number), part_path(number)
