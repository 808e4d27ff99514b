"""Interface of the stores of a warehouse's names: entries in, entries and typed conflicts out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Protocol, TypeAlias

from deltasql.catalog.commit_stores import CommitStore
from deltasql.catalog.entries import (
    Entry,
    FunctionEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewEntry,
    VolumeEntry,
)
from deltasql.catalog.governance import Governance, Securable

SchemaKey: TypeAlias = tuple[str, str]
"""Catalog and schema, in lower case."""

TableKey: TypeAlias = tuple[str, str, str]
"""Catalog, schema and table, view, function or volume, in lower case."""

Volumes: TypeAlias = Mapping[str, VolumeEntry]
"""The volumes of one schema, by name."""


class Kind(Enum):
    """Kind of object that has a name."""

    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"
    VIEW = "view"
    FUNCTION = "function"


class NameMissingError(Exception):
    """A name that a change needs does not exist; nothing was changed."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


class NameTakenError(Exception):
    """The name exists already; nothing was changed."""


class SchemaInUseError(Exception):
    """The schema holds `names`, of tables, views, functions and volumes, or the catalog schemas; nothing was
    changed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.names = names


def of_kind(entry: Entry | None, kind: Kind) -> Entry:
    """`entry`, if it is of this kind. Raises NameMissingError."""
    if entry is None or isinstance(entry, ViewEntry) != (kind is Kind.VIEW):
        raise NameMissingError(kind)
    return entry


class CatalogStore(Protocol):
    """Store of names: a SQLite file, objects beside the tables, or the server of a catalog.

    Names are passed in lower case and checked. Each change is atomic, and of concurrent changes for one name, in any
    process or machine, exactly one succeeds. The current schema, default locations and user errors are the Catalog's.

    Every method may raise a DeltaSqlError if the store cannot be read or written.
    """

    @property
    def commits(self) -> CommitStore:
        """Where the commits of managed tables are."""

    def catalogs(self) -> Collection[str]:
        """Names of all catalogs, in no order."""

    def catalog(self, name: str) -> StoredCatalog | None:
        """One catalog, or None."""

    def add_catalog(self, catalog: StoredCatalog, default: StoredSchema) -> None:
        """Adds a catalog with its default schema. Raises NameTakenError."""

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        """Replaces a catalog by the result of `change`, which may be called again. Raises NameMissingError."""

    def remove_catalog(self, name: str) -> None:
        """Removes a catalog that has no schemas. Raises NameMissingError, SchemaInUseError with its schemas."""

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        """The schemas of a catalog, in no order; none if there is no such catalog."""

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        """One schema, or None."""

    def add_schema(self, schema: StoredSchema) -> None:
        """Adds a schema. Raises NameTakenError, NameMissingError for its catalog."""

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        """Replaces a schema by the result of `change`, which may be called again. Raises NameMissingError."""

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        """Removes a schema with its tables and volumes, which are returned, views and functions. Raises
        NameMissingError, and without `cascade` SchemaInUseError."""

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        """Tables and views of a schema, in no order. Raises NameMissingError where there is no such schema."""

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        """All tables, of all schemas, whose location begins with this text, and possibly others."""

    def entry(self, key: TableKey) -> Entry | None:
        """One table or view, or None."""

    def add_table(self, entry: TableEntry) -> None:
        """Adds a table. Raises NameTakenError, NameMissingError for its catalog or schema."""

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        """Removes a table or a view, by `kind`; returns its old entry. Raises NameMissingError."""

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        """Renames a table or view; returns the new entry. Raises NameMissingError for the old name, then for the new
        catalog or schema; NameTakenError."""

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        """Replaces a table by the result of `change`, which may be called again; returns it. Raises
        NameMissingError."""

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        """Sets the entry of a name to the view that `change` returns for the current entry, None if there is none.
        `change` may be called again; if it raises, nothing is changed. Raises NameMissingError for the catalog or
        schema."""

    def change_governance(self, key: TableKey, change: Callable[[Governance], Governance]) -> None:
        """Replaces the records on a table or view by the result of `change`, which may be called again. Raises
        NameMissingError."""

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        """The functions of a schema, in no order; none if there is no such schema."""

    def function(self, key: TableKey) -> FunctionEntry | None:
        """One function, or None."""

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        """Like `change_view` for a function, which is removed if `change` returns None."""

    def volumes(self, schema: SchemaKey) -> Volumes:
        """The volumes of a schema; none if there is no such schema."""

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        """Replaces the volumes of a schema by the result of `change`, which may be called again; if it raises, nothing
        is changed. Raises NameMissingError for the catalog or schema."""

    def securables(self) -> Sequence[Securable]:
        """All securables without data, in no order."""

    def change_securable(self, key: tuple[str, str], change: Callable[[Securable | None], Securable | None]) -> None:
        """Replaces a securable, by kind and name, by the result of `change`, which may be called again; None removes
        it. The result may have another name. Raises NameTakenError for that."""

    def close(self) -> None:
        """Closes files and connections; a later call opens them again."""
