"""Views in a metastore, as Spark writes and reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltasql.catalog.definitions import SchemaMode, ViewDefinition
from deltasql.catalog.entries import DEFAULT_CATALOG, ViewEntry
from deltasql.catalog.external.metastore.model import VIEW, MetastoreColumn, MetastoreTable, Storage
from deltasql.catalog.external.metastore.schemas import (
    hive_columns,
    schema_properties,
    stored_schema,
)
from deltasql.catalog.external.metastore.tables import COMMENT, own_properties, user_properties

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
