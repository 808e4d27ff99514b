"""A table as one JSON document, of DESCRIBE EXTENDED … AS JSON. Source: Spark's reference of DESCRIBE TABLE."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from deltasql.base.errors.secrets import shown_pairs
from deltasql.log.configuration.keys import column_tags, keys_of, table_tags
from deltasql.log.properties.property_registry import without_deltasql_properties
from deltasql.log.reading.change_feed import clustering_columns
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import table_uri
from deltasql.planner.values.defaults import CURRENT_DEFAULT
from deltasql.planner.values.generated import generation_of
from deltasql.schema.text import declared_type, length_of, path_text, type_text
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, StructField, StructType

_BINARY_COLLATION = "UTF8_BINARY"


def table_json(name: tuple[str, ...], snapshot: Snapshot, *, managed: bool, partition: Mapping[str, str]) -> str:
    """The JSON of a table; `name` are the parts of its full name, `partition` the values of PARTITION (…)."""
    metadata = snapshot.metadata
    return json.dumps(
        _names(name)
        | {"columns": [*_columns(snapshot.schema, column_tags(metadata))]}
        | ({"partition_values": dict(partition)} if partition else {})
        | {"location": table_uri(snapshot.location)}
        | _pair_if_set("created_time", _moment(metadata.created_time))
        | {"last_access": "UNKNOWN", "type": "MANAGED" if managed else "EXTERNAL", "provider": "delta"}
        | _pair_if_set("comment", metadata.description)
        | {"table_properties": dict(sorted(shown_pairs(without_deltasql_properties(metadata.configuration)).items()))}
        | {"statistics": {"size_in_bytes": snapshot.size_in_bytes}}
        | _pair_if_set("partition_columns", list(snapshot.partition_columns))
        | _pair_if_set("clustering_columns", [path_text(path) for path in clustering_columns(snapshot)])
        | _pair_if_set(
            "table_constraints",
            [{"name": key.name, "definition": key.definition(name)} for key in keys_of(metadata)],
        )
        | _pair_if_set("tags", shown_pairs(table_tags(metadata)))
        | {"collation": _BINARY_COLLATION},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def view_json(name: str, schema: StructType, text: str | None) -> str:
    """The JSON of a temporary view."""
    document = {"table_name": name, "columns": [*_columns(schema, {})], "type": "VIEW"} | _pair_if_set(
        "view_text", text
    )
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _names(name: tuple[str, ...]) -> dict[str, Any]:
    if len(name) < 3:
        return {"table_name": name[-1]}
    catalog, schema, table = name
    return {"table_name": table, "catalog_name": catalog, "namespace": [schema], "schema_name": schema}


def _pair_if_set(key: str, value: Any) -> dict[str, Any]:
    """A pair, where there is something to tell."""
    return {key: value} if value else {}


def _moment(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _columns(schema: StructType, tags: Mapping[tuple[str, ...], Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    for field in schema:
        yield _field(field) | _pair_if_set("tags", shown_pairs(tags.get((field.name,), {})))


def _field(field: StructField) -> dict[str, Any]:
    document: dict[str, Any] = {"name": field.name, "type": _type(declared_type(field)), "nullable": field.nullable}
    document |= _pair_if_set("comment", field.comment)
    document |= _pair_if_set("default", field.metadata.get(CURRENT_DEFAULT))
    return document | _pair_if_set("generation_expression", generation_of(field))


def _type(kind: DataType) -> dict[str, Any]:
    """A type as Spark's JSON names it. Texts are UTF8_BINARY, and TIMESTAMP is the one with the local time zone."""
    length = length_of(kind)
    if length is not None:
        return {"name": length.kind, "length": length.length}
    match kind:
        case StructType(fields):
            return {"name": "struct", "fields": [_field(field) for field in fields]}
        case ArrayType():
            return {
                "name": "array",
                "element_type": _type(kind.element),
                "element_nullable": kind.contains_null,
            }
        case MapType():
            return {
                "name": "map",
                "key_type": _type(kind.key),
                "value_type": _type(kind.value),
                "value_nullable": kind.value_contains_null,
            }
        case DecimalType():
            return {"name": "decimal", "precision": kind.precision, "scale": kind.scale}
        case _:
            return _atomic(type_text(kind))


def _atomic(name: str) -> dict[str, Any]:
    text, _, collation = name.partition(" collate ")
    if text == "string":
        return {"name": text, "collation": collation or _BINARY_COLLATION}
    return {"name": "timestamp_ltz" if name == "timestamp" else name}
