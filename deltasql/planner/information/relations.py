"""Rows about catalogs, schemas, tables, views, columns and their tags.

The columns of the information schema that describe a data type. Source: Databricks, INFORMATION_SCHEMA.COLUMNS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.secrets import shown_value
from deltasql.catalog.definitions import Refreshed
from deltasql.catalog.entries import Entry, TableEntry, ViewEntry, table_kind
from deltasql.log.configuration.tags import column_tags, read_tags, table_tags
from deltasql.log.properties.property import TAGS
from deltasql.planner.foreign.snapshots import ICEBERG
from deltasql.planner.information.inventory import Inventory, moment, yes_or_no
from deltasql.schema.identity import identity_of
from deltasql.schema.lengths import declared_type
from deltasql.schema.text import kind_text, path_text, type_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType
from deltasql.sql.parser import parse_type

Row: TypeAlias = Mapping[str, object]
"""Values by the name of their column; missing ones are NULL."""

TABLE_PARTS = ("table_catalog", "table_schema", "table_name")
TAGGED_PARTS = ("catalog_name", "schema_name", "table_name")
_OF_LOG = ("comment", "last_altered")
"""Columns of `tables` for which the log of each table is read."""


def catalog_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield {
            "catalog_name": name,
            "comment": entry.comment,
            **_times(entry.created_at),
            "catalog_owner": entry.governance.owner,
        }


def catalog_name_rows(inventory: Inventory) -> Iterator[Row]:
    yield {"catalog_name": inventory.catalog}


def schema_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(("catalog_name", "schema_name")):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        owner = entry.governance.owner
        yield {**names, "comment": entry.comment, **_times(entry.created_at), "schema_owner": owner}


def table_rows(inventory: Inventory) -> Iterator[Row]:
    reads_log = inventory.asked.names(*_OF_LOG)
    for entry in inventory.entries(TABLE_PARTS):
        row = {**named(entry), "commit_action": "PRESERVE", "created": moment(entry.created_at)}
        row["table_owner"] = entry.governance.owner
        if isinstance(entry, ViewEntry):
            view = {"table_type": "VIEW", "is_insertable_into": "NO", "comment": entry.definition.comment}
            yield {**row, **view, "last_altered": row["created"]}
            continue
        writable = "YES" if entry.refreshed is None else "NO"
        row |= {"table_type": table_kind(entry), "is_insertable_into": writable}
        row |= {"data_source_format": "DELTA", "storage_path": entry.location}
        if entry.source is not None:
            is_written = yes_or_no(entry.source.format != ICEBERG)
            row |= {"data_source_format": entry.source.format.upper(), "is_insertable_into": is_written}
            yield {**row, "comment": entry.source.comment, "last_altered": row["created"]}
            continue
        snapshot = inventory.snapshot(entry) if reads_log else None
        if snapshot is not None:
            row["comment"] = snapshot.metadata.description
            with suppress(DeltaSqlError, OSError):
                row["last_altered"] = moment(snapshot.timestamp_ms)
        yield row


def view_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        if isinstance(entry, ViewEntry):
            flags = dict.fromkeys(("is_updatable", "is_insertable_into", "is_materialized"), "NO")
            text = entry.definition.query or None
            yield {**named(entry), "view_definition": text, "check_option": "NONE", **flags}
        elif entry.refreshed is not None and entry.refreshed.kind is Refreshed.MATERIALIZED_VIEW:
            flags = {"is_updatable": "NO", "is_insertable_into": "NO", "is_materialized": "YES"}
            text = entry.refreshed.view.query
            yield {**named(entry), "view_definition": text, "check_option": "NONE", **flags}


def volume_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.volumes(("volume_catalog", "volume_schema", "volume_name")):
        yield {
            "volume_catalog": entry.catalog,
            "volume_schema": entry.schema,
            "volume_name": entry.name,
            "volume_type": "MANAGED" if entry.managed else "EXTERNAL",
            "comment": entry.comment,
            "created": moment(entry.created_at),
            "storage_location": entry.location,
        }


def column_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        if isinstance(entry, ViewEntry):
            yield from _columns(entry, entry.definition.schema, ())
            continue
        snapshot = inventory.snapshot(entry)
        if snapshot is not None:
            yield from _columns(entry, snapshot.schema, snapshot.partition_columns)


def _columns(entry: Entry, schema: StructType, partitions: tuple[str, ...] | list[str]) -> Iterator[Row]:
    places = {name: place for place, name in enumerate(partitions, start=1)}
    for position, field in enumerate(schema, start=1):
        yield {
            **named(entry),
            "column_name": field.name,
            "ordinal_position": position,
            **field_facts(field),
            **_values(field),
            "is_nullable": yes_or_no(field.nullable),
            "is_updatable": yes_or_no(isinstance(entry, TableEntry) and entry.source is None),
            "is_system_time_period_start": "NO",
            "is_system_time_period_end": "NO",
            "partition_ordinal_position": places.get(field.name),
            "comment": field.comment,
        }


def _values(field: StructField) -> Row:
    """Facts on a column that gives its values itself: its default, its identity, its generation."""
    identity, expression = identity_of(field), field.metadata.get("delta.generationExpression")
    facts: dict[str, object] = {
        "column_default": field.metadata.get("CURRENT_DEFAULT"),
        "is_identity": yes_or_no(identity is not None),
        "is_generated": yes_or_no(expression is not None),
        "generation_expression": expression,
    }
    if identity is not None:
        facts |= {
            "identity_generation": "BY DEFAULT" if identity.allow_explicit else "ALWAYS",
            "identity_start": str(identity.start),
            "identity_increment": str(identity.step),
            "identity_cycle": "NO",
        }
    return facts


def catalog_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield from _tags({"catalog_name": name}, read_tags(entry.properties.get(TAGS)))


def schema_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(("catalog_name", "schema_name")):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        yield from _tags(names, read_tags(entry.properties.get(TAGS)))


def table_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TAGGED_PARTS):
        names = dict(zip(TAGGED_PARTS, entry.parts, strict=True))
        if isinstance(entry, ViewEntry):
            yield from _tags(names, read_tags(entry.definition.properties.get(TAGS)))
            continue
        snapshot = inventory.snapshot(entry)
        if snapshot is not None:
            yield from _tags(names, table_tags(snapshot.metadata))


def column_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry, snapshot in inventory.tables(TAGGED_PARTS):
        names = dict(zip(TAGGED_PARTS, entry.parts, strict=True))
        for path, tags in column_tags(snapshot.metadata).items():
            yield from _tags({**names, "column_name": path_text(path)}, tags)


def _tags(names: Row, tags: Mapping[str, str]) -> Iterator[Row]:
    for key, value in sorted(tags.items()):
        yield {**names, "tag_name": key, "tag_value": shown_value(key, value)}


def named(entry: Entry) -> dict[str, object]:
    """The name of a table or view."""
    return dict(zip(TABLE_PARTS, entry.parts, strict=True))


def _times(created_at: int) -> Row:
    """The catalog stores when an object was created, and no later changes of it."""
    return {"created": moment(created_at), "last_altered": moment(created_at)}


_NAMES = {"tinyint": "BYTE", "smallint": "SHORT", "bigint": "LONG"}
"""Types that the information schema calls otherwise than SQL."""
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "float": 32, "double": 64}
_FRACTIONS = frozenset({"float", "double"})
_TIME_DIGITS = {"date": 0, "timestamp": 3, "timestamp_ntz": 3}

TypeFacts = Mapping[str, object]
"""Values by the name of their column; missing ones are NULL."""


def field_facts(field: StructField) -> TypeFacts:
    """The facts of a column's type, with the length that a CHAR or VARCHAR is declared with."""
    return {**type_facts(field.type), "full_data_type": type_text(declared_type(field))}


