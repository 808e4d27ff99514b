"""The embedded catalog: names of catalogs, schemas, tables, views, functions and volumes, and locations of tables.

A volume is the name of a folder for files that are no tables; paths may stand for it. Source: Databricks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from typing import cast

from deltasql.base import errors, meant, similar_names
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    UNGOVERNED,
    CatalogEntry,
    Entry,
    FunctionDefinition,
    FunctionEntry,
    Governance,
    RefreshDefinition,
    SchemaEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    TableSource,
    ViewDefinition,
    ViewEntry,
    VolumeEntry,
    checked,
    matching,
    now,
    sql_name,
)
from deltasql.catalog.external.routing import ExternalStore
from deltasql.catalog.names import CatalogNames, Governed, Lookups, Name, as_parts
from deltasql.catalog.store import (
    CATALOGS,
    FUNCTIONS,
    RELATIONS,
    SCHEMAS,
    VOLUMES,
    Kind,
    NameMissingError,
    NameTakenError,
    SchemaInUseError,
    SchemaKey,
    TableKey,
    added,
    of_kind,
    required,
)
from deltasql.log import is_local, is_relative, local_path, relative_location

_VOLUMES = re.compile(r"(?:dbfs:)?/+Volumes(?:/+(?P<rest>.*))?", re.DOTALL)


class Volumes(CatalogNames):
    """The volumes of a warehouse. Names are stored in lower case."""

    def volumes(self, schema: Name | None = None, pattern: str | None = None) -> list[VolumeEntry]:
        """Volumes of one schema (the current one if None), by name. Raises SchemaNotFoundError."""
        key = self._schema_key(self.current_schema if schema is None else schema)
        found = self._volumes(key)
        if not found:
            self._schema_folder(key)
        return [found[name] for name in matching(found, pattern)]

    def volume(self, name: Name) -> VolumeEntry:
        """The volume of this name. Raises VolumeNotFoundError."""
        key = self._table_key(name)
        return self._store.get(VOLUMES, key) or self._existing(self._volumes(key[:2]), key)

    def create_volume(
        self, name: Name, comment: str | None = None, location: str | None = None, if_not_exists: bool = False
    ) -> None:
        """Adds a volume: a managed one without a `location`.

        Raises VolumeAlreadyExistsError, SchemaNotFoundError, InvalidNameError.
        """
        key = self._table_key(name)
        checked(key[2])
        managed = f"{self._schema_folder(key[:2])}/{key[2]}.volume"

        def add(found: VolumeEntry | None) -> VolumeEntry:
            if found is not None:
                if if_not_exists:
                    return found
                raise errors.VolumeAlreadyExistsError(volume=sql_name(key))
            place = _free(managed, self._volumes(key[:2])) if location is None else self.absolute(location)
            return VolumeEntry(*key, place, location is None, now(), comment)

        self._change_volume(key, add)

    def drop_volume(self, name: Name) -> VolumeEntry:
        """Removes a volume's name; returns its old entry, whose files the caller must remove.

        Raises VolumeNotFoundError.
        """
        key, dropped = self._table_key(name), list[VolumeEntry]()

        def drop(found: VolumeEntry | None) -> None:
            dropped[:] = [found or self._existing(self._volumes(key[:2]), key)]

        self._change_volume(key, drop)
        return dropped[0]

    def rename_volume(self, name: Name, new_name: str) -> None:
        """Renames a volume in its schema; its files stay. Raises VolumeNotFoundError, VolumeAlreadyExistsError."""
        key = self._table_key(name)
        new = (*key[:2], checked(new_name))
        try:
            self._change_volume(
                key, lambda found: replace(found or self._existing(self._volumes(key[:2]), key), name=new[2])
            )
        except NameTakenError:
            raise errors.VolumeAlreadyExistsError(volume=sql_name(new)) from None

    def comment_on_volume(self, name: Name, comment: str | None) -> None:
        """Sets the comment of a volume, None for none. Raises VolumeNotFoundError."""
        key = self._table_key(name)
        self._change_volume(
            key, lambda found: replace(found or self._existing(self._volumes(key[:2]), key), comment=comment)
        )

    def located(self, path: str) -> str:
        """`path`, or its place in the folder of a volume or below the working directory of the session.

        Volumes are at /Volumes/catalog/schema/volume. A relative path is below the working directory. A folder
        /Volumes of this machine is meant where no catalog has the name of the first folder in it.
        Raises VolumeNotFoundError, VolumePathError.
        """
        match = _VOLUMES.fullmatch(path)
        if match is None:
            return relative_location(path, self.directory) if is_relative(path) else path
        return self._in_volume(path, match["rest"] or "")

    def _in_volume(self, path: str, rest: str) -> str:
        parts = [part for part in rest.split("/") if part not in {"", "."}]
        if parts and parts[0].lower() not in self.catalogs():
            if not path.startswith("dbfs:") and os.path.exists(f"/Volumes/{parts[0]}"):  # noqa: PTH110 - no pathlib
                return path
            raise self._catalog_not_found(parts[0])
        if len(parts) < 3 or ".." in parts[:3]:
            raise errors.VolumePathError(path=path, reason="it does not name a catalog, a schema and a volume")
        return "/".join((self.volume(parts[:3]).location, *_inside(parts[3:], path)))

    def is_volume(self, path: str) -> bool:
        """Whether a path stands for the folder of a volume itself. Raises what `located` raises."""
        match = _VOLUMES.fullmatch(path)
        names = [] if match is None else [part for part in (match["rest"] or "").split("/") if part]
        return len(names) >= 3 and self.located(path) == self.volume(names[:3]).location

    def leads_out(self, path: str) -> bool:
        """Whether symbolic links lead a path of a volume on this machine out of the volume's folder.

        The folder itself may be one. Raises what `located` raises.
        """
        location = self.located(path)
        match = _VOLUMES.fullmatch(path)
        if match is None or location == path or not is_local(location):
            return False
        volume = self.volume([part for part in match["rest"].split("/") if part not in {"", "."}][:3])
        place, folder = (os.path.realpath(local_path(item)) for item in (location, volume.location))
        return os.path.commonpath((place, folder)) != folder

    def _schema_folder(self, key: SchemaKey) -> str:
        """The location of a schema. Raises SchemaNotFoundError."""
        stored = self._store.get(SCHEMAS, key)
        if stored is None:
            raise self._schema_not_found(*key)
        return self._placed(stored, self._catalog_location(key[0])).location

    def _existing(self, found: Mapping[str, VolumeEntry], key: TableKey) -> VolumeEntry:
        entry = found.get(key[2])
        if entry is not None:
            return entry
        self._schema_folder(key[:2])
        similar = tuple(sql_name((*key[:2], name)) for name in similar_names(key[2], found, most=3))
        advice = meant(similar) or "Run SHOW VOLUMES to see what exists."
        raise errors.VolumeNotFoundError(volume=sql_name(key), advice=advice, similar=similar)

    def _volumes(self, key: SchemaKey) -> Mapping[str, VolumeEntry]:
        return {entry.name: entry for entry in self._store.list(VOLUMES, key)}

    def _change_volume(self, key: TableKey, change: Callable[[VolumeEntry | None], VolumeEntry | None]) -> None:
        try:
            self._store.edit(VOLUMES, key, change)
        except NameMissingError:
            raise self._schema_not_found(*key[:2]) from None


def _inside(parts: Sequence[str], path: str) -> list[str]:
    """The parts of a path below a volume's folder, without `..`. Raises VolumePathError for one that leads out."""
    inside: list[str] = []
    for part in parts:
        if part != "..":
            inside.append(part)
        elif inside:
            inside.pop()
        else:
            raise errors.VolumePathError(path=path, reason="it leads out of the volume")
    return inside


