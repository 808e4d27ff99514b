"""The base of the stores of external catalogs: what none of them can do is refused by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, NoReturn

from deltasql.base.errors.external_catalog import CatalogOperationError
from deltasql.base.errors.log import StorageError
from deltasql.catalog.entries import Entry, FunctionEntry, StoredCatalog, StoredSchema, TableEntry, ViewEntry
from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.mirror import MirroredTable, ReadFacts, TableFacts
from deltasql.catalog.store import Kind, NameMissingError, SchemaKey, TableKey, Volumes
from deltasql.log.committer.committers import CommitCatalog
from deltasql.log.storage.credentials import Lent


def _unread(location: str) -> TableFacts:
    raise StorageError("read", location, "this catalog was opened without a session")


class ExternalStore(ABC):
    """A CatalogStore for one catalog, on a server. See `CatalogStore` for the methods.

    A store opens no connection before it is asked for a name. Names are read each time they are asked for: a statement
    caches them itself.
    """

    type: ClassVar[str]
    """The type, as configurations and messages name it."""
    takes_shallow_clones: ClassVar[bool] = True
    """Whether a table at a place of its choice may consist of files of another table."""

    def __init__(self, options: CatalogOptions) -> None:
        self.name = options.name
        self.configuration = options

    def refused(self, operation: str) -> CatalogOperationError:
        """The error for an operation that the catalog does not support."""
        return CatalogOperationError(catalog=self.name, type=self.type, operation=operation)

    def _refuse(self, operation: str) -> NoReturn:
        raise self.refused(operation)

    # What a store may add to the protocol

    read_facts: ReadFacts = staticmethod(_unread)
    """Reads what a registration says of a table; set by the session."""

    @property
    def commit_catalog(self) -> CommitCatalog | None:
        """The catalog of commits of its managed tables, if it ratifies commits."""
        return None

    def manages(self, location: str) -> bool:
        """Whether it ratifies the commits of the table at a location."""
        return False

    def holds(self, location: str) -> bool:
        """Whether a table at a location is known to it, although it does not ratify its commits."""
        return False

    def lend(self, location: str) -> Lent | None:
        """Credentials for the storage of one of its tables; None: the session's own are used."""
        return None

    def required_properties(self, key: TableKey) -> Mapping[str, str]:
        """Properties that a new table without LOCATION must have; `new_location` was called before."""
        return {}

    def lasting_properties(self, configuration: Mapping[str, str]) -> Mapping[str, str]:
        """Those properties of one of its managed tables that the table still has when it is replaced."""
        return {}

    def announce(self, location: str) -> None:  # noqa: B027 - not every store lends credentials
        """A table is to be created, or registered, at a location that the statement names."""

    def new_location(self, key: TableKey) -> str | None:
        """The location of a new table without LOCATION; None: below the location of its schema."""
        return None

    def mirror(self, location: str, described: MirroredTable) -> None:  # noqa: B027 - most catalogs repeat nothing
        """Repeats what was committed to a table at this location, for those who read no log.

        A table of this catalog that is not there yet may be added later.
        """

    # Catalogs

    def catalogs(self) -> Collection[str]:
        return [self.name]

    def catalog(self, name: str) -> StoredCatalog | None:
        return StoredCatalog(self.name, None, None, 0)

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        self._refuse("comments, properties and tags of a catalog")

    def remove_catalog(self, name: str) -> None:
        self._refuse("DROP CATALOG")

    # Schemas

    @abstractmethod
    def schemas(self, catalog: str) -> Sequence[StoredSchema]: ...

    @abstractmethod
    def schema(self, key: SchemaKey) -> StoredSchema | None: ...

    def add_schema(self, schema: StoredSchema) -> None:
        self._refuse("CREATE SCHEMA")

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        self._refuse("comments, properties and tags of a schema")

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        self._refuse("DROP SCHEMA")

    # Tables

    @abstractmethod
    def entries(self, schema: SchemaKey) -> Sequence[Entry]: ...

    @abstractmethod
    def entry(self, key: TableKey) -> Entry | None: ...

    def add_table(self, entry: TableEntry) -> None:
        self._refuse("CREATE TABLE")

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        if kind is Kind.VIEW:
            raise NameMissingError(kind)
        self._refuse("DROP TABLE")

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        self._refuse("RENAME TO")

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        self._refuse("SET LOCATION and changes of definitions")

    # Views and functions

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        self._refuse("views")

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        return ()

    def function(self, key: TableKey) -> FunctionEntry | None:
        return None

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        self._refuse("functions")

    def volumes(self, schema: SchemaKey) -> Volumes:
        return {}

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        self._refuse("volumes")

    def close(self) -> None:  # noqa: B027 - not every store has a connection
        """Closes connections; a later call opens them again."""
