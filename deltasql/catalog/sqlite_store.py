"""Names in a SQLite file: rows in, rows out. Each change is one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from deltasql.catalog.commit_stores import DamagedEntryError, Database, SqliteCommits
from deltasql.catalog.entries import (
    DEFAULT_SCHEMA,
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
    TableKey,
)

_R = TypeVar("_R")


_PARENTS: Mapping[int, tuple[RecordGroup[Any], Sequence[RecordGroup[Any]], Kind]] = {
    1: (CATALOGS, (SCHEMAS,), Kind.CATALOG),
    2: (SCHEMAS, (RELATIONS, FUNCTIONS, VOLUMES), Kind.SCHEMA),
}
"""By the length of a key: the records that have others inside, and these."""


class _Rows(NamedTuple):
    """Records of a group as rows of a table. The first `key` of `columns` are the record's key."""

    table: str
    columns: str
    key: int
    read: Callable[[tuple[Any, ...]], Any]
    written: Callable[[Any], tuple[Any, ...]]
    """The values of the columns behind the key."""

    def where(self, parts: int) -> str:
        """The condition for the first parts of the key."""
        conditions = (f"{column} = ?" for column in self.columns.split(", ")[:parts])
        return f" WHERE {' AND '.join(conditions)}" if parts else ""

    def select(self, parts: int) -> str:
        return f"SELECT {self.columns} FROM {self.table}{self.where(parts)}"

    def find(self, connection: sqlite3.Connection, key: Key) -> Any:
        row = connection.execute(self.select(self.key), key).fetchone()
        return None if row is None else self.read(row)

    def delete(self, connection: sqlite3.Connection, key: Key) -> None:
        connection.execute(f"DELETE FROM {self.table}{self.where(len(key))}", key)

    def update(self, connection: sqlite3.Connection, key: Key, record: Any) -> None:
        assigned = ", ".join(f"{column} = ?" for column in self.columns.split(", ")[self.key :])
        connection.execute(f"UPDATE {self.table} SET {assigned}{self.where(self.key)}", (*self.written(record), *key))

    def insert(self, connection: sqlite3.Connection, key: Key, record: Any) -> None:
        if connection.execute(self.select(self.key), key).fetchone() is not None:
            raise NameTakenError
        values = (*key, *self.written(record))
        places = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO {self.table} ({self.columns}) VALUES ({places})", values)


class SqliteCatalogStore:
    """A CatalogStore in a file of the warehouse, on a local disk. Its errors are CatalogFileErrors."""

    def __init__(self, warehouse: str) -> None:
        self._database = Database(warehouse)
        self.commits = SqliteCommits(self._database)

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        rows = _ROWS[group.name]
        with self._database.explained():
            found = self._database.rows(rows.select(rows.key), *key)
            return rows.read(found[0]) if found else None

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        rows = _ROWS[group.name]
        with self._database.explained():
            found = [rows.read(row) for row in self._database.rows(rows.select(len(parent)), *parent)]
        if not found and group.name == RELATIONS.name and self.get(SCHEMAS, parent) is None:
            raise NameMissingError(Kind.SCHEMA)
        return found

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        rows = _ROWS[group.name]
        with self._database.writing() as connection:
            found = rows.find(connection, key)
            if found is None:
                if must_exist is not None:
                    raise NameMissingError(must_exist)
                _require_parent(connection, group, key)
            changed = change(found)
            if changed is not None and found is not None and group.key(changed) == key:
                rows.update(connection, key, changed)
            else:
                rows.delete(connection, key)
                if changed is not None:
                    rows.insert(connection, group.key(changed), changed)
            if found is None and isinstance(changed, StoredCatalog):
                default = StoredSchema(changed.name, DEFAULT_SCHEMA, None, None, changed.created_at)
                _ROWS[SCHEMAS.name].insert(connection, default.key, default)
        return changed

    def move(self, key: TableKey, new: TableKey) -> Entry:
        rows = _ROWS[RELATIONS.name]
        with self._database.writing() as connection:
            found: Entry | None = rows.find(connection, key)
            if found is None:
                raise NameMissingError(Kind.TABLE)
            rows.delete(connection, key)
            _require_parent(connection, RELATIONS, new)
            renamed = found.renamed(new)
            rows.insert(connection, new, renamed)
        return renamed

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        group, inner, kind = _PARENTS[len(key)]
        with self._database.writing() as connection:
            if _ROWS[group.name].find(connection, key) is None:
                raise NameMissingError(kind)
            held = [item for other in inner for item in _inside(connection, other, key)]
            if held and (not cascade or kind is Kind.CATALOG):
                raise SchemaInUseError([item.name for item in held])
            for other in (*inner, group):
                _ROWS[other.name].delete(connection, key)
        return [*_tables(held)]

    def below(self, location: str) -> Sequence[TableEntry]:
        rows = _ROWS[RELATIONS.name]
        with self._database.explained():
            found = self._database.rows(f"{rows.select(0)} WHERE location LIKE ? || '%' AND location <> ''", location)
            return [entry for entry in map(rows.read, found) if isinstance(entry, TableEntry)]

    def close(self) -> None:
        self._database.close()


