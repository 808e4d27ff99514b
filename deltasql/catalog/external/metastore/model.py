"""Databases and tables of a metastore, and the interface of its clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

EXTERNAL = "EXTERNAL_TABLE"
MANAGED = "MANAGED_TABLE"
VIEW = "VIRTUAL_VIEW"


@dataclass(frozen=True, slots=True)
class MetastoreDatabase:
    """A database, which is a schema in SQL. `created_at` is milliseconds since the epoch, 0 if unknown.

    `original` is the record of the client that it was made of.
    """

    name: str
    comment: str | None = None
    location: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    created_at: int = 0
    original: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MetastoreColumn:
    """A column; its type is a text of Hive."""

    name: str
    type: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Storage:
    """The files of a table: their place, Hive's classes for their format, and the parameters of its serde."""

    location: str | None = None
    input_format: str | None = None
    output_format: str | None = None
    serde: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetastoreTable:
    """A table or view. `kind` is EXTERNAL, MANAGED, VIEW, or another type of tables that the metastore has.

    `texts` are the query of a view as it was written, and with all names in full. `original` is the record of the
    client that it was made of; a change keeps those of its fields that are not here.
    """

    database: str
    name: str
    kind: str
    storage: Storage = Storage()
    columns: tuple[MetastoreColumn, ...] = ()
    partition_columns: tuple[MetastoreColumn, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, str] | None = None
    created_at: int = 0
    original: object = field(default=None, compare=False, repr=False)


class ChangedMeanwhileError(Exception):
    """The table is no longer the one that a change was made for; nothing was changed."""


class Metastore(Protocol):
    """A client of a metastore. Names are in lower case.

    Conflicts are those of `catalog.store`: NameMissingError, NameTakenError, SchemaInUseError. What else is wrong is a
    DeltaSqlError.
    """

    def databases(self) -> Sequence[MetastoreDatabase]:
        """All databases, in no order."""

    def database(self, name: str) -> MetastoreDatabase | None:
        """One database, or None."""

    def create_database(self, database: MetastoreDatabase) -> None:
        """Creates a database. Raises NameTakenError."""

    def change_database(self, database: MetastoreDatabase) -> None:
        """Replaces a database that was read. Raises NameMissingError."""

    def drop_database(self, name: str, cascade: bool) -> None:
        """Removes a database, with `cascade` also what is left in it. Raises NameMissingError, SchemaInUseError."""

    def tables(self, database: str) -> Sequence[MetastoreTable]:
        """The tables and views of a database, in no order. Raises NameMissingError."""

    def table(self, database: str, name: str) -> MetastoreTable | None:
        """One table or view, or None."""

    def create_table(self, table: MetastoreTable) -> None:
        """Creates a table or view. Raises NameTakenError, NameMissingError for the database."""

    def change_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        """Replaces a table that was read by one of the same name. Raises ChangedMeanwhileError, NameMissingError."""

    def rename_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        """Replaces a table that was read by one of another name, and leaves its files where they are.

        Raises ChangedMeanwhileError, NameTakenError, NameMissingError for the table, then for the new database.
        """

    def drop_table(self, table: MetastoreTable) -> None:
        """Removes a table or view, and no files. Raises NameMissingError."""

    def function_names(self, database: str) -> Sequence[str]:
        """The names of the functions of a database, in no order."""

    def close(self) -> None:
        """Closes connections; a later call opens them again."""
