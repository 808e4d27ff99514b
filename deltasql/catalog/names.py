"""Full names in the catalog, their default locations, look-ups of single names, and records of governance.

Look-ups are uncached, or cached for one statement. A name that does not exist is an error with suggestions of others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, Union

from deltasql.base import DeltaSqlError, errors, meant, similar_names
from deltasql.catalog.commit_stores import CommitRegistry
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    UNGOVERNED,
    Entry,
    FunctionEntry,
    Governance,
    SchemaEntry,
    Securable,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewEntry,
    checked,
    matching,
    now,
    sql_name,
)
from deltasql.catalog.external.routing import ExternalCatalogs, RoutedCommits, RoutedStore
from deltasql.catalog.first_catalogs import FirstCatalogs, UnrecordedCatalog
from deltasql.catalog.object_store import ObjectCatalogStore
from deltasql.catalog.samples import sample_view, sample_views
from deltasql.catalog.sqlite_store import SqliteCatalogStore
from deltasql.catalog.store import (
    CATALOGS,
    FUNCTIONS,
    INFORMATION_SCHEMA,
    RELATIONS,
    SAMPLES,
    SCHEMAS,
    SECURABLES,
    SYSTEM,
    VOLUMES,
    CatalogStore,
    Kind,
    NameMissingError,
    NameTakenError,
    RecordGroup,
    SchemaKey,
    TableKey,
    has_information_view,
    information_view,
    information_views,
    required,
)
from deltasql.catalog.temporary import SESSION, TemporaryTables
from deltasql.log import (
    LAST_CHECKPOINT,
    LOG,
    LogStore,
    absolute_location,
    commit_path,
    is_local,
    is_same_directory,
    open_store,
)
from deltasql.schema import quote_name as quote

Name: TypeAlias = Union[str, Sequence[str]]
"""One part as a string, or all parts in order."""


class CatalogNames:
    """The current catalog and schema, which complete names, and the default locations of schemas."""

    def __init__(
        self,
        warehouse: str,
        open_store: Callable[[str], LogStore] = open_store,
        external: ExternalCatalogs | None = None,
        directory: str = "",
    ) -> None:
        self.directory = absolute_location(directory)
        """Relative paths are below it: by default the working directory in which the session began."""
        self.warehouse = absolute_location(warehouse)
        self.current_catalog = DEFAULT_CATALOG
        self.current_schema = DEFAULT_SCHEMA
        self._open_store = open_store
        self.external = external or ExternalCatalogs()
        embedded: CatalogStore = (
            SqliteCatalogStore(self.warehouse)
            if is_local(self.warehouse)
            else ObjectCatalogStore(lambda: open_store(self.warehouse))
        )
        self.temporary = TemporaryTables()
        """The temporary tables of the session."""
        self._store: CatalogStore = RoutedStore(FirstCatalogs(embedded), self.external, self.temporary)
        self._lookups = Lookups(self._store)
        self.commits = RoutedCommits(CommitRegistry(self._store.commits), self.external)
        """The commits of the tables that a catalog manages."""

    def absolute(self, location: str) -> str:
        """The location of a path or URL of a statement; a relative path is below the directory of the session."""
        return absolute_location(location, self.directory)

    def catalogs(self, pattern: str | None = None) -> list[str]:
        """Names of all catalogs, sorted."""
        return matching([catalog.name for catalog in self._store.list(CATALOGS)], pattern)

    def used_catalogs(self) -> list[str]:
        """Names of the catalogs in which something was created, and of external ones, sorted."""
        found = (item for item in self._store.list(CATALOGS) if not isinstance(item, UnrecordedCatalog))
        return matching([catalog.name for catalog in found], None)

    def _schema_key(self, name: Name) -> SchemaKey:
        parts = as_parts(name)
        if not 1 <= len(parts) <= 2:
            raise errors.TooManyNamePartsError(name=sql_name(parts))
        lowered = tuple(part.lower() for part in parts)
        return (self.current_catalog, lowered[0]) if len(lowered) == 1 else (lowered[0], lowered[1])

    def _table_key(self, name: Name) -> TableKey:
        parts = as_parts(name)
        if not 1 <= len(parts) <= 3:
            raise errors.TooManyNamePartsError(name=sql_name(parts))
        filled = (self.current_catalog, self.current_schema)[: 3 - len(parts)] + parts
        return (filled[0].lower(), filled[1].lower(), filled[2].lower())

    def _relation_key(self, name: Name) -> TableKey:
        """The key of an existing table or view: a temporary table comes before those of the current schema."""
        parts = as_parts(name)
        if len(parts) == 1 and parts[0].lower() in self.temporary:
            return (*SESSION, parts[0].lower())
        return self._table_key(parts)

    def _schema_location(self, catalog: str, schema: str) -> str:
        """The default catalog's default schema is the warehouse itself, as in Spark."""
        return _schema_folder(self._catalog_location(catalog), schema)

    def _catalog_location(self, catalog: str) -> str:
        """The parent of a catalog's schemas; the store is not asked for that of the default one, or an external one."""
        if catalog == DEFAULT_CATALOG:
            return self.warehouse
        if self.external.type_of(catalog) is not None:
            return ""
        return self._location_of(catalog, self._store.get(CATALOGS, (catalog,)))

    def _location_of(self, catalog: str, stored: StoredCatalog | None) -> str:
        if catalog == DEFAULT_CATALOG:
            return self.warehouse
        if self.external.type_of(catalog) is not None:
            return (stored and stored.location) or ""
        return (stored and stored.location) or f"{self.warehouse}/{catalog}.catalog"

    def _placed(self, stored: StoredSchema, catalog_location: str) -> SchemaEntry:
        """A schema with its location, which by default is below that of its catalog; "" if an external one has none."""
        place = stored.location or (_schema_folder(catalog_location, stored.name) if catalog_location else "")
        properties, governance = dict(stored.properties), stored.governance
        return SchemaEntry(
            stored.catalog, stored.name, stored.comment, place, stored.created_at, properties, governance
        )

    # The information schema

    def _information_catalog(self, catalog: str, schema: str) -> StoredCatalog | None:
        """The catalog with this information schema, or None.

        A schema of that name that an earlier release has stored is a schema like any other.
        """
        if schema != INFORMATION_SCHEMA or self._store.get(SCHEMAS, (catalog, schema)) is not None:
            return None
        if catalog == SYSTEM:
            return StoredCatalog(SYSTEM, None, None, 0)
        return self._store.get(CATALOGS, (catalog,))

    def _information_view(self, key: TableKey) -> ViewEntry | None:
        """The built-in view of this name, or None."""
        catalog, schema, name = key
        if schema != INFORMATION_SCHEMA or not has_information_view(name):
            return None
        found = self._information_catalog(catalog, schema)
        return None if found is None else information_view(catalog, name, found.created_at)

    def _sample_view(self, key: TableKey) -> ViewEntry | None:
        """The built-in table of the catalog `samples` with this name, or None."""
        if key[0] != SAMPLES or self.external.type_of(SAMPLES) is not None:
            return None
        return sample_view(key)

    def _sample_views(self, key: SchemaKey) -> list[ViewEntry]:
        """The built-in tables of a schema of the catalog `samples`; none for any other schema."""
        if key[0] != SAMPLES or self.external.type_of(SAMPLES) is not None:
            return []
        return sample_views(key)

    def _information_views(self, key: SchemaKey) -> list[ViewEntry] | None:
        """All views of an information schema; None if there is no such schema."""
        found = self._information_catalog(*key)
        return None if found is None else list(information_views(found.name, found.created_at))

    def refuse_information(self, parts: Name) -> None:
        """Raises InformationSchemaReadOnlyError for a table, view or function in an information schema, and
        SampleReadOnlyError for a built-in table of the catalog `samples`."""
        if self._sample_view(self._table_key(parts)) is not None:
            raise errors.SampleReadOnlyError(".".join(map(quote, as_parts(parts))))
        if self._information_catalog(*self._table_key(parts)[:2]) is not None:
            raise errors.InformationSchemaReadOnlyError(name=".".join(map(quote, as_parts(parts))))

    def _refuse_information_schema(self, catalog: str, schema: str) -> None:
        """Raises InformationSchemaReadOnlyError for an information schema."""
        if self._information_catalog(catalog, schema) is not None:
            raise errors.InformationSchemaReadOnlyError(name=".".join(map(quote, (catalog, schema))))

    def _catalog_not_found(self, name: str) -> errors.CatalogNotFoundError:
        return errors.CatalogNotFoundError(catalog=sql_name((name.lower(),)), known=tuple(self.catalogs()))

    def _schema_not_found(self, catalog: str, schema: str) -> errors.SchemaNotFoundError | errors.CatalogNotFoundError:
        """The error for a missing schema. Raises InformationSchemaReadOnlyError for one that cannot be changed."""
        self._refuse_information_schema(catalog, schema)
        if catalog not in self.catalogs():
            return self._catalog_not_found(catalog)
        similar = similar_names(schema, (stored.name for stored in self._store.list(SCHEMAS, (catalog,))), most=3)
        name = sql_name((schema,) if catalog == self.current_catalog else (catalog, schema))
        advice = meant(similar) or f"Run SHOW SCHEMAS, or create it: CREATE SCHEMA {name}."
        return errors.SchemaNotFoundError(schema=name, advice=advice, similar=similar)

    def _table_not_found(
        self, parts: Name, views: Collection[str] = ()
    ) -> errors.TableNotFoundError | errors.CatalogNotFoundError:
        catalog, schema, name = self._table_key(parts)
        built_in = self._information_views((catalog, schema))
        if built_in is not None:
            return self._information_view_not_found(parts, [view.name for view in built_in])
        if catalog not in self.catalogs():
            return self._catalog_not_found(catalog)
        shown = ".".join(sql_name((part,)) for part in as_parts(parts))
        unregistered = self._unregistered(catalog, schema, name)
        if unregistered is not None:
            advice = f"A Delta table lies at {unregistered}; to use it, run: "
            return errors.TableNotFoundError(
                table=shown, advice=f"{advice}CREATE TABLE {shown} USING delta LOCATION '{unregistered}'."
            )
        similar = self._similar(catalog, schema, name, views)
        return errors.TableNotFoundError(
            table=shown, advice=meant(similar) or "Run SHOW TABLES to see what exists.", similar=similar
        )

    def _information_view_not_found(self, parts: Name, names: Sequence[str]) -> errors.TableNotFoundError:
        """The error for a missing view of an information schema, of all whose `names` are given.

        Raises InformationSchemaReadOnlyError for a view that exists, which a statement is about to change.
        """
        *qualifier, name = as_parts(parts)
        if name.lower() in names:
            raise errors.InformationSchemaReadOnlyError(name=".".join(map(quote, as_parts(parts))))
        similar = tuple(sql_name((*qualifier, item)) for item in similar_names(name.lower(), names, most=3))
        advice = meant(similar) or f"Its views: {', '.join(names)}."
        return errors.TableNotFoundError(table=".".join(map(quote, as_parts(parts))), advice=advice, similar=similar)

    def _unregistered(self, catalog: str, schema: str, name: str) -> str | None:
        if self.external.type_of(catalog) is not None:
            return None
        place = f"{self._schema_location(catalog, schema)}/{name}"
        return place if self._has_delta_log(place) else None

    def _has_delta_log(self, location: str) -> bool:
        """Whether there is a Delta table at a location; false if that cannot be read."""
        with suppress(DeltaSqlError):
            store = self._open_store(location)
            if is_local(location):
                return store.has_below(LOG)
            return store.exists(LAST_CHECKPOINT) or store.exists(commit_path(0))
        return False

    def _similar(self, catalog: str, schema: str, name: str, views: Collection[str]) -> tuple[str, ...]:
        """Names like `name` in its schema or among `views`; else tables of that name in other schemas."""
        known = {entry.parts for entry in self._store.below("")}
        with suppress(NameMissingError):
            known |= {entry.parts for entry in self._store.list(RELATIONS, (catalog, schema))}
        known |= {view.parts for view in self._sample_views((catalog, schema))}
        here = (parts[2] for parts in known if parts[:2] == (catalog, schema))
        near = similar_names(name, (*views, *here), most=3)
        if near:
            given, current = (catalog, schema), (self.current_catalog, self.current_schema)
            # As few parts as name the table from the current schema.
            missing = 2 if given == current else int(catalog == self.current_catalog)
            return tuple(sql_name((*given[missing:], item)) for item in near)
        return tuple(sorted(sql_name(parts) for parts in known if parts[2] == name))[:3]