def _tables(records: Sequence[Any]) -> Iterator[TableEntry]:
    """Tables, and volumes as tables."""
    for item in records:
        if isinstance(item, VolumeEntry):
            yield item.as_table
        elif isinstance(item, TableEntry):
            yield item


def _require_parent(connection: sqlite3.Connection, group: RecordGroup[Any], key: Key) -> None:
    """Raises NameMissingError for the missing catalog of a schema, or the missing schema of what is in one."""
    if group.name not in {CATALOGS.name, SECURABLES.name}:
        parent, kind = (CATALOGS, Kind.CATALOG) if group.name == SCHEMAS.name else (SCHEMAS, Kind.SCHEMA)
        if _ROWS[parent.name].find(connection, key[:-1]) is None:
            raise NameMissingError(kind)


def _inside(connection: sqlite3.Connection, group: RecordGroup[Any], parent: Key) -> Iterator[Any]:
    rows = _ROWS[group.name]
    return map(rows.read, connection.execute(rows.select(len(parent)), parent))


def _entry_values(entry: Entry) -> tuple[Any, ...]:
    values: tuple[Any, ...]
    if isinstance(entry, ViewEntry):
        values = ("", False, entry.created_at, json.dumps(entry.definition.to_json()), None)
    else:
        source = None if entry.source is None else json.dumps(entry.source.to_json())
        text = None if entry.refreshed is None else json.dumps(entry.refreshed.to_json())
        values = (entry.location, entry.managed, entry.created_at, text, source)
    return (*values, _records(entry.governance))


def _texts(properties: Mapping[str, str]) -> str:
    return json.dumps(dict(properties))


def _records(governance: Governance) -> str | None:
    """The text of the records on an object; None for none."""
    return None if governance.is_empty else json.dumps(governance.to_json())


def _governance(text: str | None) -> Governance:
    return UNGOVERNED if text is None else Governance.from_json(json.loads(text))


def _securable(row: tuple[Any, ...]) -> Securable:
    _, name, content = row
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


_ROWS: Mapping[str, _Rows] = {
    CATALOGS.name: _Rows(
        "catalogs",
        "name, comment, location, created_at, properties, governance",
        1,
        _catalog,
        lambda item: (
            item.comment,
            item.location,
            item.created_at,
            _texts(item.properties),
            _records(item.governance),
        ),
    ),
    SCHEMAS.name: _Rows(
        "schemas",
        "catalog, name, comment, location, created_at, properties, governance",
        2,
        _schema,
        lambda item: (
            item.comment,
            item.location,
            item.created_at,
            _texts(item.properties),
            _records(item.governance),
        ),
    ),
    RELATIONS.name: _Rows(
        "tables",
        "catalog, schema, name, location, managed, created_at, view, source, governance",
        3,
        _entry,
        _entry_values,
    ),
    FUNCTIONS.name: _Rows(
        "functions",
        "catalog, schema, name, definition, created_at, governance",
        3,
        _function,
        lambda item: (json.dumps(item.definition.to_json()), item.created_at, _records(item.governance)),
    ),
    VOLUMES.name: _Rows(
        "volumes",
        "catalog, schema, name, location, managed, created_at, comment, governance",
        3,
        _volume,
        lambda item: (item.location, item.managed, item.created_at, item.comment, _records(item.governance)),
    ),
    SECURABLES.name: _Rows(
        "securables", "kind, name, content", 2, _securable, lambda item: (json.dumps(item.to_json()),)
    ),
}
"""The tables of the file, by groups of records."""
