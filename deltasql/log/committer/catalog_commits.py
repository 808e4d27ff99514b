"""Commits of tables that a catalog manages: which versions it has ratified, and which of these are not published yet.

A commit is staged as `_delta_log/_staged_commits/<version>.<uuid>.json`, ratified by the catalog, published as
`<version>.json`, and then forgotten by the catalog but for its number. Source: Delta protocol, Catalog-managed tables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol as Interface

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.log import StorageError
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import STAGED_COMMITS, commit_path
from deltasql.log.storage.log_store import LogStore


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
    with suppress(StorageError):
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
