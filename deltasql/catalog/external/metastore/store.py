"""The names of a metastore as a catalog: its databases are the schemas.

Views and data sources of other formats are read and written as Spark and Hive have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    Entry,
    FunctionEntry,
    SchemaMode,
    StoredSchema,
    TableEntry,
    TableSource,
    ViewDefinition,
    ViewEntry,
    sql_name,
)
from deltasql.catalog.external.metastore.model import (
    COMMENT,
    DELTA,
    MANAGED,
    VIEW,
    ChangedMeanwhileError,
    Dialect,
    Metastore,
    MetastoreColumn,
    MetastoreDatabase,
    MetastoreTable,
    Storage,
    entry_of,
    hive_columns,
    is_described,
    is_mirrored,
    is_of_schema,
    location_of,
    mirrored,
    mirrored_version,
    moved,
    new_table,
    own_properties,
    provider_of,
    schema_properties,
    stored_partition_columns,
    stored_schema,
    user_properties,
)
from deltasql.catalog.external.routing import CatalogOptions, ExternalStore, MirroredTable
from deltasql.catalog.store import (
    Kind,
    NameMissingError,
    NameTakenError,
    SchemaInUseError,
    SchemaKey,
    TableKey,
)
from deltasql.log import table_location, without_deltasql_properties
from deltasql.schema import StructType, schema_from_json

_NAMESPACE = "view.catalogAndNamespace."
_QUERY_COLUMNS = "view.query.out."
_SETTINGS = "view.sqlConfig."
_MODE = "view.schemaMode"
_NO_MEANING = tuple(f"spark.sql.{part}." for part in ("catalog", "parquet", "orc", "hive", "sources", "files", "ui"))
_OF_OTHERS = ("/* Presto View", "/* Presto Materialized View")
"""The first words of views of Trino and Presto, whose definitions are encoded."""


def view_of(table: MetastoreTable, catalog: str) -> ViewEntry:
    """The view of a record, in the catalog of this name. Raises ValueError for a view that has no SQL text."""
    query, schema = _query(table), stored_schema(table)
    if schema is None:
        raise ValueError("a view without columns")
    parameters = table.parameters
    mode = SchemaMode(parameters.get(_MODE, SchemaMode.BINDING.value))
    names = _numbered(parameters, _QUERY_COLUMNS, "numCols", "col") or ()
    namespace = _numbered(parameters, _NAMESPACE, "numParts", "part") or (DEFAULT_CATALOG, table.database)
    definition = ViewDefinition(
        query,
        _here(namespace, catalog),
        dict(_settings(parameters)),
        names or schema.names,
        schema,
        has_names=bool(names) and (names != schema.names or mode is SchemaMode.EVOLUTION),
        mode=mode,
        comment=parameters.get(COMMENT),
        properties=user_properties(parameters),
    )
    return ViewEntry(catalog, table.database, table.name, definition, table.created_at)


def _query(table: MetastoreTable) -> str:
    """The query of a view, with all names in full if it has such a text. Raises ValueError."""
    query = next((text for text in reversed(table.texts or ()) if text.strip()), None)
    if query is None:
        raise ValueError("a view without a text")
    if query.lstrip().startswith(_OF_OTHERS):
        raise ValueError("a view of Trino or Presto")
    return query


def _settings(parameters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The stored settings that can change the meaning of a query. Spark stores all that were set."""
    for key, value in parameters.items():
        name = key.removeprefix(_SETTINGS)
        if name != key and name.startswith("spark.sql.") and not name.startswith(_NO_MEANING):
            yield name, value


def _here(namespace: Sequence[str], catalog: str) -> tuple[str, str]:
    """The catalog and schema of a view; what Spark calls `spark_catalog` is the metastore itself."""
    owner, *schema = namespace
    return (catalog if owner == DEFAULT_CATALOG else owner, ".".join(schema))


def _numbered(parameters: Mapping[str, str], prefix: str, count: str, item: str) -> tuple[str, ...] | None:
    """The texts of properties that are counted; None if there are none. Raises ValueError if one is missing."""
    if f"{prefix}{count}" not in parameters:
        return None
    try:
        return tuple(parameters[f"{prefix}{item}.{number}"] for number in range(int(parameters[f"{prefix}{count}"])))
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def view_table(entry: ViewEntry) -> MetastoreTable:
    """The record of a view."""
    definition = entry.definition
    columns = tuple(hive_columns(definition.schema)) or (MetastoreColumn("col", "string"),)
    parameters = {
        **own_properties(definition.comment),
        **definition.properties,
        **schema_properties(definition.schema),
        **dict(_context(definition, entry.catalog)),
    }
    texts = (definition.query, definition.query)
    return MetastoreTable(
        entry.schema,
        entry.name,
        VIEW,
        Storage(),
        columns,
        (),
        parameters,
        texts,
        entry.created_at,
    )