def type_facts(kind: DataType) -> TypeFacts:
    """The facts of a type."""
    name = kind_text(kind)
    facts: dict[str, object] = {"data_type": _simple_name(kind, name), "full_data_type": type_text(kind)}
    if isinstance(kind, DecimalType):
        return facts | {
            "numeric_precision": kind.precision,
            "numeric_precision_radix": 10,
            "numeric_scale": kind.scale,
        }
    if not isinstance(kind, PrimitiveType):
        return facts
    if kind.name in _BITS:
        facts |= {"numeric_precision": _BITS[kind.name], "numeric_precision_radix": 2}
        facts |= {} if kind.name in _FRACTIONS else {"numeric_scale": 0}
    if kind.name in _TIME_DIGITS:
        facts["datetime_precision"] = _TIME_DIGITS[kind.name]
    if kind.name.startswith("interval"):
        unit = kind.name.removeprefix("interval").strip().upper()
        facts |= {"interval_type": unit or None, "datetime_precision": 3 if unit.endswith("SECOND") else 0}
    return facts


def text_facts(written: str | None) -> TypeFacts:
    """The facts of a type in SQL; only its text where it is a type that Delta tables do not have."""
    if not written:
        return {}
    try:
        return type_facts(parse_type(written))
    except DeltaSqlError:
        words = " ".join(written.lower().split())
        if words.startswith("interval"):
            return type_facts(PrimitiveType(words))
        return {"data_type": written.partition("(")[0].partition("<")[0].strip().upper(), "full_data_type": written}


def _simple_name(kind: DataType, name: str) -> str:
    if isinstance(kind, DecimalType):
        return "DECIMAL"
    return _NAMES.get(name, name.partition(" ")[0].partition("(")[0].upper())
