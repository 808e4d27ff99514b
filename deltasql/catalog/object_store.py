"""The catalog of a warehouse in an object store: JSON objects, one for all schemas, and one for the tables of each.

    <warehouse>/_catalog.d/schemas.json                     catalogs and schemas, with comments, places and properties
    <warehouse>/_catalog.d/tables/<catalog>/<schema>.json   names and locations of tables, views, functions, volumes
    <warehouse>/_catalog.d/securables.json                  shares, connections, groups …: records without data
    <warehouse>/_catalog.d/commits.json                     ratified commits of the tables that the catalog manages

No table, schema or catalog can have that folder: their names have no dot. A change of one object is one compare-and-
swap. Two changes concern two objects:

*DROP SCHEMA* closes the tables' object, which decides it: from then on no table is found or created there. Then it
takes the schema from the list. A crash in between leaves a name in SHOW SCHEMAS that is no schema for anything else;
CREATE SCHEMA of it succeeds, and DROP SCHEMA takes it away. A closed object stays, and is opened again by the first
table of a later schema of that name, which has another id.

*RENAME to another schema* is atomic for readers, by these steps:

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeVar, cast

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
    DEFAULT_SCHEMA,
    Entry,
    FunctionEntry,
    Securable,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    VolumeEntry,
)
from deltasql.catalog.shared_objects import SharedObjects
from deltasql.catalog.store import (
    CATALOGS,
    FUNCTIONS,
    RELATIONS,
    SCHEMAS,
    SECURABLES,
    VOLUMES,
    Key,
    Kind,
    NameMissingError,
    NameTakenError,
    RecordGroup,
    SchemaInUseError,
    SchemaKey,
    TableKey,
)
from deltasql.log import LogStore

# Each attempt but the first follows a conflict with another statement on the same name.
_MOST_ATTEMPTS = 20

_T = TypeVar("_T")
_R = TypeVar("_R")
_Change: TypeAlias = Callable[["_R | None"], "_R | None"]

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

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        return cast("_R | None", self._get(group, key))

    def _get(self, group: RecordGroup[Any], key: Key) -> Any:
        match group.name, key:
            case CATALOGS.name, (name,):
                return self._list().catalog(name)
            case SCHEMAS.name, (catalog, schema):
                found = self._list().find((catalog, schema))
                return None if found is None else found.schema
            case SECURABLES.name, _:
                return self._securables().get((key[0], key[1]))
            case RELATIONS.name, (catalog, schema, name):
                return self._entry((catalog, schema, name))
        tables = self._tables((key[0], key[1]))
        if tables is None:
            return None
        return (tables.functions if group.name == FUNCTIONS.name else tables.volumes).get(key[2])

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        return cast("Sequence[_R]", self._all(group, parent))

    def _all(self, group: RecordGroup[Any], parent: Key) -> Sequence[Any]:
        if group.name == SECURABLES.name:
            return [*self._securables().values()]
        if group.name == CATALOGS.name:
            found = self._list()
            return [catalog for name in found.catalogs if (catalog := found.catalog(name)) is not None]
        if group.name == SCHEMAS.name:
            return [kept.schema for kept in self._list().catalogs.get(parent[0], {}).values()]
        schema = (parent[0], parent[1])
        if group.name == RELATIONS.name:
            return self._entries(schema)
        tables = self._tables(schema)
        if tables is None:
            return []
        return [*(tables.functions if group.name == FUNCTIONS.name else tables.volumes).values()]

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        edits: Mapping[str, Callable[..., Any]] = {
            CATALOGS.name: self._edit_catalog,
            SCHEMAS.name: self._edit_schema,
            RELATIONS.name: self._edit_relation,
            FUNCTIONS.name: self._edit_function,
            VOLUMES.name: self._edit_volume,
            SECURABLES.name: self._edit_securable,
        }
        return cast("_R | None", edits[group.name](key, change, must_exist))

    def _edit_catalog(self, key: Key, change: _Change[StoredCatalog], must_exist: Kind | None) -> StoredCatalog | None:
        result: StoredCatalog | None = None

        def edit(schemas: SchemaList) -> SchemaList:
            nonlocal result
            found = schemas.catalog(key[0])
            if found is None and must_exist is not None:
                raise NameMissingError(must_exist)
            result = change(found)
            if result is None:
                return schemas
            changed = schemas.with_catalog(result)
            if found is not None:
                return changed
            default = StoredSchema(result.name, DEFAULT_SCHEMA, None, None, result.created_at)
            return changed.with_schema(SchemaRecord(new_id(), default))

        self._edit_list(edit)
        return result

    def _edit_schema(self, key: Key, change: _Change[StoredSchema], must_exist: Kind | None) -> StoredSchema | None:
        catalog, name = key
        result: StoredSchema | None = None

        def edit(schemas: SchemaList) -> SchemaList:
            nonlocal result
            found = schemas.find((catalog, name))
            if found is not None and _is_half_dropped(found, self._tables((catalog, name))):
                found = None
            if found is None and (must_exist is not None or catalog not in schemas.catalogs):
                raise NameMissingError(must_exist or Kind.CATALOG)
            result = change(None if found is None else found.schema)
            if result is None:
                return schemas
            return schemas.with_schema(SchemaRecord(new_id() if found is None else found.id, result))

        self._edit_list(edit)
        return result

    def _edit_relation(self, key: Key, change: _Change[Entry], must_exist: Kind | None) -> Entry | None:
        catalog, schema, name = key

        def edit(found: SchemaTables | None) -> Edited[Entry | None]:
            if must_exist is not None:
                tables, kept = present(found, (catalog, schema, name))
                changed = change(kept.entry)
            else:
                if found is not None and name in found.arrivals:
                    raise UnsettledError([found.arrivals[name]])
                tables = self._opened(found, (catalog, schema))
                old = tables.tables.get(name)
                changed = change(None if old is None else old.entry)
            if changed is None:
                return tables.without_table(name), None
            return tables.with_table(TableRecord(new_id(), changed)), changed

        return self._change((catalog, schema), edit)

    def _edit_function(self, key: Key, change: _Change[FunctionEntry], must_exist: Kind | None) -> FunctionEntry | None:
        def edit(found: SchemaTables | None) -> Edited[FunctionEntry | None]:
            tables = self._opened(found, (key[0], key[1]))
            old = tables.functions.get(key[2])
            if old is None and must_exist is not None:
                raise NameMissingError(must_exist)
            changed = change(old)
            return tables.with_function(key[2], changed), changed

        return self._change((key[0], key[1]), edit)

    def _edit_volume(self, key: Key, change: _Change[VolumeEntry], must_exist: Kind | None) -> VolumeEntry | None:
        def edit(found: SchemaTables | None) -> Edited[VolumeEntry | None]:
            tables = self._opened(found, (key[0], key[1]))
            volumes = dict(tables.volumes)
            old = volumes.pop(key[2], None)
            if old is None and must_exist is not None:
                raise NameMissingError(must_exist)
            changed = change(old)
            if changed is not None:
                if changed.name in volumes:
                    raise NameTakenError
                volumes[changed.name] = changed
            return replace(tables, volumes=volumes), changed

        return self._change((key[0], key[1]), edit)

    def _edit_securable(self, key: Key, change: _Change[Securable], must_exist: Kind | None) -> Securable | None:
        def edit(found: SecurableList | None) -> tuple[SecurableList, Securable | None]:
            if found is None:
                self._objects.require_conditional_puts(FOLDER)
            kept = {} if found is None else dict(found.securables)
            old = kept.pop((key[0], key[1]), None)
            if old is None and must_exist is not None:
                raise NameMissingError(must_exist)
            changed = change(old)
            if changed is not None:
                if changed.key in kept:
                    raise NameTakenError
                kept[changed.key] = changed
            return SecurableList(kept), changed

        return self._objects.change(_SECURABLES, SecurableList, edit)

    def _securables(self) -> Mapping[tuple[str, str], Securable]:
        found = self._objects.read(_SECURABLES, SecurableList)
        return {} if found is None else found.securables

    def move(self, key: TableKey, new: TableKey) -> Entry:
        if key[:2] != new[:2]:
            return self._renaming.rename(key, new, self._free)

        def rename(found: SchemaTables | None) -> Edited[Entry]:
            tables, kept = present(found, key)
            renamed = kept.entry.renamed(new)
            left = self._free(tables.without_table(key[2]), new)
            return left.with_table(TableRecord(new_id(), renamed)), renamed

        return self._change(key[:2], rename)

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        if len(key) > 1:
            return self._remove_schema((key[0], key[1]), cascade)

        def remove(schemas: SchemaList) -> SchemaList:
            if key[0] not in schemas.catalogs:
                raise NameMissingError(Kind.CATALOG)
            if schemas.catalogs[key[0]]:
                raise SchemaInUseError([*schemas.catalogs[key[0]]])
            return schemas.without_catalog(key[0])

        self._edit_list(remove)
        return []

    def _remove_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        def close(tables: SchemaTables | None) -> Edited[tuple[str, Sequence[TableEntry] | None]]:
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

    def _entries(self, schema: SchemaKey) -> Sequence[Entry]:
        found = self._renaming.seen(self._tables(schema))
        if found is None or not found.is_open:
            kept = self._list().find(schema)
            if kept is None or _is_half_dropped(kept, found):
                raise NameMissingError(Kind.SCHEMA)
            return []
        return [kept.entry for kept in found.tables.values()]

    def _entry(self, key: TableKey) -> Entry | None:
        found = self._tables(key[:2])
        if found is not None and key[2] in found.arrivals:
            found = self._renaming.seen(found)
        kept = None if found is None else found.tables.get(key[2])
        return None if kept is None else kept.entry

    def below(self, location: str) -> Sequence[TableEntry]:
        found = self._objects.read_below(_TABLES, SchemaTables)
        departed = {arrival for tables in found for arrival in tables.departed}
        kept = [kept for tables in found for kept in tables.tables.values()]
        kept += [item.table for tables in found for item in tables.arrivals.values() if item.table.id in departed]
        tables = (item.entry for item in kept if isinstance(item.entry, TableEntry))
        return [entry for entry in tables if entry.location.startswith(location)]

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