def _context(definition: ViewDefinition, catalog: str) -> Iterator[tuple[str, str]]:
    """The properties that say what the query means, for Spark, which calls the metastore `spark_catalog`."""
    owner, schema = definition.namespace
    yield f"{_NAMESPACE}numParts", "2"
    yield f"{_NAMESPACE}part.0", DEFAULT_CATALOG if owner == catalog else owner
    yield f"{_NAMESPACE}part.1", schema
    if definition.has_names or definition.mode is not SchemaMode.EVOLUTION:
        yield f"{_QUERY_COLUMNS}numCols", str(len(definition.names))
        yield from ((f"{_QUERY_COLUMNS}col.{number}", name) for number, name in enumerate(definition.names))
    yield from ((f"{_SETTINGS}{key}", value) for key, value in definition.settings.items())
    yield _MODE, definition.mode.value


_READABLE = frozenset({"csv", "json", "parquet", "orc", "text", "avro"})
_OF_SERDES = {
    "org.apache.hadoop.hive.ql.io.parquet.serde.parquethiveserde": "parquet",
    "org.apache.hadoop.hive.ql.io.orc.orcserde": "orc",
    "org.apache.hadoop.hive.serde2.lazy.lazysimpleserde": "csv",
    "org.apache.hadoop.hive.serde2.opencsvserde": "csv",
    "org.apache.hadoop.hive.serde2.jsonserde": "json",
    "org.apache.hive.hcatalog.data.jsonserde": "json",
    "org.openx.data.jsonserde.jsonserde": "json",
}
"""Formats by the classes that Hive reads them with, in lower case."""
_TEXT_FORMAT = "org.apache.hadoop.mapred.textinputformat"
_OF_OPEN_CSV = {"separatorChar": "sep", "quoteChar": "quote", "escapeChar": "escape"}
_NO_OPTIONS = frozenset({"path", "serialization.format"})


def source_of(table: MetastoreTable) -> TableSource:
    """The data source of a table that is none of Delta. Raises ValueError for one that cannot be read."""
    kind = table.parameters.get("table_type", "").lower()
    provider = kind if kind in {"iceberg", "hudi"} else provider_of(table) or _format_of_hive(table)
    if table.parameters.get("transactional", "").lower() == "true":
        raise ValueError("a transactional table of Hive")
    if provider not in _READABLE:
        raise ValueError(f"a table of the format {provider}")
    if not location_of(table):
        raise ValueError("a table without a location")
    options = _options(table, provider)
    return TableSource(
        provider,
        options,
        stored_schema(table),
        stored_partition_columns(table),
        table.parameters.get(COMMENT),
        user_properties(table.parameters),
    )


def _format_of_hive(table: MetastoreTable) -> str:
    """The format that Hive's classes read, or the name of the class."""
    serde = (table.storage.serde or "").lower()
    found = _OF_SERDES.get(serde)
    if found is None or (found == "csv" and (table.storage.input_format or "").lower() != _TEXT_FORMAT):
        return table.storage.serde or "of no serde"
    return found


def _options(table: MetastoreTable, provider: str) -> dict[str, str]:
    """The options of Spark's reader for the table's files."""
    given = table.storage.parameters
    if provider_of(table) is not None:
        return {key: value for key, value in given.items() if key not in _NO_OPTIONS and not is_of_schema(key)}
    return _text_options(table) if provider == "csv" else {}


def _text_options(table: MetastoreTable) -> dict[str, str]:
    """The options of Spark's reader of CSV for a table of Hive."""
    given = table.storage.parameters
    if "opencsv" in (table.storage.serde or "").lower():
        return {name: given[key] for key, name in _OF_OPEN_CSV.items() if key in given}
    # Hive's text: fields end with \x01 by default, nothing is quoted, and NULL is \N.
    separator = given.get("field.delim") or given.get("serialization.format") or "\x01"
    return {
        "sep": "\x01" if separator == "1" else separator,
        "nullValue": given.get("serialization.null.format", "\\N"),
        "quote": "",
        "escape": given.get("escape.delim", ""),
    }


def listed_entry(table: MetastoreTable, catalog: str) -> Entry:
    """The entry of a table or view that cannot be read, for lists of names."""
    if table.kind == VIEW:
        query = (table.texts or ("",))[0] or "--"
        definition = ViewDefinition(query, (catalog, DEFAULT_SCHEMA), {}, (), StructType(), mode=SchemaMode.BINDING)
        return ViewEntry(catalog, table.database, table.name, definition, table.created_at)
    kind = table.parameters.get("table_type", "").lower() or provider_of(table) or _format_of_hive(table)
    return TableEntry(
        catalog,
        table.database,
        table.name,
        location_of(table) or "",
        table.kind == MANAGED,
        table.created_at,
        TableSource(kind),
    )


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

    def remove_entry(self, key: TableKey, kind: Kind) -> Entry:
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
            raise errors.CatalogTableError(table=name, type=self.type, reason=str(error)) from None

    def _listed(self, table: MetastoreTable) -> Entry:
        """The entry of a record; of one that deltasql cannot read, with what is certain."""
        try:
            return self._entry(table)
        except errors.CatalogTableError:
            return listed_entry(table, self.name)

    def _repeated(self, key: TableKey, change: Callable[[], _T]) -> _T:
        for _ in range(_MOST_ATTEMPTS):
            try:
                return change()
            except ChangedMeanwhileError:
                continue
        raise errors.CatalogWritersError(table=sql_name(key), attempts=_MOST_ATTEMPTS)

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
