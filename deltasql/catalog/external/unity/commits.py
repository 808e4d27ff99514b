"""A Unity Catalog as the catalog that ratifies the commits of its managed tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import CatalogRequestError
from deltasql.catalog.external.unity.client import UnityClient
from deltasql.catalog.external.unity.shapes import read_commit, updates
from deltasql.catalog.external.unity.tables import KnownTables, UnityTable, loaded
from deltasql.log.committer.committers import StagedCommit, TableCommits

_MANAGED = "catalogManaged"
_LOST = "CommitVersionConflictException"


class UnityCommits:
    """A CommitCatalog over the Delta API. It knows the tables that the session has looked up by name, or created."""

    durable = True
    """A server keeps what it has accepted."""

    def __init__(self, client: UnityClient, tables: KnownTables, path: Callable[[UnityTable], tuple[str, ...]]) -> None:
        self._client, self._tables, self._path = client, tables, path

    def manages(self, location: str) -> bool:
        """Whether the table at a location is a managed one of this catalog."""
        table = self._tables.at(location)
        return table is not None and table.managed

    def find(self, location: str) -> TableCommits | None:
        known = self._tables.at(location)
        if known is None or not known.managed or known.staged is not None:
            return None
        table = self._tables.taken_fresh(location) or self._loaded(known)
        return None if table is None else table.commits

    def all(self) -> Mapping[str, TableCommits]:
        """No server answers for all tables at one moment: each is read as it is when it is asked for."""
        return {}

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        """A staged table becomes a managed one by its registration, which follows its first version."""
        table = self._tables.at(location)
        if table is None or table.staged is None:
            raise self._client.failed("manage an existing table", "only new tables are created as managed ones")
        return True

    def settle(self, location: str, version: int) -> None:
        """The server sets the latest version itself."""

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        (commit,) = commits
        table = self._tables.at(commit.location)
        assert table is not None
        try:
            lines = read_commit(commit.data)
        except (KeyError, TypeError, ValueError) as error:
            raise self._client.failed("take a commit", f"the staged commit cannot be read ({error})") from error
        if lines.protocol is not None and _MANAGED not in (lines.protocol.get("writerFeatures") or ()):
            raise self._client.failed("take a commit", f"a managed table cannot be without the feature {_MANAGED}")
        added = {
            "version": commit.version,
            "timestamp": lines.timestamp,
            "file-name": commit.file,
            "file-size": len(commit.data),
            "file-modification-timestamp": lines.timestamp,
        }
        try:
            changes = [*updates(lines, table.details), {"action": "add-commit", "commit": added}]
            # The answer also tells what is to be published.
            self._tables.remember(self._update(table, changes), fresh=True)
        except CatalogRequestError as error:
            if error.kind == _LOST:
                return [commit.location]
            raise
        return ()

    def published(self, location: str, versions: Collection[int]) -> bool:
        """Reports that versions are published. The staged files stay: readers may have been given their names."""
        table = self._tables.at(location)
        if table is not None and versions:
            with suppress(DeltaSqlError):
                update = {"action": "set-latest-backfilled-version", "latest-published-version": max(versions)}
                self._tables.remember(self._update(table, [update]))
        return False

    def forget(self, location: str) -> None:
        """The server forgets a table when its name is dropped."""

    def maintains(self, location: str) -> bool:
        """Clients write checkpoints, compacted logs and checksums; the server does the rest."""
        return True

    def separate(self, location: str) -> str:
        """The Delta API takes the commit of one table with each request."""
        return self._client.catalog

    def _update(self, table: UnityTable, changes: list[dict[str, Any]]) -> UnityTable:
        requirements = [{"type": "assert-table-uuid", "uuid": table.id}]
        body = {"requirements": requirements, "updates": changes}
        answer = self._client.post(*self._path(table), operation=f"commit to {table.key[2]}", body=body)
        return self._read(table, answer)

    def _loaded(self, known: UnityTable) -> UnityTable | None:
        """The table as it is now; None if it is gone, or if an older server has it, which ratifies nothing."""
        try:
            answer = self._client.get(*self._path(known), operation=f"load table {known.key[2]}")
        except CatalogRequestError as error:
            if error.status == 404:
                return None
            raise
        return self._tables.remember(self._read(known, answer))

    def _read(self, known: UnityTable, answer: Any) -> UnityTable:
        """The table of an answer. Raises CatalogRequestError for another shape, and for another table."""
        try:
            table = loaded(known.key, answer)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._client.failed("load a table", f"its answer lacks {error}") from error
        if table.id != known.id:
            raise self._client.failed("load a table", f"{'.'.join(known.key)} is another table now")
        return table
