"""Arbitration of commits to one version: by the file system so far; a catalog could be another arbiter."""

from __future__ import annotations

from typing import Protocol as Interface

from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.paths import commit_path
from deltasql.log.storage.probe import require_one_winner


class Committer(Interface):
    """Makes commits into versions, one writer per version."""

    def commit(self, version: int, data: bytes) -> bool:
        """True if `data` is now the commit of `version`, False if another commit is.

        Raises AmbiguousWriteError if that is unknown, StorageError or UnsafeStoreError if nothing was written.
        """


class FileSystemCommitter:
    """Commits by put-if-absent of `<version>.json`; a shared store is probed first for that guarantee."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def commit(self, version: int, data: bytes) -> bool:
        if self._store.probed and self._store.shared is not None:
            require_one_winner(self._store)
        return self._store.put_if_absent(commit_path(version), data)
