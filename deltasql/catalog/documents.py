"""Contents of the catalog objects of a warehouse in an object store, and their JSON."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
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
    now,
    read_text,
)
from deltasql.catalog.store import SchemaKey, TableKey

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaRecord:
    """A schema with an `id`, which differs from that of a dropped schema of the same name."""

    id: str
    schema: StoredSchema


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table or view with an `id`, which is new for each name that it gets."""

    id: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Arrival:
    """The announced arrival of a table that is renamed from another schema; see `renaming`.

    `source` and `source_id` are its name and id in the old schema, `table` is its entry in the new one.
    """

    table: TableRecord
    source: TableKey
    source_id: str


@dataclass(frozen=True, slots=True)
class SchemaList:
    """All catalogs with their schemas, by name, and what is stored of catalogs themselves."""

    catalogs: Mapping[str, Mapping[str, SchemaRecord]]
    stored: Mapping[str, StoredCatalog] = field(default_factory=dict)

    @classmethod
    def first(cls) -> SchemaList:
        """The list before the first write: the default catalog and schema."""
        default = SchemaRecord("0", StoredSchema(DEFAULT_CATALOG, DEFAULT_SCHEMA, None, None, now()))
        return cls({DEFAULT_CATALOG: {DEFAULT_SCHEMA: default}})

    @property
    def layout(self) -> int:
        """The layout version: 3 with records of governance, which earlier releases would lose."""
        records = [record.schema.governance for found in self.catalogs.values() for record in found.values()]
        records += [catalog.governance for catalog in self.stored.values()]
        return 1 if all(record.is_empty for record in records) else 3

    def catalog(self, name: str) -> StoredCatalog | None:
        """One catalog; of those written by releases that stored only schemas the time of the first schema counts."""
        if name not in self.catalogs:
            return None
        created = (record.schema.created_at for record in self.catalogs[name].values())
        return self.stored.get(name) or StoredCatalog(name, None, None, min(created, default=0))

    def with_catalog(self, catalog: StoredCatalog) -> SchemaList:
        """The list with a catalog added or replaced."""
        schemas = {**self.catalogs, catalog.name: self.catalogs.get(catalog.name, {})}
        return SchemaList(schemas, {**self.stored, catalog.name: catalog})

    def without_catalog(self, name: str) -> SchemaList:
        left = {other: schemas for other, schemas in self.catalogs.items() if other != name}
        return SchemaList(left, {other: stored for other, stored in self.stored.items() if other != name})

    def find(self, key: SchemaKey) -> SchemaRecord | None:
        return self.catalogs.get(key[0], {}).get(key[1])

    def with_schema(self, record: SchemaRecord) -> SchemaList:
        """The list with a schema added or replaced; a missing catalog is added."""
        schemas = self.catalogs.get(record.schema.catalog, {})
        catalogs = {**self.catalogs, record.schema.catalog: {**schemas, record.schema.name: record}}
        return replace(self, catalogs=catalogs)

    def without(self, key: SchemaKey) -> SchemaList:
        left = {name: kept for name, kept in self.catalogs[key[0]].items() if name != key[1]}
        return replace(self, catalogs={**self.catalogs, key[0]: left})

    @classmethod
    def from_json(cls, value: Json) -> SchemaList:
        """Raises KeyError, TypeError, AttributeError for invalid JSON of a list."""
        catalogs = value["catalogs"]
        schemas = {
            catalog: {name: _schema_record(catalog, name, found) for name, found in document["schemas"].items()}
            for catalog, document in catalogs.items()
        }
        return cls(schemas, {name: _catalog(name, item) for name, item in catalogs.items() if "created_at" in item})

    def to_json(self) -> Json:
        return {
            "catalogs": {
                catalog: {
                    "schemas": {name: _schema_json(kept) for name, kept in schemas.items()},
                    **_catalog_json(self.stored.get(catalog)),
                }
                for catalog, schemas in self.catalogs.items()
            }
        }