def _schema_folder(catalog_location: str, schema: str) -> str:
    return catalog_location if schema == DEFAULT_SCHEMA else f"{catalog_location}/{schema}.db"


def as_parts(name: Name) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else tuple(name)


class Lookups:
    """Look-ups of tables, views and functions by name. With `once` results, also missing names, are cached."""

    def __init__(self, store: CatalogStore, *, once: bool = False) -> None:
        self._store = store
        self._once = once
        self._entries: dict[TableKey, Entry | None] = {}
        self._functions: dict[TableKey, FunctionEntry | None] = {}

    def entry(self, key: TableKey) -> Entry | None:
        """One table or view, or None."""
        if not self._once:
            return self._store.get(RELATIONS, key)
        if key not in self._entries:
            self._entries[key] = self._store.get(RELATIONS, key)
        return self._entries[key]

    def forget(self, key: TableKey) -> None:
        """Forgets what was found for one table or view."""
        self._entries.pop(key, None)

    def function(self, key: TableKey) -> FunctionEntry | None:
        """One function, or None."""
        if not self._once:
            return self._store.get(FUNCTIONS, key)
        if key not in self._functions:
            self._functions[key] = self._store.get(FUNCTIONS, key)
        return self._functions[key]


CATALOG, SCHEMA, TABLE, FUNCTION, METASTORE = "CATALOG", "SCHEMA", "TABLE", "FUNCTION", "METASTORE"
VOLUME = "VOLUME"
CREATED_SECURABLES = frozenset(
    {"CONNECTION", "CREDENTIAL", "EXTERNAL LOCATION", "SHARE", "RECIPIENT", "PROVIDER", "GROUP"}
)
"""Kinds of securables without data that CREATE makes."""
"""Kinds of objects; a view is of the kind of tables. Other kinds are those of securables without data."""
_GROUPS: Mapping[str, RecordGroup[Any]] = {
    CATALOG: CATALOGS,
    SCHEMA: SCHEMAS,
    TABLE: RELATIONS,
    FUNCTION: FUNCTIONS,
    VOLUME: VOLUMES,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """An object that records are about: its kind, and the parts of its full name."""

    kind: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        """The kind and the name, as in SQL."""
        return f"{self.kind} {'.'.join(map(_quoted, self.parts))}".rstrip()


class Governed(CatalogNames):
    """The records of a warehouse. Names are stored in lower case."""

    def change_governance(self, subject: Subject, change: Callable[[Governance], Governance]) -> None:
        """Replaces the records on an object by the result of `change`, which may be called again.

        Raises the error of a missing object.
        """
        group = _GROUPS.get(subject.kind)
        if group is None:
            self._change_records(subject, change)
            return
        missing = Kind.SCHEMA if group is SCHEMAS else Kind.CATALOG if group is CATALOGS else Kind.TABLE
        try:
            if group is RELATIONS and self.external.type_of(subject.parts[0]) is not None:
                # Records on tables of external catalogs are their servers' own.
                raise NameMissingError(missing)
            self._store.edit(
                group,
                tuple(part.lower() for part in subject.parts),
                required(missing, lambda item: replace(item, governance=change(item.governance))),
                missing,
            )
        except NameMissingError:
            raise errors.SecurableNotFoundError(str(subject), "Somebody else has dropped it.") from None

    def _change_records(self, subject: Subject, change: Callable[[Governance], Governance]) -> None:
        """Of a securable without data. The metastore, and objects of kinds that the catalog has not, always exist."""
        name = subject.parts[0] if subject.parts else ""

        def changed(found: Securable | None) -> Securable | None:
            if found is None and subject.kind in CREATED_SECURABLES:
                raise errors.SecurableNotFoundError(str(subject), "Somebody else has dropped it.")
            found = found or Securable(subject.kind, name, now())
            return replace(found, governance=change(found.governance))

        self._store.edit(SECURABLES, (subject.kind, name), changed)

    def governance(self, subject: Subject) -> Governance:
        """The records on an object; none for a missing one."""
        kind, parts = subject.kind, subject.parts
        if kind == TABLE:
            found: Any = self._lookups.entry(self._relation_key(parts))
        elif kind == FUNCTION:
            found = self._lookups.function(self._table_key(parts))
        else:
            key = parts if kind in _GROUPS else (kind, parts[0] if parts else "")
            found = self._store.get(_GROUPS.get(kind, SECURABLES), key)
        return UNGOVERNED if found is None else found.governance

    def governed_at(self, location: str) -> list[TableEntry]:
        """The names, with row filters or masks, of the table at a location, however its path is spelt.

        Asks the store for all its names.
        """
        place = self.absolute(location)
        named = self._store.below("/" if is_local(place) else place)
        found = (item for item in named if item.governance.has_policies and is_same_directory(item.location, place))
        return sorted(found, key=lambda item: item.parts)

    def securables(self, kind: str) -> list[Securable]:
        """The securables of a kind, by name."""
        found = [item for item in self._store.list(SECURABLES) if item.kind == kind]
        return sorted(found, key=lambda item: item.name)

    def securable(self, kind: str, name: str) -> Securable:
        """One securable. Raises SecurableNotFoundError with similar names."""
        names = {item.name: item for item in self.securables(kind)}
        if name.lower() not in names:
            similar = tuple(sql_name((item,)) for item in similar_names(name.lower(), names, most=3))
            raise errors.SecurableNotFoundError(
                str(Subject(kind, (name,))), meant(similar) or f"Create it: CREATE {kind} {sql_name((name,))} …."
            )
        return names[name.lower()]

    def create_securable(self, securable: Securable, if_not_exists: bool) -> None:
        """Adds a securable. Raises SecurableExistsError, InvalidNameError."""
        added = replace(securable, name=checked(securable.name), created_at=now())

        def add(found: Securable | None) -> Securable:
            if found is None:
                return added
            if if_not_exists:
                return found
            raise errors.SecurableExistsError(str(Subject(added.kind, (added.name,))))

        self._store.edit(SECURABLES, added.key, add)

    def change_securable(self, kind: str, name: str, change: Callable[[Securable], Securable | None]) -> None:
        """Replaces a securable by the result of `change`, which may be called again; None removes it.

        Raises SecurableNotFoundError, and SecurableExistsError where it gets the name of another.
        """

        renamed = name

        def changed(found: Securable | None) -> Securable | None:
            nonlocal renamed
            if found is None:
                raise errors.SecurableNotFoundError(str(Subject(kind, (name,))), "Somebody else has dropped it.")
            result = change(found)
            renamed = name if result is None else checked(result.name)
            return None if result is None else replace(result, name=renamed)

        try:
            self._store.edit(SECURABLES, (kind, name.lower()), changed)
        except NameTakenError:
            raise errors.SecurableExistsError(str(Subject(kind, (renamed,)))) from None


def _quoted(part: str) -> str:
    return sql_name((part,))
