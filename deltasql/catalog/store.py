"""What keeps the names of a warehouse, as the catalog sees it: entries in, entries and typed conflicts out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Protocol, TypeAlias

from deltasql.catalog.entries import Entry, FunctionEntry, StoredSchema, TableEntry, ViewEntry

SchemaKey: TypeAlias = tuple[str, str]
"""Catalog and schema, in lower case."""

TableKey: TypeAlias = tuple[str, str, str]
"""Catalog, schema and table, view or function, in lower case."""


class Kind(Enum):
    """What a name is the name of."""

    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"
    VIEW = "view"
    FUNCTION = "function"


class NameMissingError(Exception):
    """A name that a change needs is not there; nothing was changed."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


class NameTakenError(Exception):
    """Another one has the name already; nothing was changed."""


class SchemaInUseError(Exception):
    """The schema holds `names`, of tables, views and functions; nothing was changed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.names = names


def of_kind(entry: Entry | None, kind: Kind) -> Entry:
    """`entry`, if it is what `kind` says. Raises NameMissingError."""
    if entry is None or isinstance(entry, ViewEntry) != (kind is Kind.VIEW):
        raise NameMissingError(kind)
    return entry


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
        """Removes a schema with its tables, which come back, views and functions. Raises NameMissingError, and
        without `cascade` SchemaInUseError."""

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        """Tables and views of a schema, in no order. Raises NameMissingError where there is no such schema."""

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        """At least all tables, of all schemas, whose location begins with this text."""

    def entry(self, key: TableKey) -> Entry | None:
        """One table or view, or None."""

    def add_table(self, entry: TableEntry) -> None:
        """Adds a table. Raises NameTakenError, NameMissingError for its catalog or schema."""

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        """Removes a table, or a view, whichever `kind` says; its entry as it was. Raises NameMissingError."""

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        """A table or view under its new name. Raises NameMissingError for the old one, then for the new catalog or
        schema; NameTakenError."""

    def move_table(self, key: TableKey, location: str) -> TableEntry:
        """The entry at its new place, which makes it external. Raises NameMissingError."""

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        """Puts what `change` makes of a name into its place: of None where nothing has it. `change` may be called
        again; what it raises has changed nothing. Raises NameMissingError for the catalog or schema."""

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        """The functions of a schema, in no order; none where there is no such schema."""

    def function(self, key: TableKey) -> FunctionEntry | None:
        """One function, or None."""

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        """The same as `change_view` for a function, which goes where `change` gives None."""

    def close(self) -> None:
        """Lets go of files and connections; a later call opens them again."""
