"""The embedded catalog as the committer of tables: which of their commits it has ratified, by location.

Locations outlive a rename, and two names of one table share its commits. See `log.committer.catalog_commits`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

from deltasql.log.committer.committers import StagedCommit, TableCommits

_T = TypeVar("_T")

States: TypeAlias = Mapping[str, "TableCommits | None"]
"""States of tables by location; None for a table that is not managed, or is no longer."""

Changed: TypeAlias = tuple["States | None", _T]
"""New states of some tables, or None to leave them, and the result of the change."""


class CommitStore(Protocol):
    """Where a catalog store keeps the commits of managed tables. Every method may raise a DeltaSqlError."""

    durable: bool
    """Whether a ratified commit outlives a crash of the machine."""

    def find(self, location: str) -> TableCommits | None:
        """The state of one table, or None."""

    def all(self) -> Mapping[str, TableCommits]:
        """The states of all tables at one moment."""

    def change(self, locations: Collection[str], edit: Callable[[States], Changed[_T]], *, lasting: bool = False) -> _T:
        """Replaces the states of some tables by those that `edit` returns, in one atomic operation.

        `edit` may be called again. A `lasting` change is on the disk when it returns, if the store is durable.
        """


class CommitRegistry:
    """A CommitCatalog over the store of the warehouse's names."""

    def __init__(self, store: CommitStore) -> None:
        self._store = store

    @property
    def durable(self) -> bool:
        """Whether a ratified commit outlives a crash of the machine."""
        return self._store.durable

    @durable.setter
    def durable(self, value: bool) -> None:
        self._store.durable = value

    def find(self, location: str) -> TableCommits | None:
        return self._store.find(location)

    def all(self) -> Mapping[str, TableCommits]:
        return self._store.all()

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        def edit(found: States) -> Changed[bool]:
            if found[location] != known:
                return None, False
            return {location: TableCommits()}, True

        return self._store.change([location], edit, lasting=True)

    def settle(self, location: str, version: int) -> None:
        def edit(found: States) -> Changed[None]:
            state = found[location]
            if state is None or state.latest is not None:
                return None, None
            return {location: TableCommits(version)}, None

        self._store.change([location], edit)

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        staged = {commit.location: commit for commit in commits}

        def edit(found: States) -> Changed[Collection[str]]:
            wanted = {**unchanged, **{commit.location: commit.version - 1 for commit in commits}}
            latest = {location: None if state is None else state.latest for location, state in found.items()}
            lost = [location for location, version in wanted.items() if latest[location] != version]
            if lost:
                return None, lost
            return {
                location: (found[location] or TableCommits()).with_commit(commit.version, commit.file)
                for location, commit in staged.items()
            }, ()

        return self._store.change([*staged, *unchanged], edit, lasting=True)

    def published(self, location: str, versions: Collection[int]) -> bool:
        def edit(found: States) -> Changed[None]:
            state = found[location]
            if state is None or not any(version in state.unpublished for version in versions):
                return None, None
            return {location: state.without(versions)}, None

        self._store.change([location], edit)
        return True

    def maintains(self, location: str) -> bool:
        """Nobody but the sessions cleans up."""
        return False

    def separate(self, location: str) -> None:
        """The commits of all tables are in one store."""

    def forget(self, location: str) -> None:
        if self._store.find(location) is not None:
            self._store.change([location], lambda found: ({location: None}, None))
