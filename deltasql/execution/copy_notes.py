"""The record of files loaded by COPY INTO, written with the commit of their rows and rebased onto concurrent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deltasql.engines.door import Stage
from deltasql.errors.concurrency import DuplicateLoadError
from deltasql.log.actions.actions import SetTransaction
from deltasql.log.actions.commit_file import CommitFile
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
from deltasql.planner.changes import CopyLoad, RowChange


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