@dataclass(frozen=True, slots=True)
class SchemaTables:
    """The tables and views of one schema, by name, and its functions and volumes, by name.

    `schema_id` is the schema's id in the list. `is_open` is False once that schema is dropped. `arrivals` are by new
    name. `departed` maps tables that were renamed to another schema, by the id of their arrival, to their new names.
    """

    key: SchemaKey
    schema_id: str
    is_open: bool = True
    tables: Mapping[str, TableRecord] = field(default_factory=dict)
    arrivals: Mapping[str, Arrival] = field(default_factory=dict)
    departed: Mapping[str, TableKey] = field(default_factory=dict)
    functions: Mapping[str, FunctionEntry] = field(default_factory=dict)
    volumes: Mapping[str, VolumeEntry] = field(default_factory=dict)

    @property
    def layout(self) -> int:
        """The layout version: 2 with views or functions, 3 with tables of other formats than Delta.

        It is 3 with volumes, refreshed tables and records of governance, too. Releases with a lower layout cannot read
        these.
        """
        arriving = [arrival.table for arrival in self.arrivals.values()]
        entries = [kept.entry for kept in (*self.tables.values(), *arriving)]
        if self.volumes or not all(map(_is_plain, (*entries, *self.functions.values()))):
            return 3
        return 2 if self.functions or any(isinstance(entry, ViewEntry) for entry in entries) else 1

    @property
    def is_settled(self) -> bool:
        """Whether no renaming between schemas is pending."""
        return not self.arrivals and not self.departed

    def with_table(self, record: TableRecord) -> SchemaTables:
        return replace(self, tables={**self.tables, record.entry.name: record})

    def with_function(self, name: str, entry: FunctionEntry | None) -> SchemaTables:
        """The document with a function added or replaced, or removed (None)."""
        left = _without(self.functions, name)
        return replace(self, functions=left if entry is None else {**left, name: entry})

    def without_table(self, name: str) -> SchemaTables:
        return replace(self, tables=_without(self.tables, name))

    def with_arrival(self, arrival: Arrival) -> SchemaTables:
        return replace(self, arrivals={**self.arrivals, arrival.table.entry.name: arrival})

    def without_arrival(self, name: str) -> SchemaTables:
        return replace(self, arrivals=_without(self.arrivals, name))

    def with_departed(self, name: str, arrival: Arrival) -> SchemaTables:
        """The document without the table `name`, which has departed to the `arrival` in another schema."""
        gone = {**self.departed, arrival.table.id: arrival.table.entry.parts}
        return replace(self, tables=_without(self.tables, name), departed=gone)

    def without_departed(self, arrival_id: str) -> SchemaTables:
        return replace(self, departed=_without(self.departed, arrival_id))

    @classmethod
    def from_json(cls, value: Json) -> SchemaTables:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a document."""
        catalog, schema = value["schema"]
        key = (read_text(catalog), read_text(schema))
        return cls(
            key,
            read_text(value["schema_id"]),
            bool(value["open"]),
            {name: _table_record(key, name, found) for name, found in value["tables"].items()},
            {
                name: Arrival(_table_record(key, name, found), _table_key(found["from"]), read_text(found["from_id"]))
                for name, found in value["arrivals"].items()
            },
            {arrival: _table_key(target) for arrival, target in value["departed"].items()},
            {name: _function(key, name, found) for name, found in value.get("functions", {}).items()},
            {name: _volume(key, name, found) for name, found in value.get("volumes", {}).items()},
        )

    def to_json(self) -> Json:
        functions = {name: _function_json(item) for name, item in self.functions.items()}
        volumes = {name: _volume_json(item) for name, item in self.volumes.items()}
        return {
            "schema": self.key,
            "schema_id": self.schema_id,
            "open": self.is_open,
            "tables": {name: _table_json(kept) for name, kept in self.tables.items()},
            "arrivals": {
                name: {**_table_json(arrival.table), "from": arrival.source, "from_id": arrival.source_id}
                for name, arrival in self.arrivals.items()
            },
            "departed": dict(self.departed),
            **({"functions": functions} if functions else {}),
            **({"volumes": volumes} if volumes else {}),
        }


@dataclass(frozen=True, slots=True)
class SecurableList:
    """All securables without data, by kind and name."""

    securables: Mapping[tuple[str, str], Securable] = field(default_factory=dict)

    @property
    def layout(self) -> int:
        return 3

    @classmethod
    def from_json(cls, value: Json) -> SecurableList:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a list."""
        return cls({item.key: item for item in map(Securable.from_json, value["securables"])})

    def to_json(self) -> Json:
        return {"securables": [item.to_json() for item in self.securables.values()]}


def new_id() -> str:
    """A new unique id."""
    return secrets.token_hex(8)


