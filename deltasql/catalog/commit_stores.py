"""Commits of managed tables in the SQLite file of a warehouse, or in one object of it.

The embedded catalog as the committer of tables: which of their commits it has ratified, by location.

Locations outlive a rename, and two names of one table share its commits. See `log.committer.catalog_commits`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from deltasql.catalog.database import DamagedEntryError, Database
from deltasql.catalog.shared_objects import SharedObjects
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


_ROWS = "SELECT location, latest, unpublished FROM commits"
_OF_TABLE = f"{_ROWS} WHERE location = ?"


class SqliteCommits:
    """Commits in a table of the catalog's SQLite file: each change is one transaction of it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.durable = True

    def find(self, location: str) -> TableCommits | None:
        with self._database.explained():
            rows = self._database.rows(_OF_TABLE, location)
            return _state(rows[0]) if rows else None

    def all(self) -> Mapping[str, TableCommits]:
        with self._database.explained():
            return {row[0]: _state(row) for row in self._database.rows(_ROWS)}

    def change(self, locations: Collection[str], edit: Callable[[States], Changed[_T]], *, lasting: bool = False) -> _T:
        with self._database.writing(lasting=lasting and self.durable) as connection:
            states, value = edit({location: _found(connection, location) for location in locations})
            for location, state in (states or {}).items():
                if state is None:
                    connection.execute("DELETE FROM commits WHERE location = ?", (location,))
                else:
                    values = (location, state.latest, _text(state))
                    connection.execute("INSERT OR REPLACE INTO commits VALUES (?, ?, ?)", values)
            return value


@dataclass(frozen=True, slots=True)
class CommitsDocument:
    """The content of the object with the commits of all managed tables of a warehouse, by location."""

    tables: Mapping[str, TableCommits] = field(default_factory=dict)

    @property
    def layout(self) -> int:
        return 1

    def changed(self, states: States) -> CommitsDocument:
        """The document with the states of some tables replaced, or removed (None)."""
        both = {**self.tables, **states}
        return CommitsDocument({location: state for location, state in both.items() if state is not None})

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CommitsDocument:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a document."""
        return cls({place: _parsed(found["latest"], found["unpublished"]) for place, found in value["tables"].items()})

    def to_json(self) -> dict[str, Any]:
        return {
            "tables": {
                location: {"latest": state.latest, "unpublished": dict(state.unpublished)}
                for location, state in self.tables.items()
            }
        }


class ObjectCommits:
    """Commits in one object of the warehouse, so that those of several tables are one compare-and-swap."""

    durable = True
    """An object store keeps what it has accepted."""

    def __init__(self, objects: SharedObjects, folder: str) -> None:
        self._objects, self._folder = objects, folder
        self._path = f"{folder}/commits.json"

    def find(self, location: str) -> TableCommits | None:
        return self.all().get(location)

    def all(self) -> Mapping[str, TableCommits]:
        found = self._objects.read(self._path, CommitsDocument)
        return {} if found is None else found.tables

    def change(self, locations: Collection[str], edit: Callable[[States], Changed[_T]], *, lasting: bool = False) -> _T:
        def edited(found: CommitsDocument | None) -> tuple[CommitsDocument | None, _T]:
            tables = {} if found is None else found.tables
            states, value = edit({location: tables.get(location) for location in locations})
            if states is None:
                return None, value
            if found is None:
                # What a storage cannot do is found before there is anything to lose.
                self._objects.require_conditional_puts(self._folder)
            return (found or CommitsDocument()).changed(states), value

        return self._objects.change(self._path, CommitsDocument, edited)


def _found(connection: sqlite3.Connection, location: str) -> TableCommits | None:
    row = connection.execute(_OF_TABLE, (location,)).fetchone()
    return None if row is None else _state(row)


def _text(state: TableCommits) -> str | None:
    return json.dumps(dict(state.unpublished)) if state.unpublished else None


def _state(row: tuple[Any, ...]) -> TableCommits:
    """Raises DamagedEntryError."""
    location, latest, unpublished = row
    try:
        return _parsed(latest, json.loads(unpublished or "{}"))
    except (TypeError, ValueError, AttributeError) as error:
        raise DamagedEntryError(
            f"the commits of the table at {location} are damaged ({type(error).__name__}: {error})"
        ) from error


def _parsed(latest: Any, unpublished: Mapping[str, Any]) -> TableCommits:
    files = {int(version): _name(file) for version, file in unpublished.items()}
    return TableCommits(None if latest is None else int(latest), files)


def _name(value: Any) -> str:
    if not isinstance(value, str) or "/" in value:
        raise TypeError(f"{value!r} is no name of a staged commit")
    return value
