"""Commits of managed tables that the embedded catalog has ratified, in its SQLite file or in one object.

Commits are found by location, since locations outlive a rename, and two names of one table share its commits. See
`log.committers`. The SQLite file has the whole catalog; it is opened on first use, and safe for several processes and
threads.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from deltasql.base import errors
from deltasql.catalog.entries import now
from deltasql.catalog.shared_objects import SharedObjects
from deltasql.log import StagedCommit, TableCommits, absolute_location

FILE_NAME = "_catalog.db"
_LAYOUT_VERSION = 10
_BUSY_SECONDS = 30.0
_FUNCTIONS = """CREATE TABLE functions (
    catalog TEXT NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (catalog, schema, name),
    FOREIGN KEY (catalog, schema) REFERENCES schemas (catalog, name))"""
_VOLUMES = """CREATE TABLE volumes (
    catalog TEXT NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL, location TEXT NOT NULL,
    managed INTEGER NOT NULL, created_at INTEGER NOT NULL, comment TEXT, PRIMARY KEY (catalog, schema, name),
    FOREIGN KEY (catalog, schema) REFERENCES schemas (catalog, name))"""
_GOVERNANCE = (
    *(f"ALTER TABLE {table} ADD COLUMN governance TEXT" for table in ("catalogs", "schemas", "tables", "functions")),
    "CREATE TABLE securables (kind TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (kind, name))",
)
_VOLUME_GOVERNANCE = ("ALTER TABLE volumes ADD COLUMN governance TEXT",)
_COMMITS = "CREATE TABLE commits (location TEXT PRIMARY KEY, latest INTEGER, unpublished TEXT)"
_LAYOUT = (
    """CREATE TABLE catalogs (
        name TEXT PRIMARY KEY, created_at INTEGER NOT NULL, comment TEXT, location TEXT, properties TEXT)""",
    """CREATE TABLE schemas (
        catalog TEXT NOT NULL REFERENCES catalogs (name), name TEXT NOT NULL, comment TEXT,
        location TEXT, created_at INTEGER NOT NULL, properties TEXT, PRIMARY KEY (catalog, name))""",
    """CREATE TABLE tables (
        catalog TEXT NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL, location TEXT NOT NULL,
        managed INTEGER NOT NULL, created_at INTEGER NOT NULL, view TEXT, source TEXT,
        PRIMARY KEY (catalog, schema, name),
        FOREIGN KEY (catalog, schema) REFERENCES schemas (catalog, name))""",
    "CREATE INDEX tables_by_location ON tables (location)",
    _FUNCTIONS,
    _COMMITS,
    _VOLUMES,
    *_GOVERNANCE,
    *_VOLUME_GOVERNANCE,
)
_UPGRADES = {
    1: ("ALTER TABLE schemas ADD COLUMN properties TEXT",),
    2: ("ALTER TABLE tables ADD COLUMN view TEXT", _FUNCTIONS),
    3: ("ALTER TABLE catalogs ADD COLUMN comment TEXT", "ALTER TABLE catalogs ADD COLUMN location TEXT"),
    4: ("ALTER TABLE catalogs ADD COLUMN properties TEXT",),
    5: (_COMMITS,),
    6: ("ALTER TABLE tables ADD COLUMN source TEXT",),
    7: (_VOLUMES,),
    8: _GOVERNANCE,
    9: _VOLUME_GOVERNANCE,
}
"""By the version of a file's layout, what makes the next one of it."""


class DamagedEntryError(ValueError):
    """An entry whose text is none that this catalog writes."""


class Database:
    """A connection to the catalog file. Every method of the catalog is one transaction of it."""

    def __init__(self, warehouse: str) -> None:
        self.path = catalog_file(warehouse)
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._lock = threading.RLock()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a read. Raises CatalogFileError."""
        with self._lock, self.explained():
            return self._open().execute(sql, values).fetchall()

    @contextmanager
    def writing(self, *, lasting: bool = False) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed at the end, rolled back on an error. Writers of all processes take turns.

        With `lasting` it outlives a crash of the machine. Raises CatalogFileError.
        """
        with self._lock, self.explained():
            connection = self._open()
            connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used across a fork: SQLite's locks belong to the process that took them.
        if self._connection is None or self._process != os.getpid():
            self._connection, self._process = self._connect(), os.getpid()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        # In WAL mode a crash of the machine may lose the last names, not the file; tables can be named again.
        connection.execute("PRAGMA synchronous = NORMAL")
        if _version(connection) == _LAYOUT_VERSION:
            return
        _enter_wal(connection)
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)
        if version > _LAYOUT_VERSION:
            connection.execute("ROLLBACK")
            raise errors.CatalogFileError(
                path=str(self.path), reason="a later release of deltasql wrote it", advice="Upgrade deltasql."
            )
        if version == 0:
            self._lay_out(connection)
        else:
            self._upgrade(connection, version)
        connection.execute("COMMIT")

    @staticmethod
    def _upgrade(connection: sqlite3.Connection, version: int) -> None:
        for before in range(version, _LAYOUT_VERSION):
            for statement in _UPGRADES[before]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_LAYOUT_VERSION}")

    @staticmethod
    def _lay_out(connection: sqlite3.Connection) -> None:
        for statement in _LAYOUT:
            connection.execute(statement)
        connection.execute("INSERT INTO catalogs (name, created_at) VALUES ('spark_catalog', ?)", (now(),))
        connection.execute(
            "INSERT INTO schemas (catalog, name, created_at) VALUES ('spark_catalog', 'default', ?)", (now(),)
        )
        connection.execute(f"PRAGMA user_version = {_LAYOUT_VERSION}")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """The block reads the file, or what has been read. Raises CatalogFileError for what is wrong with it."""
        try:
            yield
        except DamagedEntryError as error:
            advice = "Restore the file from a backup: the tables themselves are in their folders."
            raise errors.CatalogFileError(path=str(self.path), reason=str(error), advice=advice) from error
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            advice = "Check that the warehouse directory is writable and the file is a catalog of deltasql."
            raise errors.CatalogFileError(path=str(self.path), reason=str(error), advice=advice) from error


def catalog_file(warehouse: str) -> Path:
    """Where the catalog of a warehouse on the local disk lies."""
    return Path(absolute_location(warehouse)) / FILE_NAME


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Two processes that start on a new file ask for WAL at once, and SQLite's busy timeout does not cover that."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while not _wal(connection) and time.monotonic() < deadline:
        time.sleep(0.01)


def _wal(connection: sqlite3.Connection) -> bool:
    """False when another process is in the way; a file system without shared memory keeps its old mode."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return False
        raise
    return True


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