def _without(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def _catalog(name: str, document: Json) -> StoredCatalog:
    comment, location = (document.get(key) for key in ("comment", "location"))
    for text in (comment, location):
        if text is not None:
            read_text(text)
    properties = {key: read_text(value) for key, value in document.get("properties", {}).items()}
    return StoredCatalog(name, comment, location, int(document["created_at"]), properties, _governance(document))


def _catalog_json(catalog: StoredCatalog | None) -> Json:
    if catalog is None:
        return {}
    return {
        "comment": catalog.comment,
        "location": catalog.location,
        "created_at": catalog.created_at,
        "properties": dict(catalog.properties),
        **_governance_json(catalog.governance),
    }


def _is_plain(entry: Entry | FunctionEntry) -> bool:
    """Whether the earlier layouts have all of an entry."""
    is_other = isinstance(entry, TableEntry) and (entry.source is not None or entry.refreshed is not None)
    return entry.governance.is_empty and not is_other


def _governance(document: Json) -> Governance:
    return Governance.from_json(document["governance"]) if "governance" in document else UNGOVERNED


def _governance_json(governance: Governance) -> Json:
    return {} if governance.is_empty else {"governance": governance.to_json()}


def _schema_record(catalog: str, name: str, document: Json) -> SchemaRecord:
    properties = {key: read_text(value) for key, value in document["properties"].items()}
    comment, location = (None if document[key] is None else read_text(document[key]) for key in ("comment", "location"))
    records = _governance(document)
    schema = StoredSchema(catalog, name, comment, location, int(document["created_at"]), properties, records)
    return SchemaRecord(read_text(document["id"]), schema)


def _schema_json(record: SchemaRecord) -> Json:
    schema = record.schema
    return {
        "id": record.id,
        "comment": schema.comment,
        "location": schema.location,
        "created_at": schema.created_at,
        "properties": dict(schema.properties),
        **_governance_json(schema.governance),
    }


def _table_record(key: SchemaKey, name: str, document: Json) -> TableRecord:
    created, governance = int(document["created_at"]), _governance(document)
    if "view" in document:
        view = ViewDefinition.from_json(document["view"])
        return TableRecord(read_text(document["id"]), ViewEntry(*key, name, view, created, governance))
    place, managed = read_text(document["location"]), bool(document["managed"])
    source = TableSource.from_json(document["source"]) if "source" in document else None
    refreshed = RefreshDefinition.from_json(document["refreshed"]) if "refreshed" in document else None
    entry = TableEntry(*key, name, place, managed, created, source, refreshed, governance)
    return TableRecord(read_text(document["id"]), entry)


def _table_json(record: TableRecord) -> Json:
    entry = record.entry
    common = {"id": record.id, "created_at": entry.created_at, **_governance_json(entry.governance)}
    if isinstance(entry, ViewEntry):
        return {"view": entry.definition.to_json(), **common}
    source = {} if entry.source is None else {"source": entry.source.to_json()}
    refreshed = {} if entry.refreshed is None else {"refreshed": entry.refreshed.to_json()}
    return {"location": entry.location, "managed": entry.managed, **common, **source, **refreshed}


def written_table(entry: TableEntry) -> Json:
    """A table as JSON, outside of the documents of its schema."""
    return {"name": list(entry.parts), "table": _table_json(TableRecord("", entry))}


def read_table(document: Json) -> TableEntry:
    """The table in the result of `written_table`. Raises KeyError, TypeError, ValueError for invalid JSON."""
    catalog, schema, name = map(read_text, document["name"])
    entry = _table_record((catalog, schema), name, document["table"]).entry
    if not isinstance(entry, TableEntry):
        raise TypeError(name)
    return entry


def _function(key: SchemaKey, name: str, document: Json) -> FunctionEntry:
    definition, created = FunctionDefinition.from_json(document), int(document["created_at"])
    return FunctionEntry(*key, name, definition, created, _governance(document))


def _function_json(entry: FunctionEntry) -> Json:
    return {**entry.definition.to_json(), "created_at": entry.created_at, **_governance_json(entry.governance)}


def _volume(key: SchemaKey, name: str, document: Json) -> VolumeEntry:
    place, comment = read_text(document["location"]), document["comment"]
    text = None if comment is None else read_text(comment)
    created, governance = int(document["created_at"]), _governance(document)
    return VolumeEntry(*key, name, place, bool(document["managed"]), created, text, governance)


def _volume_json(entry: VolumeEntry) -> Json:
    return {
        "location": entry.location,
        "managed": entry.managed,
        "created_at": entry.created_at,
        "comment": entry.comment,
        **_governance_json(entry.governance),
    }


def _table_key(value: Any) -> TableKey:
    catalog, schema, name = value
    return read_text(catalog), read_text(schema), read_text(name)
