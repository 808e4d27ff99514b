"""Names in a SQLite file: rows in, rows out. Each change is one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from deltasql.catalog.commit_stores import DamagedEntryError, Database, SqliteCommits
from deltasql.catalog.entries import (
    UNGOVERNED,
    Entry,
    FunctionDefinition,
    FunctionEntry,
    Governance,
    RefreshDefinition,
    Securable,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    TableSource,
    ViewDefinition,
    ViewEntry,
    VolumeEntry,
)
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

_CATALOG_COLUMNS = "name, comment, location, created_at, properties, governance"
_CATALOG = f"SELECT {_CATALOG_COLUMNS} FROM catalogs WHERE name = ?"
_SCHEMA_COLUMNS = "catalog, name, comment, location, created_at, properties, governance"
_SCHEMAS = f"SELECT {_SCHEMA_COLUMNS} FROM schemas WHERE catalog = ?"
_SCHEMA = f"{_SCHEMAS} AND name = ?"
_TABLES = "SELECT catalog, schema, name, location, managed, created_at, view, source, governance FROM tables"
_FUNCTIONS = "SELECT catalog, schema, name, definition, created_at, governance FROM functions"
_VOLUMES = "SELECT catalog, schema, name, location, managed, created_at, comment, governance FROM volumes"
_OF_SCHEMA = " WHERE catalog = ? AND schema = ?"
_OF_NAME = f"{_OF_SCHEMA} AND name = ?"


class SqliteCatalogStore:
    """A CatalogStore in a file of the warehouse, on a local disk. Its errors are CatalogFileErrors."""

    def __init__(self, warehouse: str) -> None:
        self._database = Database(warehouse)
        self.commits = SqliteCommits(self._database)

    def catalogs(self) -> Collection[str]:
        return [row[0] for row in self._database.rows("SELECT name FROM catalogs")]

    def catalog(self, name: str) -> StoredCatalog | None:
        with self._database.explained():
            rows = self._database.rows(_CATALOG, name)
            return _catalog(rows[0]) if rows else None

    def add_catalog(self, catalog: StoredCatalog, default: StoredSchema) -> None:
        with self._database.writing() as connection:
            if _has_catalog(connection, catalog.name):
                raise NameTakenError
            written = (_texts(catalog.properties), _records(catalog.governance))
            values = (catalog.name, catalog.comment, catalog.location, catalog.created_at, *written)
            connection.execute(f"INSERT INTO catalogs ({_CATALOG_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", values)
            _insert_schema(connection, default)

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        with self._database.writing() as connection:
            row = connection.execute(_CATALOG, (name,)).fetchone()
            if row is None:
                raise NameMissingError(Kind.CATALOG)
            changed = change(_catalog(row))
            values = (changed.comment, _texts(changed.properties), _records(changed.governance), name)
            connection.execute("UPDATE catalogs SET comment = ?, properties = ?, governance = ? WHERE name = ?", values)

    def remove_catalog(self, name: str) -> None:
        with self._database.writing() as connection:
            schemas = [row[0] for row in connection.execute("SELECT name FROM schemas WHERE catalog = ?", (name,))]
            if schemas:
                raise SchemaInUseError(schemas)
            if connection.execute("DELETE FROM catalogs WHERE name = ?", (name,)).rowcount == 0:
                raise NameMissingError(Kind.CATALOG)

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        with self._database.explained():
            return [_schema(row) for row in self._database.rows(_SCHEMAS, catalog)]

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        with self._database.explained():
            rows = self._database.rows(_SCHEMA, *key)
            return _schema(rows[0]) if rows else None

    def add_schema(self, schema: StoredSchema) -> None:
        with self._database.writing() as connection:
            if not _has_catalog(connection, schema.catalog):
                raise NameMissingError(Kind.CATALOG)
            if _find_schema(connection, (schema.catalog, schema.name)) is not None:
                raise NameTakenError
            _insert_schema(connection, schema)

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        with self._database.writing() as connection:
            changed = change(_require_schema(connection, key))
            values = (changed.comment, _texts(changed.properties), _records(changed.governance), *key)
            update = "UPDATE schemas SET comment = ?, properties = ?, governance = ? WHERE catalog = ? AND name = ?"
            connection.execute(update, values)

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        with self._database.writing() as connection:
            _require_schema(connection, key)
            dropped = [_entry(row) for row in connection.execute(_TABLES + _OF_SCHEMA, key)]
            functions = [_function(row) for row in connection.execute(_FUNCTIONS + _OF_SCHEMA, key)]
            volumes = _volumes(connection, key)
            if (dropped or functions or volumes) and not cascade:
                raise SchemaInUseError([item.name for item in (*dropped, *functions, *volumes.values())])
            connection.execute("DELETE FROM tables" + _OF_SCHEMA, key)
            connection.execute("DELETE FROM functions" + _OF_SCHEMA, key)
            connection.execute("DELETE FROM volumes" + _OF_SCHEMA, key)
            connection.execute("DELETE FROM schemas WHERE catalog = ? AND name = ?", key)
        tables = [item for item in dropped if isinstance(item, TableEntry)]
        return [*tables, *(volume.as_table for volume in volumes.values())]

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        with self._database.explained():
            found = [_entry(row) for row in self._database.rows(_TABLES + _OF_SCHEMA, *schema)]
        if not found and self.schema(schema) is None:
            raise NameMissingError(Kind.SCHEMA)
        return found

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        with self._database.explained():
            rows = self._database.rows(_TABLES + " WHERE location LIKE ? || '%' AND location <> ''", location)
            return [entry for entry in map(_entry, rows) if isinstance(entry, TableEntry)]

    def entry(self, key: TableKey) -> Entry | None:
        with self._database.explained():
            rows = self._database.rows(_TABLES + _OF_NAME, *key)
            return _entry(rows[0]) if rows else None

    def add_table(self, entry: TableEntry) -> None:
        with self._database.writing() as connection:
            _require_schema(connection, entry.parts[:2])
            _insert(connection, entry)

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        with self._database.writing() as connection:
            return of_kind(_remove(connection, key), kind)

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        with self._database.writing() as connection:
            entry = _remove(connection, key)
            if entry is None:
                raise NameMissingError(Kind.TABLE)
            _require_schema(connection, new[:2])
            renamed = entry.renamed(new)
            _insert(connection, renamed)
        return renamed

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        with self._database.writing() as connection:
            found = of_kind(_remove(connection, key), Kind.TABLE)
            assert isinstance(found, TableEntry)
            changed = change(found)
            _insert(connection, changed)
        return changed

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        with self._database.writing() as connection:
            _require_schema(connection, key[:2])
            _insert(connection, change(_remove(connection, key)))

    def change_governance(self, key: TableKey, change: Callable[[Governance], Governance]) -> None:
        with self._database.writing() as connection:
            entry = _remove(connection, key)
            if entry is None:
                raise NameMissingError(Kind.TABLE)
            _insert(connection, replace(entry, governance=change(entry.governance)))

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        with self._database.explained():
            return [_function(row) for row in self._database.rows(_FUNCTIONS + _OF_SCHEMA, *schema)]

    def function(self, key: TableKey) -> FunctionEntry | None:
        with self._database.explained():
            rows = self._database.rows(_FUNCTIONS + _OF_NAME, *key)
            return _function(rows[0]) if rows else None

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        with self._database.writing() as connection:
            _require_schema(connection, key[:2])
            row = connection.execute(_FUNCTIONS + _OF_NAME, key).fetchone()
            changed = change(None if row is None else _function(row))
            connection.execute("DELETE FROM functions" + _OF_NAME, key)
            if changed is not None:
                written = (json.dumps(changed.definition.to_json()), changed.created_at, _records(changed.governance))
                connection.execute("INSERT INTO functions VALUES (?, ?, ?, ?, ?, ?)", (*changed.parts, *written))

    def securables(self) -> Sequence[Securable]:
        with self._database.explained():
            return [_securable(row) for row in self._database.rows("SELECT name, content FROM securables")]

    def change_securable(self, key: tuple[str, str], change: Callable[[Securable | None], Securable | None]) -> None:
        named = "WHERE kind = ? AND name = ?"
        with self._database.writing() as connection:
            row = connection.execute(f"SELECT name, content FROM securables {named}", key).fetchone()
            changed = change(None if row is None else _securable(row))
            connection.execute(f"DELETE FROM securables {named}", key)
            if changed is not None:
                if connection.execute(f"SELECT 1 FROM securables {named}", changed.key).fetchone() is not None:
                    raise NameTakenError
                values = (*changed.key, json.dumps(changed.to_json()))
                connection.execute("INSERT INTO securables VALUES (?, ?, ?)", values)

    def volumes(self, schema: SchemaKey) -> Volumes:
        return {row[2]: _volume(row) for row in self._database.rows(_VOLUMES + _OF_SCHEMA, *schema)}

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        with self._database.writing() as connection:
            _require_schema(connection, schema)
            changed = change(_volumes(connection, schema))
            connection.execute("DELETE FROM volumes" + _OF_SCHEMA, schema)
            for item in changed.values():
                values = (*item.parts, item.location, item.managed, item.created_at, item.comment)
                row = (*values, _records(item.governance))
                connection.execute("INSERT INTO volumes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        self._database.close()


def _has_catalog(connection: sqlite3.Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM catalogs WHERE name = ?", (name,)).fetchone() is not None


def _find_schema(connection: sqlite3.Connection, key: SchemaKey) -> StoredSchema | None:
    row = connection.execute(_SCHEMA, key).fetchone()
    return None if row is None else _schema(row)


def _require_schema(connection: sqlite3.Connection, key: SchemaKey) -> StoredSchema:
    found = _find_schema(connection, key)
    if found is None:
        raise NameMissingError(Kind.SCHEMA)
    return found


def _insert_schema(connection: sqlite3.Connection, schema: StoredSchema) -> None:
    written = (_texts(schema.properties), _records(schema.governance))
    values = (schema.catalog, schema.name, schema.comment, schema.location, schema.created_at, *written)
    connection.execute(f"INSERT INTO schemas ({_SCHEMA_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def _remove(connection: sqlite3.Connection, key: TableKey) -> Entry | None:
    row = connection.execute(_TABLES + _OF_NAME, key).fetchone()
    if row is None:
        return None
    connection.execute("DELETE FROM tables" + _OF_NAME, key)
    return _entry(row)


def _insert(connection: sqlite3.Connection, entry: Entry) -> None:
    if connection.execute(_TABLES + _OF_NAME, entry.parts).fetchone() is not None:
        raise NameTakenError
    values: tuple[Any, ...]
    if isinstance(entry, ViewEntry):
        values = (*entry.parts, "", False, entry.created_at, json.dumps(entry.definition.to_json()), None)
    else:
        source = None if entry.source is None else json.dumps(entry.source.to_json())
        text = None if entry.refreshed is None else json.dumps(entry.refreshed.to_json())
        values = (*entry.parts, entry.location, entry.managed, entry.created_at, text, source)
    values = (*values, _records(entry.governance))
    connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def _texts(properties: Mapping[str, str]) -> str:
    return json.dumps(dict(properties))


def _records(governance: Governance) -> str | None:
    """The text of the records on an object; None for none."""
    return None if governance.is_empty else json.dumps(governance.to_json())


def _governance(text: str | None) -> Governance:
    return UNGOVERNED if text is None else Governance.from_json(json.loads(text))


def _securable(row: tuple[Any, ...]) -> Securable:
    name, content = row
    with _whole(name):
        return Securable.from_json(json.loads(content))


def _catalog(row: tuple[Any, ...]) -> StoredCatalog:
    name, comment, location, created_at, properties, governance = row
    with _whole(name):
        values = json.loads(properties or "{}")
        return StoredCatalog(name, comment, location, created_at, values, _governance(governance))


def _schema(row: tuple[Any, ...]) -> StoredSchema:
    catalog, name, comment, location, created_at, properties, governance = row
    with _whole(name):
        values = json.loads(properties or "{}")
        return StoredSchema(catalog, name, comment, location, created_at, values, _governance(governance))


def _entry(row: tuple[Any, ...]) -> Entry:
    catalog, schema, name, location, managed, created_at, view, source, records = row
    with _whole(name):
        governance = _governance(records)
        if view is None or location:
            # Views have no location.
            described = None if source is None else TableSource.from_json(json.loads(source))
            refreshed = None if view is None else RefreshDefinition.from_json(json.loads(view))
            place = (location, bool(managed), created_at)
            return TableEntry(catalog, schema, name, *place, described, refreshed, governance)
        return ViewEntry(catalog, schema, name, ViewDefinition.from_json(json.loads(view)), created_at, governance)


def _function(row: tuple[Any, ...]) -> FunctionEntry:
    catalog, schema, name, text, created_at, records = row
    with _whole(name):
        definition = FunctionDefinition.from_json(json.loads(text))
        return FunctionEntry(catalog, schema, name, definition, created_at, _governance(records))


def _volumes(connection: sqlite3.Connection, schema: SchemaKey) -> Volumes:
    return {row[2]: _volume(row) for row in connection.execute(_VOLUMES + _OF_SCHEMA, schema)}


def _volume(row: tuple[Any, ...]) -> VolumeEntry:
    catalog, schema, name, location, managed, created_at, comment, governance = row
    return VolumeEntry(catalog, schema, name, location, bool(managed), created_at, comment, _governance(governance))


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """The block reads the texts of an entry. Raises DamagedEntryError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedEntryError(f"the entry of {name} is damaged ({type(error).__name__}: {error})") from error
