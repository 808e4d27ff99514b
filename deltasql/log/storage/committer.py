"""Who decides which commit becomes a version: the file system here, a catalog in a later one."""

from __future__ import annotations

from typing import Protocol as Interface

from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.paths import commit_path
from deltasql.log.storage.probe import require_one_winner


class Committer(Interface):
    """Makes commits into versions, one writer per version."""

    def commit(self, version: int, data: bytes) -> bool:
        """True if `data` is now the commit of `version`, False if another commit is.

        Raises AmbiguousWriteError if that is not known, StorageError or UnsafeStoreError if nothing was written.
        """


class FileSystemCommitter:
    """The first to create `<version>.json` has committed, in a store where only one can be the first."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def commit(self, version: int, data: bytes) -> bool:
        if self._store.probed and self._store.shared is not None:
            require_one_winner(self._store)
        return self._store.put_if_absent(commit_path(version), data)