def _free(wanted: str, found: Mapping[str, VolumeEntry]) -> str:
    """A folder that no volume uses: a renamed one keeps its own."""
    taken = {entry.location for entry in found.values()}
    candidates = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
    return next(place for place in candidates if place not in taken)


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
        catalog = StoredCatalog(checked(name), comment, place, now(), dict(properties or {}))
        try:
            self._store.edit(CATALOGS, catalog.key, added(catalog))
        except NameTakenError:
            if if_not_exists:
                return False
            raise errors.CatalogAlreadyExistsError(catalog=sql_name((catalog.name,))) from None
        return True

    def catalog(self, name: str) -> CatalogEntry:
        """One catalog. Raises CatalogNotFoundError."""
        stored = self._store.get(CATALOGS, (name.lower(),))
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
            raise errors.DropDefaultCatalogError(catalog=catalog)
        if (external := self.external.store(catalog)) is not None:
            # Before any of its schemas is gone.
            raise external.refused("DROP CATALOG")
        while True:
            try:
                dropped += self._drop_schemas(catalog, cascade)
                self._store.remove((catalog,))
            except NameMissingError:
                if if_exists:
                    return dropped
                raise self._catalog_not_found(name) from None
            except SchemaInUseError as error:
                # A schema that was created meanwhile is dropped too.
                if not cascade:
                    raise errors.CatalogNotEmptyError(catalog=sql_name((catalog,)), names=tuple(error.names)) from None
            else:
                return dropped

    def _change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        try:
            self._store.edit(CATALOGS, (name.lower(),), required(Kind.CATALOG, change), Kind.CATALOG)
        except NameMissingError:
            raise self._catalog_not_found(name) from None

    def _drop_schemas(self, catalog: str, cascade: bool) -> list[TableEntry]:
        """Drops the schemas of a catalog. Without `cascade` raises SchemaInUseError but for an empty `default`."""
        schemas = [stored.name for stored in self._store.list(SCHEMAS, (catalog,))]
        others = sorted(schema for schema in schemas if schema != DEFAULT_SCHEMA)
        if others and not cascade:
            raise SchemaInUseError(others)
        dropped: list[TableEntry] = []
        for schema in schemas:
            with suppress(NameMissingError):
                dropped += self._store.remove((catalog, schema), cascade)
        return dropped

    def use_catalog(self, name: str) -> None:
        """Makes a catalog and its default schema current. Raises CatalogNotFoundError."""
        catalog = name.lower()
        if catalog not in self.catalogs():
            raise self._catalog_not_found(name)
        self.current_catalog, self.current_schema = catalog, DEFAULT_SCHEMA


