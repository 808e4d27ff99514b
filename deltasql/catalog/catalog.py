"""The embedded catalog: which names exist, and where their tables lie."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, TypeAlias, Union

from deltasql.catalog.database import Database, now
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    SchemaEntry,
    TableEntry,
    checked,
    matching,
    sql_name,
)
from deltasql.errors.catalog import (
    CatalogAlreadyExistsError,
    CatalogNotFoundError,
    DropDefaultSchemaError,
    SchemaAlreadyExistsError,
    SchemaNotEmptyError,
    SchemaNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
    TooManyNamePartsError,
)
from deltasql.errors.suggestion import meant, similar_names
from deltasql.log.storage.paths import absolute_location, is_local, local_path

_TABLE = "SELECT catalog, schema, name, location, managed, created_at FROM tables"
_SCHEMA_COLUMNS = "catalog, name, comment, location, created_at, properties"
_SCHEMA = f"SELECT {_SCHEMA_COLUMNS} FROM schemas"

Name: TypeAlias = Union[str, Sequence[str]]
"""One part as a string, or all parts in order."""


class Catalog:
    """Names of a warehouse. Names are kept in lower case; missing parts come from the current catalog and schema.

    The current schema belongs to this object; everything else is shared by all processes that use the warehouse.
    """

    def __init__(self, warehouse: str) -> None:
        self.warehouse = absolute_location(warehouse)
        self.current_catalog = DEFAULT_CATALOG
        self.current_schema = DEFAULT_SCHEMA
        self._database = Database(self.warehouse)

    def close(self) -> None:
        """Closes the file; a later call opens it again."""
        self._database.close()

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
        place = None if location is None else absolute_location(location)
        with self._database.writing() as connection:
            self._require_catalog(connection, catalog)
            if _schema_exists(connection, catalog, schema):
                if if_not_exists:
                    return False
                raise SchemaAlreadyExistsError(schema=sql_name((schema,)))
            values = (catalog, schema, comment, place, now(), json.dumps(dict(properties or {})))
            connection.execute(f"INSERT INTO schemas ({_SCHEMA_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", values)
        return True

    def drop_schema(self, name: Name, cascade: bool = False, if_exists: bool = False) -> list[TableEntry]:
        """Drops a schema; the tables that went with it (their files are the caller's to remove).

        Raises SchemaNotFoundError, SchemaNotEmptyError, DropDefaultSchemaError.
        """
        catalog, schema = self._schema_key(name)
        if (catalog, schema) == (DEFAULT_CATALOG, DEFAULT_SCHEMA):
            raise DropDefaultSchemaError(schema=schema)
        with self._database.writing() as connection:
            if not _schema_exists(connection, catalog, schema):
                if if_exists:
                    return []
                raise self._schema_not_found(catalog, schema)
            where = " WHERE catalog = ? AND schema = ?"
            dropped = [_table(row) for row in connection.execute(_TABLE + where, (catalog, schema))]
            if dropped and not cascade:
                raise SchemaNotEmptyError(schema=sql_name((schema,)), tables=tuple(item.name for item in dropped))
            connection.execute("DELETE FROM tables" + where, (catalog, schema))
            connection.execute("DELETE FROM schemas WHERE catalog = ? AND name = ?", (catalog, schema))
        return dropped

    def comment_on_schema(self, name: Name, comment: str | None) -> None:
        """Gives a schema another comment, or none. Raises SchemaNotFoundError."""
        catalog, schema = self._schema_key(name)
        with self._database.writing() as connection:
            if not _schema_exists(connection, catalog, schema):
                raise self._schema_not_found(catalog, schema)
            where = " WHERE catalog = ? AND name = ?"
            connection.execute("UPDATE schemas SET comment = ?" + where, (comment, catalog, schema))

    def change_schema_properties(self, name: Name, added: Mapping[str, str], removed: Sequence[str]) -> None:
        """Sets and removes properties of a schema; a key that is not set is passed over. Raises SchemaNotFoundError."""
        catalog, schema = self._schema_key(name)
        with self._database.writing() as connection:
            where = " WHERE catalog = ? AND name = ?"
            row = connection.execute("SELECT properties FROM schemas" + where, (catalog, schema)).fetchone()
            if row is None:
                raise self._schema_not_found(catalog, schema)
            kept = {key: value for key, value in json.loads(row[0] or "{}").items() if key not in removed}
            text = json.dumps({**kept, **added})
            connection.execute("UPDATE schemas SET properties = ?" + where, (text, catalog, schema))

    def schemas(self, pattern: str | None = None) -> list[SchemaEntry]:
        """Schemas of the current catalog, by name. For `pattern` see `entries.matching`."""
        rows = self._database.rows(_SCHEMA + " WHERE catalog = ?", self.current_catalog)
        found = {row[1]: self._schema(row) for row in rows}
        return [found[name] for name in matching(found, pattern)]

    def schema(self, name: Name) -> SchemaEntry:
        """One schema. Raises SchemaNotFoundError."""
        catalog, schema = self._schema_key(name)
        rows = self._database.rows(_SCHEMA + " WHERE catalog = ? AND name = ?", catalog, schema)
        if not rows:
            raise self._schema_not_found(catalog, schema)
        return self._schema(rows[0])

    def has_schema(self, name: Name) -> bool:
        """Whether there is a schema of this name."""
        catalog, schema = self._schema_key(name)
        return bool(self._database.rows("SELECT 1 FROM schemas WHERE catalog = ? AND name = ?", catalog, schema))

    def use(self, name: Name) -> None:
        """Makes a schema (and its catalog) the current one. Raises SchemaNotFoundError."""
        entry = self.schema(name)
        self.current_catalog, self.current_schema = entry.catalog, entry.name

    def within(self, catalog: str, schema: str) -> Catalog:
        """This catalog for somebody whose current schema is another one, which need not be there any more."""
        other = copy(self)
        other.current_catalog, other.current_schema = catalog, schema
        return other

    # Catalogs

    def create_catalog(self, name: str, if_not_exists: bool = False) -> bool:
        """Creates a catalog with its default schema; False when it existed. Raises CatalogAlreadyExistsError."""
        catalog = checked(name)
        with self._database.writing() as connection:
            if connection.execute("SELECT 1 FROM catalogs WHERE name = ?", (catalog,)).fetchone():
                if if_not_exists:
                    return False
                raise CatalogAlreadyExistsError(catalog=sql_name((catalog,)))
            connection.execute("INSERT INTO catalogs VALUES (?, ?)", (catalog, now()))
            values = (catalog, DEFAULT_SCHEMA, None, None, now(), "{}")
            connection.execute(f"INSERT INTO schemas ({_SCHEMA_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", values)
        return True

    def catalogs(self, pattern: str | None = None) -> list[str]:
        """Names of all catalogs, sorted."""
        return matching((row[0] for row in self._database.rows("SELECT name FROM catalogs")), pattern)

    def use_catalog(self, name: str) -> None:
        """Makes a catalog and its default schema current. Raises CatalogNotFoundError."""
        catalog = name.lower()
        known = self.catalogs()
        if catalog not in known:
            raise CatalogNotFoundError(catalog=sql_name((catalog,)), known=tuple(known))
        self.current_catalog, self.current_schema = catalog, DEFAULT_SCHEMA

    # Tables

    def tables(self, schema: Name | None = None, pattern: str | None = None) -> list[TableEntry]:
        """Tables of one schema (the current one if None), by name. Raises SchemaNotFoundError."""
        entry = self.schema(self.current_schema if schema is None else schema)
        rows = self._database.rows(_TABLE + " WHERE catalog = ? AND schema = ?", entry.catalog, entry.name)
        found = {row[2]: _table(row) for row in rows}
        return [found[name] for name in matching(found, pattern)]

    def resolve(self, parts: Name) -> TableEntry | None:
        """The table of this name, or None."""
        rows = self._database.rows(_TABLE + " WHERE catalog = ? AND schema = ? AND name = ?", *self._table_key(parts))
        return _table(rows[0]) if rows else None

    def require(self, parts: Name) -> TableEntry:
        """The table of this name. Raises TableNotFoundError, which names the closest tables that exist."""
        entry = self.resolve(parts)
        if entry is None:
            raise self._table_not_found(parts)
        return entry

    def register(self, parts: Name, location: str, managed: bool) -> TableEntry:
        """Adds a table; of several that add one name at once, exactly one wins.

        Raises TableAlreadyExistsError, SchemaNotFoundError, InvalidNameError.
        """
        catalog, schema, name = self._table_key(parts)
        entry = TableEntry(catalog, schema, checked(name), absolute_location(location), managed, now())
        with self._database.writing() as connection:
            self._require_schema(connection, catalog, schema)
            self._insert(connection, entry)
        return entry

    def unregister(self, parts: Name) -> TableEntry:
        """Removes a table's name; its entry as it was. Raises TableNotFoundError."""
        key = self._table_key(parts)
        with self._database.writing() as connection:
            entry = _find(connection, key)
            if entry is None:
                raise self._table_not_found(parts)
            connection.execute("DELETE FROM tables WHERE catalog = ? AND schema = ? AND name = ?", key)
        return entry

    def rename(self, parts: Name, new_parts: Name) -> TableEntry:
        """The entry under its new name; files stay where they are, so that readers and writers go on.

        A new name of one part stays in the table's schema.
        Raises TableNotFoundError, TableAlreadyExistsError, SchemaNotFoundError.
        """
        old = self._table_key(parts)
        new = _as_parts(new_parts)
        catalog, schema, name = (*old[:2], new[0].lower()) if len(new) == 1 else self._table_key(new)
        with self._database.writing() as connection:
            entry = _find(connection, old)
            if entry is None:
                raise self._table_not_found(parts)
            self._require_schema(connection, catalog, schema)
            renamed = TableEntry(catalog, schema, checked(name), entry.location, entry.managed, entry.created_at)
            connection.execute("DELETE FROM tables WHERE catalog = ? AND schema = ? AND name = ?", old)
            self._insert(connection, renamed)
        return renamed

    def set_location(self, parts: Name, location: str) -> TableEntry:
        """The entry at its new place, which makes it external. Raises TableNotFoundError."""
        key = self._table_key(parts)
        with self._database.writing() as connection:
            entry = _find(connection, key)
            if entry is None:
                raise self._table_not_found(parts)
            connection.execute(
                "UPDATE tables SET location = ?, managed = 0 WHERE catalog = ? AND schema = ? AND name = ?",
                (absolute_location(location), *key),
            )
        return TableEntry(*key, absolute_location(location), False, entry.created_at)

    def managed_location(self, parts: Name) -> str:
        """Where a managed table of this name belongs: `<location of its schema>/<table>`.

        A place that a renamed table still uses is avoided by a number behind it. Raises SchemaNotFoundError.
        """
        catalog, schema, name = self._table_key(parts)
        wanted = f"{self.schema((catalog, schema)).location}/{checked(name)}"
        sql = (
            "SELECT location FROM tables WHERE location LIKE ? || '%' AND NOT (catalog = ? AND schema = ? AND name = ?)"
        )
        taken = {row[0] for row in self._database.rows(sql, wanted, catalog, schema, name)}
        candidates = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
        return next(place for place in candidates if place not in taken)

    def full_name(self, parts: Name) -> tuple[str, str, str]:
        """(catalog, schema, table) in lower case, with the missing parts filled in. Raises TooManyNamePartsError."""
        return self._table_key(parts)

    # Inner parts

    def _schema_key(self, name: Name) -> tuple[str, str]:
        parts = _as_parts(name)
        if not 1 <= len(parts) <= 2:
            raise TooManyNamePartsError(name=sql_name(parts))
        lowered = tuple(part.lower() for part in parts)
        return (self.current_catalog, lowered[0]) if len(lowered) == 1 else (lowered[0], lowered[1])

    def _table_key(self, name: Name) -> tuple[str, str, str]:
        parts = _as_parts(name)
        if not 1 <= len(parts) <= 3:
            raise TooManyNamePartsError(name=sql_name(parts))
        filled = (self.current_catalog, self.current_schema)[: 3 - len(parts)] + parts
        return (filled[0].lower(), filled[1].lower(), filled[2].lower())

    def _schema(self, row: tuple[Any, ...]) -> SchemaEntry:
        catalog, name, comment, location, created_at, properties = row
        place = location or self._schema_location(catalog, name)
        return SchemaEntry(catalog, name, comment, place, created_at, json.loads(properties or "{}"))

    def _schema_location(self, catalog: str, schema: str) -> str:
        """The default catalog's default schema is the warehouse itself, as in Spark."""
        base = self.warehouse if catalog == DEFAULT_CATALOG else f"{self.warehouse}/{catalog}.catalog"
        return base if schema == DEFAULT_SCHEMA else f"{base}/{schema}.db"

    def _require_catalog(self, connection: sqlite3.Connection, catalog: str) -> None:
        known = tuple(row[0] for row in connection.execute("SELECT name FROM catalogs ORDER BY name"))
        if catalog not in known:
            raise CatalogNotFoundError(catalog=sql_name((catalog,)), known=known)

    def _require_schema(self, connection: sqlite3.Connection, catalog: str, schema: str) -> None:
        self._require_catalog(connection, catalog)
        if not _schema_exists(connection, catalog, schema):
            raise self._schema_not_found(catalog, schema)

    def _insert(self, connection: sqlite3.Connection, entry: TableEntry) -> None:
        if _find(connection, entry.parts) is not None:
            raise TableAlreadyExistsError(table=sql_name(entry.parts))
        values = (*entry.parts, entry.location, entry.managed, entry.created_at)
        connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", values)

    def _schema_not_found(self, catalog: str, schema: str) -> SchemaNotFoundError | CatalogNotFoundError:
        known = self.catalogs()
        if catalog not in known:
            return CatalogNotFoundError(catalog=sql_name((catalog,)), known=tuple(known))
        rows = self._database.rows("SELECT name FROM schemas WHERE catalog = ?", catalog)
        similar = similar_names(schema, (row[0] for row in rows), most=3)
        advice = meant(similar) or f"Run SHOW SCHEMAS, or create it: CREATE SCHEMA {sql_name((schema,))}."
        return SchemaNotFoundError(schema=sql_name((schema,)), advice=advice, similar=similar)

    def _table_not_found(self, parts: Name) -> TableNotFoundError | CatalogNotFoundError:
        catalog, schema, name = self._table_key(parts)
        known = self.catalogs()
        if catalog not in known:
            return CatalogNotFoundError(catalog=sql_name((catalog,)), known=tuple(known))
        shown = ".".join(sql_name((part,)) for part in _as_parts(parts))
        unregistered = self._unregistered(catalog, schema, name)
        if unregistered is not None:
            advice = f"A Delta table lies at {unregistered}; to use it, run: "
            return TableNotFoundError(
                table=shown, advice=f"{advice}CREATE TABLE {shown} USING delta LOCATION '{unregistered}'."
            )
        similar = self._similar(catalog, schema, name)
        return TableNotFoundError(
            table=shown, advice=meant(similar) or "Run SHOW TABLES to see what exists.", similar=similar
        )

    def _unregistered(self, catalog: str, schema: str, name: str) -> str | None:
        place = f"{self._schema_location(catalog, schema)}/{name}"
        return place if is_local(place) and Path(local_path(place), "_delta_log").is_dir() else None

    def _similar(self, catalog: str, schema: str, name: str) -> tuple[str, ...]:
        """Names like `name` in its schema; else the same name elsewhere, with its schema."""
        rows = self._database.rows("SELECT catalog, schema, name FROM tables")
        near = similar_names(name, (row[2] for row in rows if row[:2] == (catalog, schema)), most=3)
        if near:
            return tuple(sql_name((item,) if schema == self.current_schema else (schema, item)) for item in near)
        return tuple(sorted(sql_name(row) for row in rows if row[2] == name))[:3]


def _as_parts(name: Name) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else tuple(name)


def _table(row: tuple[Any, ...]) -> TableEntry:
    return TableEntry(row[0], row[1], row[2], row[3], bool(row[4]), row[5])


def _find(connection: sqlite3.Connection, key: tuple[str, str, str]) -> TableEntry | None:
    row = connection.execute(_TABLE + " WHERE catalog = ? AND schema = ? AND name = ?", key).fetchone()
    return None if row is None else _table(row)


def _schema_exists(connection: sqlite3.Connection, catalog: str, schema: str) -> bool:
    sql = "SELECT 1 FROM schemas WHERE catalog = ? AND name = ?"
    return connection.execute(sql, (catalog, schema)).fetchone() is not None
