"""Arbitration of commits to one version: by the file system, or by the catalog that manages the table.

A commit to a table that a catalog manages is staged as `_delta_log/_staged_commits/<version>.<uuid>.json`, ratified by
the catalog, published as `<version>.json`, and then forgotten by the catalog except for its number. Source: Delta
protocol, Catalog-managed tables.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol as Interface

from deltasql.base import DeltaSqlError, errors
from deltasql.log.storage.listing import STAGED_COMMITS, commit_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import require_one_winner


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
        raise errors.AmbiguousWriteError(store.url(staged.path), str(doubt)) from doubt
    if known is not None and known.unpublished.get(staged.version) == staged.file:
        return ()
    if known is not None and known.latest is not None and known.latest < staged.version:
        _delete(commits)
        raise doubt
    # Others have gone on meanwhile: the log says whose version it is.
    raise errors.AmbiguousWriteError(store.url(staged.path), str(doubt)) from doubt


def _delete(commits: Mapping[StagedCommit, LogStore]) -> None:
    """Deletes staged files that will never be ratified; the clean-up of the log deletes those that stay."""
    for staged, store in commits.items():
        with suppress(errors.StorageError):
            store.delete([staged.path])


@dataclass(frozen=True, slots=True)
class TableCommits:
    """The state of one table in its catalog.

    `latest` is the newest ratified version. It is None between the commit that puts the table under the catalog and
    the first look at the table afterwards: the newest published version is the latest then. `unpublished` has the
    names of the staged files of ratified versions, by version.
    """

    latest: int | None = None
    unpublished: Mapping[int, str] = field(default_factory=dict)

    def with_commit(self, version: int, file: str) -> TableCommits:
        """The state once `version`, staged as `file`, is ratified."""
        return TableCommits(version, {**self.unpublished, version: file})

    def without(self, published: Collection[int]) -> TableCommits:
        """The state without the files of versions that are published."""
        left = {version: file for version, file in self.unpublished.items() if version not in published}
        return replace(self, unpublished=left)


@dataclass(frozen=True, slots=True)
class StagedCommit:
    """A commit that waits for its ratification as `version` of the table at `location`; `file` is its staged name."""

    location: str
    version: int
    file: str
    data: bytes = field(default=b"", repr=False, compare=False)
    """The content, for a catalog that wants to know more of a commit than its number."""

    @property
    def path(self) -> str:
        """The path of the staged file, relative to the table."""
        return f"{STAGED_COMMITS}/{self.file}"


class CommitCatalog(Interface):
    """A catalog that ratifies commits. Tables are known by their location. Every method may raise a DeltaSqlError."""

    def find(self, location: str) -> TableCommits | None:
        """The state of a table; None for one that this catalog does not manage."""

    def all(self) -> Mapping[str, TableCommits]:
        """The states of all tables at one moment."""

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        """Begins to manage a table; False if its state is no longer `known`."""

    def settle(self, location: str, version: int) -> None:
        """Sets the latest version of a table that was adopted and has none."""

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        """Ratifies all commits in one atomic operation, or none; returns the locations that prevent it.

        A commit must be the next version of its table. `unchanged` are versions that must still be the latest ones of
        tables that the transaction has only read.
        """

    def published(self, location: str, versions: Collection[int]) -> bool:
        """Forgets the staged files of versions that are published; whether nobody reads them any more."""

    def forget(self, location: str) -> None:
        """Ends the management of a table."""

    def maintains(self, location: str) -> bool:
        """Whether it removes old files of a table itself, and does not let others do it."""

    def separate(self, location: str) -> str | None:
        """The name of the catalog if no commit of a table can be one with those of other tables; None if it can."""


def current_commits(catalog: CommitCatalog, store: LogStore, location: str, newest: int) -> TableCommits | None:
    """The state of a table, after its ratified commits were published as far as that is possible.

    `newest` is its newest published version that the caller knows. None for a table that the catalog does not manage.
    """
    known = catalog.find(location)
    if known is not None and known.latest is None:
        catalog.settle(location, newest)
        known = catalog.find(location)
    if known is None or not known.unpublished:
        return known
    return known.without(publish(catalog, store, location, known))


def publish(
    catalog: CommitCatalog, store: LogStore, location: str, known: TableCommits, data: Mapping[int, bytes] | None = None
) -> list[int]:
    """Publishes the ratified commits of a table in order, and returns the versions that are published now.

    `data` are commits that need not be read. It stops at the first one that cannot be published, as where the storage
    may only be read: the next who opens the table tries again.
    """
    done: list[int] = []
    with suppress(errors.StorageError):
        for version, file in sorted(known.unpublished.items()):
            if not _published(store, version, StagedCommit(location, version, file).path, (data or {}).get(version)):
                break
            done.append(version)
    if done:
        # A version that stays in the catalog is published again by the next reader, and then forgotten.
        with suppress(DeltaSqlError):
            if catalog.published(location, done):
                store.delete([StagedCommit(location, version, known.unpublished[version]).path for version in done])
    return done


def _published(store: LogStore, version: int, staged: str, data: bytes | None) -> bool:
    """Whether `<version>.json` has the content of the staged file. Raises StorageError."""
    try:
        data = store.read(staged) if data is None else data
    except FileNotFoundError:
        # Staged files are deleted after their commit is published.
        return store.exists(commit_path(version))
    # Of a file that a writer without the catalog has put there, the ratified content stays in the staged one.
    path = commit_path(version)
    if isinstance(store, LocalLogStore):
        created = store.put_copy_if_absent(staged, path, data)
    else:
        created = store.put_if_absent(path, data)
    return created or store.read(path) == data
