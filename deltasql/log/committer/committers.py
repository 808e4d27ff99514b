"""Arbitration of commits to one version: by the file system, or by the catalog that manages the table."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol as Interface

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.log import AmbiguousWriteError, StorageError
from deltasql.log.committer.catalog_commits import CommitCatalog, StagedCommit, TableCommits, publish
from deltasql.log.storage.locations import commit_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.probe import require_one_winner


class Committer(Interface):
    """Makes commits into versions, one writer per version."""

    def commit(self, version: int, data: bytes) -> bool:
        """True if `data` is now the commit of `version`, False if another commit is.

        Raises AmbiguousWriteError if that is unknown, StorageError or UnsafeStoreError if nothing was written.
        """

    def publish(self, version: int, data: bytes | None) -> bool:
        """Whether the version, which is committed, is in the log for every reader; `data` is its content if known."""


class FileSystemCommitter:
    """Commits by put-if-absent of `<version>.json`; a shared store is probed first for that guarantee."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def commit(self, version: int, data: bytes) -> bool:
        if self._store.probed and self._store.shared is not None:
            require_one_winner(self._store)
        return self._store.put_if_absent(commit_path(version), data)

    def publish(self, version: int, data: bytes | None) -> bool:
        """A commit in the file system is published as such."""
        return True


class AdoptingCommitter(FileSystemCommitter):
    """Commits the version that puts a table under a catalog: in the file system, which arbitrates up to then."""

    def __init__(self, store: LogStore, catalog: CommitCatalog, location: str) -> None:
        super().__init__(store)
        self._catalog, self._location = catalog, location

    def commit(self, version: int, data: bytes) -> bool:
        while True:
            known = self._catalog.find(self._location)
            # Another writer may have been first, and the state be that of the versions after it.
            if self._store.exists(commit_path(version)):
                return False
            if self._catalog.adopt(self._location, known):
                return super().commit(version, data)

    def publish(self, version: int, data: bytes | None) -> bool:
        with suppress(DeltaSqlError):
            # Else the next who opens the table does it.
            self._catalog.settle(self._location, version)
        return True


class CatalogCommitter:
    """Commits to a table that a catalog manages; with `leaves`, a commit after which it no longer does."""

    def __init__(self, store: LogStore, catalog: CommitCatalog, location: str, *, leaves: bool = False) -> None:
        self.store, self.catalog, self.location = store, catalog, location
        self._leaves = leaves

    def commit(self, version: int, data: bytes) -> bool:
        staged = self.stage(version, data)
        return not ratified(self.catalog, {staged: self.store}, {})

    def stage(self, version: int, data: bytes) -> StagedCommit:
        """Writes a commit for the catalog to ratify. Raises StorageError."""
        staged = StagedCommit(self.location, version, f"{version:020d}.{uuid.uuid4()}.json", data)
        self.store.put_if_absent(staged.path, data)
        return staged

    def publish(self, version: int, data: bytes | None) -> bool:
        with suppress(DeltaSqlError):
            known = self.catalog.find(self.location) or TableCommits()
            given = {} if data is None else {version: data}
            if version in known.unpublished and version not in publish(
                self.catalog, self.store, self.location, known, given
            ):
                return False
            if self._leaves:
                self.catalog.forget(self.location)
            return True
        return False


def ratified(
    catalog: CommitCatalog, commits: Mapping[StagedCommit, LogStore], unchanged: Mapping[str, int]
) -> Sequence[str]:
    """Has the catalog ratify all commits at once; empty if it has, else the locations that prevent it.

    Staged files of commits that are not ratified are deleted. Raises AmbiguousWriteError where the catalog does not
    say whether it has ratified them.
    """
    try:
        lost = catalog.ratify(tuple(commits), unchanged)
    except DeltaSqlError as error:
        lost = _after_lost_answer(catalog, commits, error)
    if lost:
        _delete(commits)
    return sorted(lost)


def _after_lost_answer(
    catalog: CommitCatalog, commits: Mapping[StagedCommit, LogStore], doubt: DeltaSqlError
) -> Sequence[str]:
    """The result of a ratification whose answer was lost: all commits are ratified, or none is."""
    staged, store = next(iter(commits.items()))
    try:
        known = catalog.find(staged.location)
    except DeltaSqlError:
        raise AmbiguousWriteError(store.url(staged.path), str(doubt)) from doubt
    if known is not None and known.unpublished.get(staged.version) == staged.file:
        return ()
    if known is not None and known.latest is not None and known.latest < staged.version:
        _delete(commits)
        raise doubt
    # Others have gone on meanwhile: the log says whose version it is.
    raise AmbiguousWriteError(store.url(staged.path), str(doubt)) from doubt


def _delete(commits: Mapping[StagedCommit, LogStore]) -> None:
    """Deletes staged files that will never be ratified; the clean-up of the log deletes those that stay."""
    for staged, store in commits.items():
        with suppress(StorageError):
            store.delete([staged.path])
