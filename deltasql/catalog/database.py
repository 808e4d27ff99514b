"""The SQLite file that holds the catalog: opened on first use, safe for several processes and threads."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deltasql.base.errors.catalog import CatalogFileError
from deltasql.catalog.entries import now
from deltasql.log.storage.locations import absolute_location

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
            raise CatalogFileError(
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
            raise CatalogFileError(path=str(self.path), reason=str(error), advice=advice) from error
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            advice = "Check that the warehouse directory is writable and the file is a catalog of deltasql."
            raise CatalogFileError(path=str(self.path), reason=str(error), advice=advice) from error


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
