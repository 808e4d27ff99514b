"""Databases and tables as Glue answers and takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from deltasql.catalog.external.metastore.model import (
    EXTERNAL,
    MetastoreColumn,
    MetastoreDatabase,
    MetastoreTable,
    Storage,
)

_READ_ONLY = frozenset(
    {
        *("DatabaseName", "CreateTime", "UpdateTime", "CreatedBy", "IsRegisteredWithLakeFormation", "CatalogId"),
        *("VersionId", "FederatedTable", "IsMultiDialectView", "IsMaterializedView", "Status"),
    }
)
"""Fields of a table that Glue says, and does not take."""
_VIEW_TEXTS = ("ViewOriginalText", "ViewExpandedText")


def _milliseconds(value: Any) -> int:
    return int(value.timestamp() * 1000) if isinstance(value, datetime) else 0


def database_of(item: Mapping[str, Any]) -> MetastoreDatabase:
    """The database of an answer."""
    return MetastoreDatabase(
        item["Name"],
        item.get("Description") or None,
        item.get("LocationUri") or None,
        item.get("Parameters") or {},
        _milliseconds(item.get("CreateTime")),
        item,
    )


def database_input(database: MetastoreDatabase) -> dict[str, Any]:
    """The content of a database as Glue takes it."""
    given = database.original if isinstance(database.original, dict) else {}
    texts = {"Description": database.comment, "LocationUri": database.location}
    others = {key: given[key] for key in ("CreateTableDefaultPermissions", "TargetDatabase") if key in given}
    return {
        "Name": database.name,
        "Parameters": dict(database.parameters),
        **others,
        **{key: text for key, text in texts.items() if text},
    }


def table_of(item: Mapping[str, Any]) -> MetastoreTable:
    """The table or view of an answer."""
    place = item.get("StorageDescriptor", {})
    texts = (item.get("ViewOriginalText", ""), item.get("ViewExpandedText", ""))
    return MetastoreTable(
        item["DatabaseName"],
        item["Name"],
        item.get("TableType", EXTERNAL),
        _storage(place),
        _columns(place.get("Columns", ())),
        _columns(item.get("PartitionKeys", ())),
        item.get("Parameters", {}),
        texts if any(texts) else None,
        _milliseconds(item.get("CreateTime")),
        item,
    )


def _storage(place: Mapping[str, Any]) -> Storage:
    serde = place.get("SerdeInfo", {})
    return Storage(
        place.get("Location") or None,
        place.get("InputFormat") or None,
        place.get("OutputFormat") or None,
        serde.get("SerializationLibrary") or None,
        serde.get("Parameters", {}),
    )


def _columns(items: Sequence[Mapping[str, Any]]) -> tuple[MetastoreColumn, ...]:
    return tuple(MetastoreColumn(item["Name"], item.get("Type", "string"), item.get("Comment")) for item in items)


def table_input(table: MetastoreTable, original: object = None) -> dict[str, Any]:
    """The content of a table as Glue takes it; fields that are not in `table` are those of the original."""
    source = original or table.original
    given = {} if not isinstance(source, dict) else {key: source[key] for key in source.keys() - _READ_ONLY}
    views = dict(zip(_VIEW_TEXTS, table.texts, strict=True)) if table.texts else {}
    return {
        **given,
        "Name": table.name,
        "TableType": table.kind,
        "StorageDescriptor": _place(table, given.get("StorageDescriptor", {})),
        "PartitionKeys": [_column_input(column) for column in table.partition_columns],
        "Parameters": dict(table.parameters),
        **views,
    }


def _place(table: MetastoreTable, given: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a table's files and columns, whose other fields are those given."""
    storage = table.storage
    texts = {"Location": storage.location, "InputFormat": storage.input_format, "OutputFormat": storage.output_format}
    serde = {**given.get("SerdeInfo", {}), "Parameters": dict(storage.parameters)}
    if storage.serde:
        serde["SerializationLibrary"] = storage.serde
    return {
        **given,
        **{key: text for key, text in texts.items() if text},
        "Columns": [_column_input(column) for column in table.columns],
        "SerdeInfo": serde,
    }


def _column_input(column: MetastoreColumn) -> dict[str, str]:
    comment = {} if column.comment is None else {"Comment": column.comment}
    return {"Name": column.name, "Type": column.type, **comment}
