"""Which store has which catalog: the embedded one of the warehouse, or that of an external catalog."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from threading import RLock

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import CatalogLibraryMissingError, RenameAcrossCatalogsError
from deltasql.catalog.commit_registry import CommitStore
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    Entry,
    FunctionEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewEntry,
    sql_name,
)
from deltasql.catalog.external.configuration import TYPES, CatalogOptions
from deltasql.catalog.external.mirror import MirroredTable, ReadFacts
from deltasql.catalog.external.store import ExternalStore
from deltasql.catalog.governance import Governance, Securable
from deltasql.catalog.information import INFORMATION_SCHEMA
from deltasql.catalog.store import CatalogStore, Kind, NameMissingError, NameTakenError, SchemaKey, TableKey, Volumes
from deltasql.log.storage.credentials import Lent

_LOGGER = logging.getLogger(__name__)

EMBEDDED = "the warehouse"


class ExternalCatalogs:
    """The external catalogs of a session. Each is opened, and its library imported, when it is first asked.

    `find` gives the configurations when a name of another catalog than the default one is first looked up.
    """

    def __init__(
        self, find: Callable[[], Mapping[str, CatalogOptions]] = dict, read_facts: ReadFacts | None = None
    ) -> None:
        self._find, self._read_facts = find, read_facts
        self._options: Mapping[str, CatalogOptions] | None = None
        self._stores: dict[str, ExternalStore] = {}
        self._lock = RLock()

    @property
    def options(self) -> Mapping[str, CatalogOptions]:
        """The configurations by name. Raises CatalogConfigurationError."""
        if self._options is None:
            self._options = self._find()
        return self._options

    def type_of(self, catalog: str) -> str | None:
        """The type of an external catalog; None for any other. Opens nothing."""
        options = None if catalog == DEFAULT_CATALOG else self.options.get(catalog)
        return None if options is None else options.type

    def store(self, catalog: str) -> ExternalStore | None:
        """The store of an external catalog; None for any other name. Raises CatalogLibraryMissingError."""
        if catalog == DEFAULT_CATALOG or catalog not in self.options:
            return None
        with self._lock:
            if catalog not in self._stores:
                store = self._stores[catalog] = _opened(self.options[catalog])
                if self._read_facts is not None:
                    store.read_facts = self._read_facts
            return self._stores[catalog]

    @property
    def opened(self) -> Sequence[ExternalStore]:
        """The stores that were asked so far."""
        return tuple(self._stores.values())

    def manager(self, location: str) -> ExternalStore | None:
        """The external catalog that ratifies the commits of the table at a location; None if there is none."""
        return next((store for store in self.opened if store.manages(location)), None)

    def lend(self, location: str) -> Lent | None:
        """Credentials for the storage of a table of an external catalog; None for any other location."""
        return next((lent for store in self.opened if (lent := store.lend(location)) is not None), None)

    def mirror(self, location: str, described: MirroredTable) -> None:
        """Has the catalogs repeat what was committed to a table. A failure is logged: the log has the table."""
        for store in self.opened:
            try:
                store.mirror(location, described)
            except (DeltaSqlError, NameMissingError) as error:
                version = described.version
                _LOGGER.warning("catalog %s does not show version %d of %s: %s", store.name, version, location, error)

    def close(self) -> None:
        """Closes connections; a later call opens them again."""
        for store in self.opened:
            store.close()


def _opened(options: CatalogOptions) -> ExternalStore:
    kind = TYPES[options.type]
    try:
        store = getattr(import_module(kind.module), kind.opener)(options)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("deltasql"):
            raise
        package = error.name or kind.extra
        raise CatalogLibraryMissingError(
            catalog=options.name, type=options.type, package=package, extra=kind.extra
        ) from None
    assert isinstance(store, ExternalStore)
    return store


class RoutedStore:
    """A CatalogStore that passes each call to the store of the catalog it is about."""

    def __init__(self, embedded: CatalogStore, external: ExternalCatalogs) -> None:
        self._embedded, self._external = embedded, external

    def _of(self, catalog: str) -> CatalogStore | ExternalStore:
        return self._external.store(catalog) or self._embedded

    @property
    def commits(self) -> CommitStore:
        """Commits of the tables that the embedded catalog manages; external ones have a CommitCatalog."""
        return self._embedded.commits

    def catalogs(self) -> Collection[str]:
        return {*self._embedded.catalogs(), *self._external.options}

    def catalog(self, name: str) -> StoredCatalog | None:
        return self._of(name).catalog(name)

    def add_catalog(self, catalog: StoredCatalog, default: StoredSchema) -> None:
        if self._external.type_of(catalog.name) is not None:
            raise NameTakenError
        self._embedded.add_catalog(catalog, default)

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        self._of(name).change_catalog(name, change)

    def remove_catalog(self, name: str) -> None:
        self._of(name).remove_catalog(name)

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        found = self._of(catalog).schemas(catalog)
        if self._external.type_of(catalog) is None:
            return found
        return [schema for schema in found if schema.name != INFORMATION_SCHEMA]

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        # Of the information schema of an external catalog, the views are deltasql's.
        if key[1] == INFORMATION_SCHEMA and self._external.type_of(key[0]) is not None:
            return None
        return self._of(key[0]).schema(key)

    def add_schema(self, schema: StoredSchema) -> None:
        self._of(schema.catalog).add_schema(schema)

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        self._of(key[0]).change_schema(key, change)

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        return self._of(key[0]).drop_schema(key, cascade)

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        if schema[1] == INFORMATION_SCHEMA and self._external.type_of(schema[0]) is not None:
            raise NameMissingError(Kind.SCHEMA)
        return self._of(schema[0]).entries(schema)

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        """Tables of the warehouse; external catalogs choose the locations of their new tables themselves."""
        return self._embedded.tables_below(location)

    def entry(self, key: TableKey) -> Entry | None:
        if key[1] == INFORMATION_SCHEMA and self._external.type_of(key[0]) is not None:
            return None
        return self._of(key[0]).entry(key)

    def add_table(self, entry: TableEntry) -> None:
        self._of(entry.catalog).add_table(entry)

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        return self._of(key[0]).remove(key, kind)

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        store = self._of(key[0])
        if store is not self._of(new[0]):
            raise RenameAcrossCatalogsError(
                table=sql_name(key),
                new_name=sql_name(new),
                system=self._external.type_of(key[0]) or EMBEDDED,
                new_system=self._external.type_of(new[0]) or EMBEDDED,
            )
        return store.rename(key, new)

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        return self._of(key[0]).change_table(key, change)

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        self._of(key[0]).change_view(key, change)

    def change_governance(self, key: TableKey, change: Callable[[Governance], Governance]) -> None:
        """Records of the warehouse; those of external catalogs are their servers' own."""
        self._embedded.change_governance(key, change)

    def securables(self) -> Sequence[Securable]:
        return self._embedded.securables()

    def change_securable(self, key: tuple[str, str], change: Callable[[Securable | None], Securable | None]) -> None:
        self._embedded.change_securable(key, change)

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        return self._of(schema[0]).functions(schema)

    def function(self, key: TableKey) -> FunctionEntry | None:
        return self._of(key[0]).function(key)

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        self._of(key[0]).change_function(key, change)

    def volumes(self, schema: SchemaKey) -> Volumes:
        return self._of(schema[0]).volumes(schema)

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        self._of(schema[0]).change_volumes(schema, change)

    def close(self) -> None:
        self._external.close()
        self._embedded.close()
