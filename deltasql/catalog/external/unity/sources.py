"""Tables of other formats in a Unity Catalog: their data sources, by the older API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deltasql.catalog.definitions import TableSource
from deltasql.schema.json import field_from_json
from deltasql.schema.types import StructField, StructType

READABLE = frozenset({"CSV", "JSON", "PARQUET", "ORC", "TEXT", "AVRO"})
"""Formats of the API that a data source reads."""


def source_of(info: Mapping[str, Any]) -> TableSource:
    """The data source of a table whose format is READABLE. Raises KeyError, TypeError, ValueError for damaged JSON."""
    columns = sorted(info.get("columns") or (), key=lambda item: item.get("position") or 0)
    partitioned = [item for item in columns if item.get("partition_index") is not None]
    fields = tuple(map(_field, columns))
    return TableSource(
        str(info["data_source_format"]).lower(),
        {},
        StructType(fields) if fields else None,
        tuple(str(item["name"]) for item in sorted(partitioned, key=lambda item: int(item["partition_index"]))),
        info.get("comment"),
        {str(key): str(value) for key, value in (info.get("properties") or {}).items()},
    )


def _field(column: Mapping[str, Any]) -> StructField:
    """A column; its JSON is that of a field of a schema, or of the type alone."""
    found = json.loads(column["type_json"])
    document = found if isinstance(found, dict) and "name" in found else {"type": found}
    given = {"nullable": column.get("nullable", True), "metadata": {}, **document, "name": column["name"]}
    return field_from_json(given)
