"""What keeps the names of a warehouse, as the catalog sees it: entries in, entries and typed conflicts out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Protocol, TypeAlias

from deltasql.catalog.entries import StoredSchema, TableEntry

SchemaKey: TypeAlias = tuple[str, str]
"""Catalog and schema, in lower case."""

TableKey: TypeAlias = tuple[str, str, str]
"""Catalog, schema and table, in lower case."""


class Kind(Enum):
    """What a name is the name of."""

    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"


class NameMissingError(Exception):
    """A name that a change needs is not there; nothing was changed."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


class NameTakenError(Exception):
    """Another one has the name already; nothing was changed."""


class SchemaInUseError(Exception):
    """The schema holds `tables`; nothing was changed."""

    def __init__(self, tables: Sequence[TableEntry]) -> None:
        super().__init__(tables)
        self.tables = tables


class CatalogStore(Protocol):
    """Where names are kept: a SQLite file, objects beside the tables, or the server of a catalog.

    Names come in lower case and checked. Each change takes place as a whole or not at all, and of several that want one
    name at once exactly one gets it, whatever process or machine they are of. What names mean – the current schema,
    default locations, the errors that people read – is the Catalog's.

    Every method may raise a DeltaSqlError where the store cannot be read or written.
    """

    def catalogs(self) -> Collection[str]:
        """Names of all catalogs, in no order."""

    def add_catalog(self, name: str, default: StoredSchema) -> None:
        """Adds a catalog with its default schema. Raises NameTakenError."""

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        """The schemas of a catalog, in no order; none where there is no such catalog."""

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        """One schema, or None."""

    def add_schema(self, schema: StoredSchema) -> None:
        """Adds a schema. Raises NameTakenError, NameMissingError for its catalog."""

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        """Replaces a schema by what `change` makes of it, which may be called again. Raises NameMissingError."""

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        """Removes a schema and its tables, which come back. Raises NameMissingError, and without `cascade`
        SchemaInUseError."""

    def tables(self, schema: SchemaKey) -> Sequence[TableEntry]:
        """The tables of a schema, in no order. Raises NameMissingError where there is no such schema."""

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        """At least all tables, of all schemas, whose location begins with this text."""

    def table(self, key: TableKey) -> TableEntry | None:
        """One table, or None."""

    def add_table(self, entry: TableEntry) -> None:
        """Adds a table. Raises NameTakenError, NameMissingError for its catalog or schema."""

    def remove_table(self, key: TableKey) -> TableEntry:
        """Removes a table; its entry as it was. Raises NameMissingError."""

    def rename_table(self, key: TableKey, new: TableKey) -> TableEntry:
        """The entry under its new name. Raises NameMissingError for the table, then for the new catalog or schema;
        NameTakenError."""

    def move_table(self, key: TableKey, location: str) -> TableEntry:
        """The entry at its new place, which makes it external. Raises NameMissingError."""

    def close(self) -> None:
        """Lets go of files and connections; a later call opens them again."""
