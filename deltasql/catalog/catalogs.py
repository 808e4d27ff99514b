"""Statements on catalogs: create, describe, comment on, drop and use one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from deltasql.base.errors.catalog import (
    CatalogAlreadyExistsError,
    CatalogNotEmptyError,
    DropDefaultCatalogError,
    InformationSchemaReadOnlyError,
)
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    CatalogEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    checked,
    now,
    sql_name,
)
from deltasql.catalog.governed import Governed
from deltasql.catalog.information import SYSTEM
from deltasql.catalog.store import NameMissingError, NameTakenError, SchemaInUseError


class Catalogs(Governed):
    """The catalogs of a warehouse. Names are stored in lower case."""

    def create_catalog(
        self,
        name: str,
        if_not_exists: bool = False,
        comment: str | None = None,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> bool:
        """Creates a catalog with its default schema; False when it existed. Raises CatalogAlreadyExistsError."""
        place = None if location is None else self.absolute(location)
        if name.lower() == SYSTEM:
            raise InformationSchemaReadOnlyError(name=SYSTEM)
        catalog = StoredCatalog(checked(name), comment, place, now(), dict(properties or {}))
        try:
            self._store.add_catalog(catalog, StoredSchema(catalog.name, DEFAULT_SCHEMA, None, None, now()))
        except NameTakenError:
            if if_not_exists:
                return False
            raise CatalogAlreadyExistsError(catalog=sql_name((catalog.name,))) from None
        return True

    def catalog(self, name: str) -> CatalogEntry:
        """One catalog. Raises CatalogNotFoundError."""
        stored = self._store.catalog(name.lower())
        if stored is None:
            raise self._catalog_not_found(name)
        place = self._location_of(stored.name, stored)
        properties = dict(stored.properties)
        return CatalogEntry(stored.name, stored.comment, place, stored.created_at, properties, stored.governance)

    def comment_on_catalog(self, name: str, comment: str | None) -> None:
        """Sets the comment of a catalog, None for none. Raises CatalogNotFoundError."""
        self._change_catalog(name, lambda catalog: replace(catalog, comment=comment))

    def change_catalog_properties(self, name: str, added: Mapping[str, str], removed: Sequence[str]) -> None:
        """Sets and removes properties of a catalog; missing keys to remove are ignored. Raises CatalogNotFoundError."""

        def change(catalog: StoredCatalog) -> StoredCatalog:
            kept = {key: value for key, value in catalog.properties.items() if key not in removed}
            return replace(catalog, properties={**kept, **added})

        self._change_catalog(name, change)

    def drop_catalog(self, name: str, cascade: bool = False, if_exists: bool = False) -> list[TableEntry]:
        """Drops a catalog; returns its dropped tables, whose files the caller must remove.

        Schemas are dropped one by one, and the catalog when none is left: a drop that was interrupted leaves a catalog
        with fewer schemas. Raises CatalogNotFoundError, CatalogNotEmptyError, DropDefaultCatalogError.
        """
        catalog, dropped = name.lower(), list[TableEntry]()
        if catalog == DEFAULT_CATALOG:
            raise DropDefaultCatalogError(catalog=catalog)
        if (external := self.external.store(catalog)) is not None:
            # Before any of its schemas is gone.
            raise external.refused("DROP CATALOG")
        while True:
            try:
                dropped += self._drop_schemas(catalog, cascade)
                self._store.remove_catalog(catalog)
            except NameMissingError:
                if if_exists:
                    return dropped
                raise self._catalog_not_found(name) from None
            except SchemaInUseError as error:
                # A schema that was created meanwhile is dropped too.
                if not cascade:
                    raise CatalogNotEmptyError(catalog=sql_name((catalog,)), names=tuple(error.names)) from None
            else:
                return dropped

    def _change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        try:
            self._store.change_catalog(name.lower(), change)
        except NameMissingError:
            raise self._catalog_not_found(name) from None

    def _drop_schemas(self, catalog: str, cascade: bool) -> list[TableEntry]:
        """Drops the schemas of a catalog. Without `cascade` raises SchemaInUseError but for an empty `default`."""
        schemas = [stored.name for stored in self._store.schemas(catalog)]
        others = sorted(schema for schema in schemas if schema != DEFAULT_SCHEMA)
        if others and not cascade:
            raise SchemaInUseError(others)
        dropped: list[TableEntry] = []
        for schema in schemas:
            with suppress(NameMissingError):
                dropped += self._store.drop_schema((catalog, schema), cascade)
        return dropped

    def use_catalog(self, name: str) -> None:
        """Makes a catalog and its default schema current. Raises CatalogNotFoundError."""
        catalog = name.lower()
        if catalog not in self.catalogs():
            raise self._catalog_not_found(name)
        self.current_catalog, self.current_schema = catalog, DEFAULT_SCHEMA
