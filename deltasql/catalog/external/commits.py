"""Which catalog ratifies the commits of a table: the embedded one, or an external one that manages it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from deltasql.catalog.commit_registry import CommitRegistry
from deltasql.catalog.external.routing import ExternalCatalogs
from deltasql.catalog.external.store import ExternalStore
from deltasql.log.committer.committers import CommitCatalog, StagedCommit, TableCommits


class RoutedCommits:
    """A CommitCatalog that passes each call to the catalog that manages the table at a location."""

    def __init__(self, embedded: CommitRegistry, external: ExternalCatalogs) -> None:
        self._embedded, self._external = embedded, external

    @property
    def durable(self) -> bool:
        """Whether a commit that the embedded catalog has ratified outlives a crash of the machine."""
        return self._embedded.durable

    @durable.setter
    def durable(self, value: bool) -> None:
        self._embedded.durable = value

    def _owner(self, location: str) -> ExternalStore | None:
        return self._external.manager(location)

    def _of(self, location: str) -> CommitCatalog:
        owner = self._owner(location)
        return (owner and owner.commit_catalog) or self._embedded

    def find(self, location: str) -> TableCommits | None:
        return self._of(location).find(location)

    def all(self) -> Mapping[str, TableCommits]:
        states = dict(self._embedded.all())
        for store in self._external.opened:
            if store.commit_catalog is not None:
                states |= store.commit_catalog.all()
        return states

    def _holder(self, location: str) -> ExternalStore | None:
        """The external catalog of a table whose commits it does not ratify."""
        return next((store for store in self._external.opened if store.holds(location)), None)

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        holder = self._holder(location)
        if holder is not None:
            raise holder.refused("the feature catalogManaged for a table that is not managed")
        return self._of(location).adopt(location, known)

    def settle(self, location: str, version: int) -> None:
        self._of(location).settle(location, version)

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        places = [*(commit.location for commit in commits), *unchanged]
        owners = [owner for place in places if (owner := self._owner(place)) is not None]
        if owners and len(places) > 1:
            raise owners[0].refused("transactions over several tables")
        return self._of(places[0]).ratify(commits, unchanged)

    def published(self, location: str, versions: Collection[int]) -> bool:
        return self._of(location).published(location, versions)

    def forget(self, location: str) -> None:
        self._of(location).forget(location)

    def maintains(self, location: str) -> bool:
        return self._of(location).maintains(location)

    def separate(self, location: str) -> str | None:
        holder = self._holder(location)
        if holder is None or self._embedded.find(location) is not None:
            return self._of(location).separate(location)
        return holder.name
