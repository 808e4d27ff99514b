"""The names of a metastore: its databases are the schemas of one catalog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import CatalogTableError, CatalogWritersError
from deltasql.catalog.entries import Entry, FunctionEntry, StoredSchema, TableEntry, ViewEntry, sql_name
from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.metastore.model import (
    VIEW,
    ChangedMeanwhileError,
    Metastore,
    MetastoreDatabase,
    MetastoreTable,
)
from deltasql.catalog.external.metastore.sources import listed_entry, source_of
from deltasql.catalog.external.metastore.tables import (
    DELTA,
    Dialect,
    entry_of,
    is_described,
    is_mirrored,
    location_of,
    mirrored,
    mirrored_version,
    moved,
    new_table,
    provider_of,
)
from deltasql.catalog.external.metastore.views import view_of, view_table
from deltasql.catalog.external.mirror import MirroredTable
from deltasql.catalog.external.store import ExternalStore
from deltasql.catalog.store import (
    Kind,
    NameMissingError,
    NameTakenError,
    SchemaInUseError,
    SchemaKey,
    TableKey,
)
from deltasql.log.properties.property import without_deltasql_properties
from deltasql.log.storage.locations import table_location
from deltasql.schema.json import schema_from_json

_T = TypeVar("_T")

_MOST_ATTEMPTS = 20
"""Each attempt but the first follows a change of the same table by someone else."""
_MOST_REMEMBERED = 1000
_VERSIONS = ("minReaderVersion", "minWriterVersion")
_FEATURES = ("readerFeatures", "writerFeatures")


class MetastoreStore(ExternalStore):
    """A CatalogStore for the databases of one metastore. Each look-up of a table is one request."""

    def __init__(self, options: CatalogOptions, metastore: Metastore, dialect: Dialect) -> None:
        super().__init__(options)
        self._metastore, self._dialect = metastore, dialect
        # By location: the records of Delta tables as they were last looked up, and the versions committed since.
        self._read: dict[str, MetastoreTable] = {}
        self._committed: dict[str, MirroredTable] = {}
        # Locations of tables that are about to be created.
        self._announced: dict[str, None] = {}

    def holds(self, location: str) -> bool:
        return location in self._read or location in self._announced

    def announce(self, location: str) -> None:
        _remember(self._announced, table_location(location), None)

    def new_location(self, key: TableKey) -> str | None:
        schema = self.schema(key[:2])
        if schema is None:
            raise NameMissingError(Kind.SCHEMA)
        if schema.location is None:
            return None
        place = f"{schema.location}/{key[2]}"
        self.announce(place)
        return place

    # Schemas

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        return [self._schema(database) for database in self._metastore.databases()]

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        database = self._metastore.database(key[1])
        return None if database is None else self._schema(database)

    def add_schema(self, schema: StoredSchema) -> None:
        uri = None if schema.location is None else self._dialect.uri(schema.location)
        self._metastore.create_database(
            MetastoreDatabase(schema.name, schema.comment, uri, dict(schema.properties), schema.created_at)
        )

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        database = self._metastore.database(key[1])
        if database is None:
            raise NameMissingError(Kind.SCHEMA)
        changed = change(self._schema(database))
        self._metastore.change_database(replace(database, comment=changed.comment, parameters=dict(changed.properties)))

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        tables = self._metastore.tables(key[1])
        names = [*(table.name for table in tables), *self._metastore.function_names(key[1])]
        if names and not cascade:
            raise SchemaInUseError(names)
        self._metastore.drop_database(key[1], cascade)
        entries = [self._listed(table) for table in tables]
        return [entry for entry in entries if isinstance(entry, TableEntry)]

    def _schema(self, database: MetastoreDatabase) -> StoredSchema:
        place = None if not database.location else self._dialect.location(database.location)
        if place is None and (warehouse := self.configuration.get("warehouse")) is not None:
            place = f"{table_location(warehouse)}/{database.name}.db"
        return StoredSchema(
            self.name, database.name, database.comment, place, database.created_at, dict(database.parameters)
        )

    # Tables

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        return [self._listed(table) for table in self._metastore.tables(schema[1])]

    def entry(self, key: TableKey) -> Entry | None:
        table = self._metastore.table(*key[1:])
        if table is None:
            return None
        entry = self._entry(table)
        if isinstance(entry, TableEntry) and entry.source is None:
            _remember(self._read, entry.location, table)
        return entry

    def add_table(self, entry: TableEntry) -> None:
        if entry.source is not None:
            self._refuse(f"CREATE TABLE … USING {entry.source.format}")
        described = self._committed.get(entry.location) or self._described(entry.location)
        self._metastore.create_table(new_table(entry, self._dialect, described))

    def _described(self, location: str) -> MirroredTable | None:
        """The newest version of a table that this process has not committed; None if it cannot be read."""
        try:
            facts = self.read_facts(location)
            schema = schema_from_json(facts.schema)
        except DeltaSqlError:
            return None
        versions = {f"delta.{key}": str(value) for key, value in facts.protocol.items() if key in _VERSIONS}
        features = {name for key in _FEATURES for name in facts.protocol.get(key, ())}
        properties = {
            **without_deltasql_properties(facts.properties),
            **versions,
            **{f"delta.feature.{name}": "supported" for name in sorted(features)},
        }
        return MirroredTable(
            facts.version, facts.timestamp, schema, tuple(facts.partition_columns), facts.comment, properties
        )

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        table = self._table(key, kind)
        self._metastore.drop_table(table)
        return self._listed(table)

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        def change() -> Entry:
            table = self._table(key)
            if key == new:
                raise NameTakenError
            renamed = replace(table, database=new[1], name=new[2])
            self._metastore.rename_table(table, renamed)
            # A managed table is so for its user, whatever the metastore says of it now.
            return self._listed(renamed)

        return self._repeated(key, change)

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        def changed() -> TableEntry:
            table = self._table(key, Kind.TABLE)
            entry = self._entry(table)
            assert isinstance(entry, TableEntry)
            new = change(entry)
            if new == entry:
                return entry
            if entry.source is not None:
                self._refuse(f"changes of a table of the format {entry.source.format}")
            if new != replace(entry, location=new.location, managed=new.managed):
                self._refuse("definitions of materialized views and streaming tables")
            self._metastore.change_table(table, moved(table, self._dialect, new.location))
            return new

        return self._repeated(key, changed)

    def mirror(self, location: str, described: MirroredTable) -> None:
        _remember(self._committed, location, described)
        seen = self._read.get(location)
        if seen is None or not (described.changed or is_described(seen)):
            return
        if is_mirrored(seen, self._dialect, described):
            return

        def change() -> None:
            table = self._metastore.table(seen.database, seen.name)
            if table is None or location_of(table) != location or mirrored_version(table) > described.version:
                return
            self._metastore.change_table(table, mirrored(table, self._dialect, described))
            # It is read again before the next change.
            self._read.pop(location, None)

        self._repeated((self.name, seen.database, seen.name), change)

    def _table(self, key: TableKey, kind: Kind | None = None) -> MetastoreTable:
        """The record of a table or view, of this kind if it is given. Raises NameMissingError."""
        table = self._metastore.table(*key[1:])
        if table is None or (kind is not None and (table.kind == VIEW) != (kind is Kind.VIEW)):
            raise NameMissingError(kind or Kind.TABLE)
        return table

    def _entry(self, table: MetastoreTable) -> Entry:
        """The entry of a record. Raises CatalogTableError for one that deltasql cannot read."""
        try:
            if table.kind == VIEW:
                return view_of(table, self.name)
            location = location_of(table)
            if provider_of(table) == DELTA:
                if location is None:
                    raise ValueError("a table without a location")
                return entry_of(table, self.name, location)
            return replace(entry_of(table, self.name, location or ""), source=source_of(table))
        except ValueError as error:
            name = sql_name((self.name, table.database, table.name))
            raise CatalogTableError(table=name, type=self.type, reason=str(error)) from None

    def _listed(self, table: MetastoreTable) -> Entry:
        """The entry of a record; of one that deltasql cannot read, with what is certain."""
        try:
            return self._entry(table)
        except CatalogTableError:
            return listed_entry(table, self.name)

    def _repeated(self, key: TableKey, change: Callable[[], _T]) -> _T:
        for _ in range(_MOST_ATTEMPTS):
            try:
                return change()
            except ChangedMeanwhileError:
                continue
        raise CatalogWritersError(table=sql_name(key), attempts=_MOST_ATTEMPTS)

    # Views and functions

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        def replaced() -> None:
            table = self._metastore.table(*key[1:])
            new = view_table(change(None if table is None else self._entry(table)))
            if table is not None:
                self._metastore.change_table(table, new)
                return
            try:
                self._metastore.create_table(new)
            except NameTakenError:
                raise ChangedMeanwhileError from None

        self._repeated(key, replaced)

    def function(self, key: TableKey) -> FunctionEntry | None:
        """None: functions of a metastore are classes of Java."""
        return None

    def close(self) -> None:
        self._read.clear()
        self._committed.clear()
        self._announced.clear()
        self._metastore.close()


def _remember(items: dict[str, _T], location: str, item: _T) -> None:
    """Adds an item, and forgets the oldest of very many."""
    items.pop(location, None)
    items[location] = item
    if len(items) > _MOST_REMEMBERED:
        del items[next(iter(items))]
