"""Names as JSON objects of the warehouse, in an object store: one for all schemas, one for the tables of each.

    <warehouse>/_catalog.d/schemas.json                     catalogs and schemas, with comments, places and properties
    <warehouse>/_catalog.d/tables/<catalog>/<schema>.json   names and locations of tables, views, functions, volumes
    <warehouse>/_catalog.d/securables.json                  shares, connections, groups …: records without data
    <warehouse>/_catalog.d/commits.json                     ratified commits of the tables that the catalog manages

No table, schema or catalog can have that folder: their names have no dot. What concerns one object is one compare and
swap. Two things concern two objects:

*DROP SCHEMA* closes the tables' object, which decides it: from then on no table is found or created there. Then it
takes the schema from the list. A crash in between leaves a name in SHOW SCHEMAS that is no schema for anything else;
CREATE SCHEMA of it succeeds, and DROP SCHEMA takes it away. A closed object stays, and is opened again by the first
table of a later schema of that name, which has another id.

*RENAME to another schema*: see `renaming`.

Protocol to rename a table from one schema to another, whose names are in two objects, atomically for readers.

1. The new schema's object gets the announcement of the arrival. Readers ignore it.
2. The table in the old schema's object is replaced by its departure. **This compare-and-swap commits the renaming.**
   From now on readers treat the arrival as the table, since they find the departure in the old object.
3. In the new object the arrival is replaced by the table.
4. The departure is removed from the old object.

A crash after 1 leaves an announcement that readers ignore; after 2 or 3 the table has its new name, and a look-up
takes two more requests until the next change. The table always has exactly one name.

A change to a table with a pending renaming settles it first: after a departure, steps 3 and 4 are done; else the table
in the old schema gets another id, so that it can no longer depart, and the announcement is removed. The process that
was renaming starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, TypeAlias, TypeVar

from deltasql.base import errors
from deltasql.catalog.commit_stores import ObjectCommits
from deltasql.catalog.documents import (
    Arrival,
    SchemaList,
    SchemaRecord,
    SchemaTables,
    SecurableList,
    TableRecord,
    new_id,
)
from deltasql.catalog.entries import (
    Entry,
    FunctionEntry,
    Governance,
    Securable,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewEntry,
)
from deltasql.catalog.shared_objects import SharedObjects
from deltasql.catalog.store import (
    Kind,
    NameMissingError,
    NameTakenError,
    SchemaInUseError,
    SchemaKey,
    TableKey,
    Volumes,
    of_kind,
)
from deltasql.log import LogStore

# Each attempt but the first follows a conflict with another statement on the same name.
_MOST_ATTEMPTS = 20

_T = TypeVar("_T")

Edited: TypeAlias = tuple["SchemaTables | None", _T]
"""New content of an object, None for no change, and the result to return."""


class UnsettledError(Exception):
    """Pending renamings must be settled before this change: arrivals, and new names of departures by arrival id."""

    def __init__(self, arrivals: Iterable[Arrival], departed: Mapping[str, TableKey] | None = None) -> None:
        super().__init__()
        self.arrivals = tuple(arrivals)
        self.departed = dict(departed or {})


class _Edit(Protocol):
    def __call__(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]], /) -> _T: ...


class Renaming:
    """Moves tables between the objects of two schemas, which `read` reads and `edit` changes by compare and swap."""

    def __init__(self, read: Callable[[SchemaKey], SchemaTables | None], edit: _Edit) -> None:
        self._read = read
        self._edit = edit

    def seen(self, found: SchemaTables | None) -> SchemaTables | None:
        """The tables of a schema as readers see them: with arrivals that have departed from their old schema.

        `found` is the content of its object. With pending arrivals, the object is read again until it is unchanged, so
        that the result is consistent at one moment.
        """
        while found is not None and found.arrivals:
            arrived = {name: arrival.table for name, arrival in found.arrivals.items() if self._has_departed(arrival)}
            again = self._read(found.key)
            if again == found:
                return replace(found, tables={**found.tables, **arrived}, arrivals={})
            found = again
        return found

    def _has_departed(self, arrival: Arrival) -> bool:
        source = self._read(arrival.source[:2])
        return source is not None and arrival.table.id in source.departed

    def settled(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]]) -> _T:
        """Applies `edit`, after settling renamings that block it. Raises what `edit` raises, CatalogFileError."""
        for _ in range(_MOST_ATTEMPTS):
            try:
                return self._edit(schema, edit)
            except UnsettledError as error:
                for arrival in error.arrivals:
                    self._settle(arrival)
                for arrival_id, target in error.departed.items():
                    self._finish(arrival_id, schema, target)
        raise _too_busy(schema)

    def rename(
        self, key: TableKey, new: TableKey, free: Callable[[SchemaTables | None, TableKey], SchemaTables]
    ) -> Entry:
        """Renames a table to another schema; returns the new entry. `free` checks that the new name is unused.

        Raises NameMissingError, what `free` raises, CatalogFileError.
        """
        for _ in range(_MOST_ATTEMPTS):
            kept = self._table(key)
            arrival = Arrival(TableRecord(new_id(), kept.entry.renamed(new)), key, kept.id)
            try:
                self._announce(arrival, free)
            except (NameTakenError, NameMissingError):
                # If the table is gone meanwhile, that is reported before errors of the new name.
                if self._table(key).id == kept.id:
                    raise
                continue
            if self._depart(arrival):
                # The renaming is committed; the rest only saves requests of readers.
                with suppress(errors.CatalogFileError, errors.StorageError):
                    self._finish(arrival.table.id, key[:2], new)
                return arrival.table.entry
            self._withdraw(arrival)
        raise _too_busy(key[:2])

    def _table(self, key: TableKey) -> TableRecord:
        def look(found: SchemaTables | None) -> Edited[TableRecord]:
            return None, present(found, key)[1]

        return self.settled(key[:2], look)

    def _announce(self, arrival: Arrival, free: Callable[[SchemaTables | None, TableKey], SchemaTables]) -> None:
        parts = arrival.table.entry.parts

        def announce(found: SchemaTables | None) -> Edited[None]:
            return free(found, parts).with_arrival(arrival), None

        self.settled(parts[:2], announce)

    def _depart(self, arrival: Arrival) -> bool:
        def depart(found: SchemaTables | None) -> Edited[bool]:
            kept = found.tables.get(arrival.source[2]) if found is not None else None
            if found is None or kept is None or kept.id != arrival.source_id:
                return None, False
            return found.with_departed(arrival.source[2], arrival), True

        return self._edit(arrival.source[:2], depart)

    def _settle(self, arrival: Arrival) -> None:
        """Settles a renaming: completes it after the departure; else prevents the departure, and withdraws it."""
        name = arrival.source[2]

        def stay(found: SchemaTables | None) -> Edited[bool]:
            if found is None or arrival.table.id in found.departed:
                return None, found is not None
            kept = found.tables.get(name)
            if kept is None or kept.id != arrival.source_id:
                return None, False
            return found.with_table(replace(kept, id=new_id())), False

        if self._edit(arrival.source[:2], stay):
            self._finish(arrival.table.id, arrival.source[:2], arrival.table.entry.parts)
        else:
            self._withdraw(arrival)

    def _withdraw(self, arrival: Arrival) -> None:
        name = arrival.table.entry.name

        def withdraw(found: SchemaTables | None) -> Edited[None]:
            announced = found is not None and _announces(found, name, arrival.table.id)
            return (found.without_arrival(name) if found is not None and announced else None), None

        self._edit(arrival.table.entry.parts[:2], withdraw)

    def _finish(self, arrival_id: str, source: SchemaKey, target: TableKey) -> None:
        """Steps 3 and 4 of a renaming, after the departure; idempotent."""
        name = target[2]

        def arrive(found: SchemaTables | None) -> Edited[None]:
            if found is None or not _announces(found, name, arrival_id):
                return None, None
            return found.without_arrival(name).with_table(found.arrivals[name].table), None

        def forget(found: SchemaTables | None) -> Edited[None]:
            if found is None or arrival_id not in found.departed:
                return None, None
            return found.without_departed(arrival_id), None

        self._edit(target[:2], arrive)
        self._edit(source, forget)


def _announces(tables: SchemaTables, name: str, arrival_id: str) -> bool:
    return name in tables.arrivals and tables.arrivals[name].table.id == arrival_id


def present(found: SchemaTables | None, key: TableKey) -> tuple[SchemaTables, TableRecord]:
    """The tables of a schema, and the table `key` of it. Raises NameMissingError, UnsettledError."""
    if found is not None and key[2] in found.arrivals:
        raise UnsettledError([found.arrivals[key[2]]])
    if found is None or key[2] not in found.tables:
        raise NameMissingError(Kind.TABLE)
    return found, found.tables[key[2]]


def _too_busy(schema: SchemaKey) -> errors.CatalogFileError:
    return errors.CatalogFileError(
        path=".".join(schema),
        reason=f"other statements are about the same name, {_MOST_ATTEMPTS} times in a row",
        advice="Nothing was changed: run the statement again.",
    )


FOLDER = "_catalog.d"
_LIST = f"{FOLDER}/schemas.json"
_TABLES = f"{FOLDER}/tables"
_SECURABLES = f"{FOLDER}/securables.json"


def tables_path(schema: SchemaKey) -> str:
    """Where the tables of a schema are kept, relative to the warehouse."""
    return f"{_TABLES}/{schema[0]}/{schema[1]}.json"


class ObjectCatalogStore:
    """A CatalogStore in objects of the warehouse. To look up a table is one request.

    Besides CatalogFileError it raises StorageError, UnsupportedLocationError, and ConditionalPutError for a storage
    that cannot compare and swap, before anything is written.
    """

    def __init__(self, open_store: Callable[[], LogStore]) -> None:
        self._objects = SharedObjects(open_store)
        self._renaming = Renaming(self._tables, self._edit)
        self.commits = ObjectCommits(self._objects, FOLDER)

    def catalogs(self) -> Collection[str]:
        return self._list().catalogs.keys()

    def catalog(self, name: str) -> StoredCatalog | None:
        return self._list().catalog(name)

    def add_catalog(self, catalog: StoredCatalog, default: StoredSchema) -> None:
        def add(schemas: SchemaList) -> SchemaList:
            if catalog.name in schemas.catalogs:
                raise NameTakenError
            return schemas.with_catalog(catalog).with_schema(SchemaRecord(new_id(), default))

        self._edit_list(add)

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        def edit(schemas: SchemaList) -> SchemaList:
            found = schemas.catalog(name)
            if found is None:
                raise NameMissingError(Kind.CATALOG)
            return schemas.with_catalog(change(found))

        self._edit_list(edit)

    def remove_catalog(self, name: str) -> None:
        def remove(schemas: SchemaList) -> SchemaList:
            if name not in schemas.catalogs:
                raise NameMissingError(Kind.CATALOG)
            if schemas.catalogs[name]:
                raise SchemaInUseError(list(schemas.catalogs[name]))
            return schemas.without_catalog(name)

        self._edit_list(remove)

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        return [kept.schema for kept in self._list().catalogs.get(catalog, {}).values()]

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        kept = self._list().find(key)
        return None if kept is None else kept.schema

    def add_schema(self, schema: StoredSchema) -> None:
        key = (schema.catalog, schema.name)

        def add(schemas: SchemaList) -> SchemaList:
            if schema.catalog not in schemas.catalogs:
                raise NameMissingError(Kind.CATALOG)
            found = schemas.find(key)
            if found is not None and not _is_half_dropped(found, self._tables(key)):
                raise NameTakenError
            return schemas.with_schema(SchemaRecord(new_id(), schema))

        self._edit_list(add)

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        def edit(schemas: SchemaList) -> SchemaList:
            found = schemas.find(key)
            if found is None or _is_half_dropped(found, self._tables(key)):
                raise NameMissingError(Kind.SCHEMA)
            return schemas.with_schema(replace(found, schema=change(found.schema)))

        self._edit_list(edit)

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        def close(tables: SchemaTables | None) -> Edited[tuple[str, list[TableEntry] | None]]:
            # The list is read after the object: if the schema is dropped and made anew meanwhile, the swap fails.
            schema_id = self._schema_id(key)
            if tables is not None and _is_closed(tables, schema_id):
                return None, (schema_id, None)
            if tables is not None and not tables.is_settled:
                raise UnsettledError(tables.arrivals.values(), tables.departed)
            names, dropped = _names_and_tables(tables)
            if names and not cascade:
                raise SchemaInUseError(names)
            return SchemaTables(key, schema_id, is_open=False), (schema_id, dropped)

        schema_id, dropped = self._change(key, close)

        def remove(schemas: SchemaList) -> SchemaList | None:
            found = schemas.find(key)
            return schemas.without(key) if found is not None and found.id == schema_id else None

        self._edit_list(remove)
        if dropped is None:
            # Another DROP SCHEMA has closed it, and may not have come further.
            raise NameMissingError(Kind.SCHEMA)
        return dropped

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        found = self._renaming.seen(self._tables(schema))
        if found is None or not found.is_open:
            kept = self._list().find(schema)
            if kept is None or _is_half_dropped(kept, found):
                raise NameMissingError(Kind.SCHEMA)
            return []
        return [kept.entry for kept in found.tables.values()]

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        found = self._objects.read_below(_TABLES, SchemaTables)
        departed = {arrival for tables in found for arrival in tables.departed}
        kept = [kept for tables in found for kept in tables.tables.values()]
        kept += [item.table for tables in found for item in tables.arrivals.values() if item.table.id in departed]
        tables = (item.entry for item in kept if isinstance(item.entry, TableEntry))
        return [entry for entry in tables if entry.location.startswith(location)]

    def entry(self, key: TableKey) -> Entry | None:
        found = self._tables(key[:2])
        if found is not None and key[2] in found.arrivals:
            found = self._renaming.seen(found)
        kept = None if found is None else found.tables.get(key[2])
        return None if kept is None else kept.entry

    def add_table(self, entry: TableEntry) -> None:
        def add(tables: SchemaTables | None) -> Edited[None]:
            return self._free(tables, entry.parts).with_table(TableRecord(new_id(), entry)), None

        self._change(entry.parts[:2], add)

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        def remove(found: SchemaTables | None) -> Edited[Entry]:
            tables, kept = present(found, key)
            return tables.without_table(key[2]), of_kind(kept.entry, kind)

        return self._change(key[:2], remove)

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        if key[:2] != new[:2]:
            return self._renaming.rename(key, new, self._free)

        def rename(found: SchemaTables | None) -> Edited[Entry]:
            tables, kept = present(found, key)
            renamed = kept.entry.renamed(new)
            left = self._free(tables.without_table(key[2]), new)
            return left.with_table(TableRecord(new_id(), renamed)), renamed

        return self._change(key[:2], rename)

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        def edit(found: SchemaTables | None) -> Edited[TableEntry]:
            tables, kept = present(found, key)
            entry = of_kind(kept.entry, Kind.TABLE)
            assert isinstance(entry, TableEntry)
            changed = change(entry)
            return tables.with_table(TableRecord(new_id(), changed)), changed

        return self._change(key[:2], edit)

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        def edit(found: SchemaTables | None) -> Edited[None]:
            if found is not None and key[2] in found.arrivals:
                raise UnsettledError([found.arrivals[key[2]]])
            tables = self._opened(found, key[:2])
            kept = tables.tables.get(key[2])
            return tables.with_table(TableRecord(new_id(), change(None if kept is None else kept.entry))), None

        self._change(key[:2], edit)

    def change_governance(self, key: TableKey, change: Callable[[Governance], Governance]) -> None:
        def edit(found: SchemaTables | None) -> Edited[None]:
            tables, kept = present(found, key)
            entry = replace(kept.entry, governance=change(kept.entry.governance))
            return tables.with_table(TableRecord(new_id(), entry)), None

        self._change(key[:2], edit)

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        found = self._tables(schema)
        return [] if found is None else list(found.functions.values())

    def function(self, key: TableKey) -> FunctionEntry | None:
        found = self._tables(key[:2])
        return None if found is None else found.functions.get(key[2])

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        def edit(found: SchemaTables | None) -> Edited[None]:
            tables = self._opened(found, key[:2])
            return tables.with_function(key[2], change(tables.functions.get(key[2]))), None

        self._change(key[:2], edit)

    def volumes(self, schema: SchemaKey) -> Volumes:
        found = self._tables(schema)
        return {} if found is None else found.volumes

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        def edit(found: SchemaTables | None) -> Edited[None]:
            tables = self._opened(found, schema)
            return replace(tables, volumes=change(tables.volumes)), None

        self._change(schema, edit)

    def securables(self) -> Sequence[Securable]:
        found = self._objects.read(_SECURABLES, SecurableList)
        return [] if found is None else list(found.securables.values())

    def change_securable(self, key: tuple[str, str], change: Callable[[Securable | None], Securable | None]) -> None:
        def edit(found: SecurableList | None) -> tuple[SecurableList, None]:
            if found is None:
                self._objects.require_conditional_puts(FOLDER)
            kept = {} if found is None else dict(found.securables)
            changed = change(kept.pop(key, None))
            if changed is not None:
                if changed.key in kept:
                    raise NameTakenError
                kept[changed.key] = changed
            return SecurableList(kept), None

        self._objects.change(_SECURABLES, SecurableList, edit)

    def close(self) -> None:
        """Nothing is held open."""

    # Objects

    def _list(self) -> SchemaList:
        return self._objects.read(_LIST, SchemaList) or SchemaList.first()

    def _edit_list(self, edit: Callable[[SchemaList], SchemaList | None]) -> None:
        def edited(found: SchemaList | None) -> tuple[SchemaList | None, None]:
            return edit(found or self._first_list()), None

        self._objects.change(_LIST, SchemaList, edited)

    def _first_list(self) -> SchemaList:
        """The list that the first write to a warehouse begins with. Raises ConditionalPutError.

        What a storage cannot do is found before there is anything to lose.
        """
        self._objects.require_conditional_puts(FOLDER)
        return SchemaList.first()

    def _tables(self, schema: SchemaKey) -> SchemaTables | None:
        return self._objects.read(tables_path(schema), SchemaTables)

    def _edit(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]]) -> _T:
        return self._objects.change(tables_path(schema), SchemaTables, edit)

    def _change(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]]) -> _T:
        return self._renaming.settled(schema, edit)

    def _schema_id(self, key: SchemaKey) -> str:
        """The id of a schema in the list, which is written if it is not there yet. Raises NameMissingError."""
        found = self._objects.read(_LIST, SchemaList)
        kept = (found or SchemaList.first()).find(key)
        if kept is None:
            raise NameMissingError(Kind.SCHEMA)
        if found is None:
            self._objects.change(_LIST, SchemaList, lambda now: (None if now else self._first_list(), None))
        return kept.id

    def _free(self, found: SchemaTables | None, key: TableKey) -> SchemaTables:
        """The tables of a schema, which is there, to which one of this name is to be added.

        Raises NameMissingError, NameTakenError, UnsettledError.
        """
        tables = self._opened(found, key[:2])
        if key[2] in tables.tables:
            raise NameTakenError
        if key[2] in tables.arrivals:
            raise UnsettledError([tables.arrivals[key[2]]])
        return tables

    def _opened(self, tables: SchemaTables | None, schema: SchemaKey) -> SchemaTables:
        return tables if tables is not None and tables.is_open else self._reopened(tables, schema)

    def _reopened(self, tables: SchemaTables | None, schema: SchemaKey) -> SchemaTables:
        schema_id = self._schema_id(schema)
        if tables is not None and _is_closed(tables, schema_id):
            raise NameMissingError(Kind.SCHEMA)
        return SchemaTables(schema, schema_id)


def _names_and_tables(tables: SchemaTables | None) -> tuple[list[str], list[TableEntry]]:
    """The names in a schema, of functions and volumes too, and its tables and volumes."""
    if tables is None:
        return [], []
    entries = [kept.entry for kept in tables.tables.values()]
    placed = [entry for entry in entries if isinstance(entry, TableEntry)]
    placed += [volume.as_table for volume in tables.volumes.values()]
    return [*tables.tables, *tables.functions, *tables.volumes], placed


def _is_half_dropped(record: SchemaRecord, tables: SchemaTables | None) -> bool:
    """Whether a schema of the list has lost its tables already, because it is being dropped."""
    return tables is not None and _is_closed(tables, record.id)


def _is_closed(tables: SchemaTables, schema_id: str) -> bool:
    return not tables.is_open and tables.schema_id == schema_id
