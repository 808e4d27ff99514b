"""Tables of other formats in a metastore: their data sources, as Spark and Hive write them."""

from __future__ import annotations

from deltasql.catalog.definitions import SchemaMode, TableSource, ViewDefinition
from deltasql.catalog.entries import DEFAULT_SCHEMA, Entry, TableEntry, ViewEntry
from deltasql.catalog.external.metastore.model import MANAGED, VIEW, MetastoreTable
from deltasql.catalog.external.metastore.schemas import (
    is_of_schema,
    stored_partition_columns,
    stored_schema,
)
from deltasql.catalog.external.metastore.tables import COMMENT, location_of, provider_of, user_properties
from deltasql.schema.types import StructType

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