class Catalog(Catalogs, Volumes):
    """Names of a warehouse. Names are stored in lower case; missing parts come from the current catalog and schema.

    The current schema is per object; everything else is shared by all processes and machines that use the warehouse.
    On a local disk names are in a SQLite file, else in objects of the warehouse, which `open_store` opens.
    """

    def close(self) -> None:
        """Closes the file, which a later call opens again, and removes the temporary tables."""
        self.temporary.close()
        self._store.close()

    # Schemas

    def create_schema(
        self,
        name: Name,
        comment: str | None = None,
        location: str | None = None,
        if_not_exists: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> bool:
        """Creates a schema; False when it existed. Raises SchemaAlreadyExistsError, CatalogNotFoundError."""
        catalog, schema = self._schema_key(name)
        checked(schema)
        if not if_not_exists:
            self._refuse_information_schema(catalog, schema)
        elif self._information_catalog(catalog, schema) is not None:
            return False
        place = None if location is None else self.absolute(location)
        try:
            stored = StoredSchema(catalog, schema, comment, place, now(), dict(properties or {}))
            self._store.edit(SCHEMAS, stored.key, added(stored))
        except NameTakenError:
            if if_not_exists:
                return False
            raise errors.SchemaAlreadyExistsError(schema=sql_name((schema,))) from None
        except NameMissingError:
            raise self._schema_not_found(catalog, schema) from None
        return True

    def drop_schema(self, name: Name, cascade: bool = False, if_exists: bool = False) -> list[TableEntry]:
        """Drops a schema; returns its dropped tables and volumes, whose files the caller must remove.

        Raises SchemaNotFoundError, SchemaNotEmptyError, DropDefaultSchemaError.
        """
        catalog, schema = self._schema_key(name)
        if (catalog, schema) == (DEFAULT_CATALOG, DEFAULT_SCHEMA):
            raise errors.DropDefaultSchemaError(schema=schema)
        try:
            return list(self._store.remove((catalog, schema), cascade))
        except NameMissingError:
            self._refuse_information_schema(catalog, schema)
            if if_exists:
                return []
            raise self._schema_not_found(catalog, schema) from None
        except SchemaInUseError as error:
            raise errors.SchemaNotEmptyError(schema=sql_name((schema,)), tables=tuple(error.names)) from None

    def comment_on_schema(self, name: Name, comment: str | None) -> None:
        """Sets the comment of a schema, None for none. Raises SchemaNotFoundError."""
        self._change_schema(name, lambda schema: replace(schema, comment=comment))

    def change_schema_properties(self, name: Name, added: Mapping[str, str], removed: Sequence[str]) -> None:
        """Sets and removes properties of a schema; missing keys to remove are ignored. Raises SchemaNotFoundError."""

        def change(schema: StoredSchema) -> StoredSchema:
            kept = {key: value for key, value in schema.properties.items() if key not in removed}
            return replace(schema, properties={**kept, **added})

        self._change_schema(name, change)

    def schemas(self, pattern: str | None = None, catalog: str | None = None) -> list[SchemaEntry]:
        """Schemas of one catalog (the current one if None), by name. For `pattern` see `entries.matching`."""
        owner = self.current_catalog if catalog is None else catalog.lower()
        place = self._catalog_location(owner)
        found = {stored.name: self._placed(stored, place) for stored in self._store.list(SCHEMAS, (owner,))}
        return [found[name] for name in matching(found, pattern)]

    def schema(self, name: Name) -> SchemaEntry:
        """One schema. Raises SchemaNotFoundError."""
        catalog, schema = self._schema_key(name)
        stored = self._store.get(SCHEMAS, (catalog, schema))
        if stored is None:
            found = self._information_catalog(catalog, schema)
            if found is None:
                raise self._schema_not_found(catalog, schema)
            return SchemaEntry(catalog, schema, "Views about the catalog", "", found.created_at)
        return self._placed(stored, self._catalog_location(catalog))

    def has_schema(self, name: Name) -> bool:
        """Whether there is a schema of this name."""
        key = self._schema_key(name)
        return self._store.get(SCHEMAS, key) is not None or self._information_catalog(*key) is not None

    def use(self, name: Name) -> None:
        """Makes a schema (and its catalog) the current one. Raises SchemaNotFoundError."""
        entry = self.schema(name)
        self.current_catalog, self.current_schema = entry.catalog, entry.name

    def within(self, catalog: str, schema: str, temporary: Collection[str] = ()) -> Catalog:
        """A view of this catalog with another current schema, which need not exist, and these `temporary` tables."""
        other = copy(self)
        other.current_catalog, other.current_schema = catalog, schema
        other.temporary = self.temporary.showing(temporary)
        return other

    def looked_at_once(self) -> Catalog:
        """A view of this catalog for one statement, with cached look-ups: each name is read once."""
        other = copy(self)
        other._lookups = Lookups(self._store, once=True)
        return other

    # Tables

    def tables(self, schema: Name | None = None, pattern: str | None = None) -> list[TableEntry]:
        """Tables of one schema (the current one if None), by name. Raises SchemaNotFoundError."""
        return [entry for entry in self.entries(schema, pattern) if isinstance(entry, TableEntry)]

    def entries(self, schema: Name | None = None, pattern: str | None = None) -> list[Entry]:
        """Tables and views of one schema (the current one if None), by name. Raises SchemaNotFoundError."""
        key = self._schema_key(self.current_schema if schema is None else schema)
        try:
            found = {entry.name: entry for entry in (*self._sample_views(key), *self._store.list(RELATIONS, key))}
        except NameMissingError:
            built_in = self._information_views(key) or self._sample_views(key) or None
            if built_in is None:
                raise self._schema_not_found(*key) from None
            found = {entry.name: entry for entry in built_in}
        return [found[name] for name in matching(found, pattern)]

    def find(self, parts: Name) -> Entry | None:
        """The table or view of this name, or None."""
        key = self._relation_key(parts)
        return self._lookups.entry(key) or self._information_view(key) or self._sample_view(key)

    def resolve(self, parts: Name) -> TableEntry | None:
        """The table of this name, or None."""
        entry = self.find(parts)
        return entry if isinstance(entry, TableEntry) else None

    def resolve_again(self, parts: Name) -> TableEntry | None:
        """The table of this name, or None, as the store has it now."""
        self._lookups.forget(self._relation_key(parts))
        return self.resolve(parts)

    def view(self, parts: Name) -> ViewEntry | None:
        """The view of this name, or None."""
        entry = self.find(parts)
        return entry if isinstance(entry, ViewEntry) else None

    def require(self, parts: Name, views: Collection[str] = ()) -> TableEntry:
        """The table of this name.

        Raises TableNotFoundError with similar names, including those of a session's `views`.
        """
        entry = self.resolve(parts)
        if entry is None:
            raise self._table_not_found(parts, views)
        return entry

    def register(
        self,
        parts: Name,
        location: str,
        managed: bool,
        source: TableSource | None = None,
        refreshed: RefreshDefinition | None = None,
        governance: Governance = UNGOVERNED,
    ) -> TableEntry:
        """Adds a table, with its `source` if it is none of Delta's; of concurrent calls for one name, one succeeds.

        Raises TableAlreadyExistsError, SchemaNotFoundError, InvalidNameError.
        """
        catalog, schema, name = self._table_key(parts)
        place = self.absolute(location)
        entry = TableEntry(catalog, schema, checked(name), place, managed, now(), source, refreshed, governance)
        with self._explained(entry.parts, entry.parts):
            self._store.edit(RELATIONS, entry.parts, added(cast("Entry", entry)))
        return entry

    def unregister(self, parts: Name) -> TableEntry:
        """Removes a table's name; returns its old entry. Raises TableNotFoundError."""
        with self._explained(parts):
            entry = self._removed(self._relation_key(parts), Kind.TABLE)
            assert isinstance(entry, TableEntry)
            return entry

    def rename(self, parts: Name, new_parts: Name) -> Entry:
        """Renames a table or view; returns the new entry. Files are not moved, so that readers and writers go on.

        A new name of one part stays in the table's schema.
        Raises TableNotFoundError, TableAlreadyExistsError, SchemaNotFoundError, InvalidNameError.
        """
        old = self._table_key(parts)
        new = as_parts(new_parts)
        catalog, schema, name = (*old[:2], new[0].lower()) if len(new) == 1 else self._table_key(new)
        try:
            checked(name)
        except errors.InvalidNameError:
            # A missing table or schema is reported first.
            self.require(parts)
            self.schema((catalog, schema))
            raise
        with self._explained(parts, (catalog, schema, name)):
            return self._store.move(old, (catalog, schema, name))

    def set_location(self, parts: Name, location: str) -> TableEntry:
        """Sets the location of a table, which becomes external; returns the new entry. Raises TableNotFoundError."""
        with self._explained(parts):
            place = self.absolute(location)
            return self._changed_table(parts, lambda table: replace(table, location=place, managed=False))

    def define(self, parts: Name, definition: RefreshDefinition) -> TableEntry:
        """Sets the definition of a materialized view or streaming table; returns the new entry.

        Raises TableNotFoundError.
        """
        with self._explained(parts):
            return self._changed_table(parts, lambda table: replace(table, refreshed=definition))

    def change_source(self, parts: Name, change: Callable[[TableSource], TableSource]) -> None:
        """Changes the stored source of a table of another format; a Delta table is left as it is.

        Raises TableNotFoundError.
        """

        def changed(entry: TableEntry) -> TableEntry:
            return entry if entry.source is None else replace(entry, source=change(entry.source))

        with self._explained(parts):
            self._changed_table(parts, changed)

    # Views and functions

    def change_view(self, parts: Name, change: Callable[[Entry | None], ViewDefinition]) -> None:
        """Creates or replaces a view with the definition that `change` returns for the current entry of the name.

        `change` may be called again; if it raises, nothing is changed. Raises SchemaNotFoundError, InvalidNameError.
        """
        key = self._table_key(parts)
        checked(key[2])

        def changed(found: Entry | None) -> ViewEntry:
            definition = change(found)
            return found.defined(definition) if isinstance(found, ViewEntry) else ViewEntry(*key, definition, now())

        try:
            self._store.edit(RELATIONS, key, changed)
        except NameMissingError:
            raise self._schema_not_found(*key[:2]) from None

    def drop_view(self, parts: Name) -> bool:
        """Removes a view; False if there is none."""
        try:
            self._removed(self._table_key(parts), Kind.VIEW)
        except NameMissingError:
            self.refuse_information(parts)
            return False
        return True

    def functions(self, schema: Name | None = None, pattern: str | None = None) -> list[FunctionEntry]:
        """Functions of one schema (the current one if None), by name."""
        return self._routines(schema, pattern, is_procedure=False)

    def procedures(self, schema: Name | None = None, pattern: str | None = None) -> list[FunctionEntry]:
        """Procedures of one schema (the current one if None), by name."""
        return self._routines(schema, pattern, is_procedure=True)

    def _routines(self, schema: Name | None, pattern: str | None, *, is_procedure: bool) -> list[FunctionEntry]:
        key = self._schema_key(self.current_schema if schema is None else schema)
        listed = self._store.list(FUNCTIONS, key)
        found = {entry.name: entry for entry in listed if entry.definition.is_procedure == is_procedure}
        return [found[name] for name in matching(found, pattern)]

    def routine(self, parts: Name) -> FunctionEntry | None:
        """The function or procedure of this name, or None."""
        return self._lookups.function(self._table_key(parts))

    def function(self, parts: Name) -> FunctionEntry | None:
        """The function of this name, or None."""
        found = self.routine(parts)
        return None if found is None or found.definition.is_procedure else found

    def procedure(self, parts: Name) -> FunctionEntry | None:
        """The procedure of this name, or None."""
        found = self.routine(parts)
        return found if found is not None and found.definition.is_procedure else None

    def change_function(self, parts: Name, change: Callable[[FunctionEntry | None], FunctionDefinition | None]) -> None:
        """Like `change_view` for a function or procedure, which is removed if `change` returns None.

        Raises OtherRoutineError where one of them has the name of the other.
        """
        key = self._table_key(parts)
        checked(key[2])

        def changed(found: FunctionEntry | None) -> FunctionEntry | None:
            definition = change(found)
            if definition is None:
                return None
            if found is not None and found.definition.is_procedure != definition.is_procedure:
                kind = "procedure" if found.definition.is_procedure else "function"
                raise errors.OtherRoutineError(sql_name(key), kind, kind.upper())
            # Privileges on a function outlive its replacement.
            return FunctionEntry(*key, definition, now(), UNGOVERNED if found is None else found.governance)

        try:
            self._store.edit(FUNCTIONS, key, changed)
        except NameMissingError:
            raise self._schema_not_found(*key[:2]) from None

    def managed_location(self, parts: Name) -> str:
        """The location of a new managed table of this name: `<location of its schema>/<table>`.

        A number is appended if a renamed table still uses that location. Raises SchemaNotFoundError.
        """
        self.refuse_information(parts)
        catalog, schema, name = self._table_key(parts)
        if (external := self.external.store(catalog)) is not None:
            return self._external_location(external, (catalog, schema, checked(name)))
        wanted = f"{self.schema((catalog, schema)).location}/{checked(name)}"
        key = (catalog, schema, name)
        taken = {entry.location for entry in self._store.below(wanted) if entry.parts != key}
        candidates = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
        return next(place for place in candidates if place not in taken)

    def full_name(self, parts: Name) -> tuple[str, str, str]:
        """(catalog, schema, table) in lower case, with the missing parts filled in. Raises TooManyNamePartsError."""
        return self._table_key(parts)

    def relation_name(self, parts: Name) -> tuple[str, str, str]:
        """`full_name` of a table or view that may be a temporary table."""
        return self._relation_key(parts)

    # Inner parts

    def _external_location(self, store: ExternalStore, key: TableKey) -> str:
        """The location that an external catalog has for a new table: its own choice, or below that of the schema."""
        try:
            chosen = store.new_location(key)
        except NameMissingError:
            raise self._schema_not_found(*key[:2]) from None
        if chosen is not None:
            return chosen
        place = self.schema(key[:2]).location
        if not place:
            raise store.refused(f"tables without LOCATION in the schema {sql_name(key[1:2])}, which has no location")
        return f"{place}/{key[2]}"

    def _changed_table(self, parts: Name, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        """Replaces the entry of a table, which is returned. Raises NameMissingError."""

        def changed(found: Entry | None) -> TableEntry:
            entry = of_kind(found, Kind.TABLE)
            assert isinstance(entry, TableEntry)
            return change(entry)

        result = self._store.edit(RELATIONS, self._relation_key(parts), changed, Kind.TABLE)
        assert isinstance(result, TableEntry)
        return result

    def _removed(self, key: TableKey, kind: Kind) -> Entry:
        """Removes a table or a view; returns its entry. Raises NameMissingError."""
        removed: list[Entry] = []

        def remove(found: Entry | None) -> None:
            removed[:] = [of_kind(found, kind)]

        self._store.edit(RELATIONS, key, remove, kind)
        return removed[0]

    def _change_schema(self, name: Name, change: Callable[[StoredSchema], StoredSchema]) -> None:
        key = self._schema_key(name)
        try:
            self._store.edit(SCHEMAS, key, required(Kind.SCHEMA, change), Kind.SCHEMA)
        except NameMissingError:
            raise self._schema_not_found(*key) from None

    @contextmanager
    def _explained(self, parts: Name, new: TableKey | None = None) -> Iterator[None]:
        """Context: converts conflicts of a change to the table `parts`, or to its new name `new`, to user errors."""
        try:
            yield
        except NameMissingError as error:
            if error.kind in {Kind.TABLE, Kind.VIEW} or new is None:
                raise self._table_not_found(parts) from None
            raise self._schema_not_found(*new[:2]) from None
        except NameTakenError:
            raise errors.TableAlreadyExistsError(table=sql_name(new or self._table_key(parts))) from None
