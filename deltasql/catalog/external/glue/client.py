"""AWS Glue's Data Catalog: its databases and tables, and changes by their versions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.glue.connection import GlueConnection
from deltasql.catalog.external.metastore.model import (
    ChangedMeanwhileError,
    Column,
    Database,
    Storage,
    Table,
)
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.external.metastore.tables import Dialect, detached, is_managed, owned
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError

_READ_ONLY = frozenset(
    {
        *("DatabaseName", "CreateTime", "UpdateTime", "CreatedBy", "IsRegisteredWithLakeFormation", "CatalogId"),
        *("VersionId", "FederatedTable", "IsMultiDialectView", "IsMaterializedView", "Status"),
    }
)
"""Fields of a table that Glue says, and does not take."""
_RENAMED = "deltasql.renamedTo"
_PATIENCE_SECONDS = 20.0
"""After so long, a renaming by another process counts as interrupted."""


class GlueStore(MetastoreStore):
    """The names of a Glue catalog."""

    type = "glue"

    def __init__(self, options: CatalogOptions) -> None:
        dialect = Dialect(lists_columns=True, hadoop_scheme=False, properties={"table_type": "DELTA"})
        super().__init__(options, GlueClient(options), dialect)


class GlueClient:
    """A Metastore behind boto3."""

    def __init__(self, options: CatalogOptions) -> None:
        self._glue = GlueConnection(options)

    # Databases

    def databases(self) -> Sequence[Database]:
        return [_database(item) for item in self._glue.pages("list its databases", "get_databases", "DatabaseList")]

    def database(self, name: str) -> Database | None:
        with suppress(NameMissingError):
            return _database(self._glue.call(f"read the database {name}", "get_database", Name=name)["Database"])
        return None

    def create_database(self, database: Database) -> None:
        operation = f"create the database {database.name}"
        self._glue.call(operation, "create_database", DatabaseInput=_database_input(database))

    def change_database(self, database: Database) -> None:
        operation = f"change the database {database.name}"
        self._glue.call(operation, "update_database", Name=database.name, DatabaseInput=_database_input(database))

    def drop_database(self, name: str, cascade: bool) -> None:
        self._glue.call(f"drop the database {name}", "delete_database", Name=name)

    # Tables

    def tables(self, database: str) -> Sequence[Table]:
        operation = f"list the tables of {database}"
        found = [_table(item) for item in self._glue.pages(operation, "get_tables", "TableList", DatabaseName=database)]
        if not found and self.database(database) is None:
            raise NameMissingError(Kind.SCHEMA)
        return found

    def table(self, database: str, name: str) -> Table | None:
        with suppress(NameMissingError):
            answer = self._glue.call(f"read the table {database}.{name}", "get_table", DatabaseName=database, Name=name)
            return _table(answer["Table"])
        return None

    def create_table(self, table: Table) -> None:
        operation = f"create the table {table.database}.{table.name}"
        try:
            self._glue.call(operation, "create_table", DatabaseName=table.database, TableInput=_table_input(table))
        except NameTakenError:
            # The answer to a request that is sent again may be about its own effect.
            if not _is_same(self.table(table.database, table.name), table):
                raise

    def change_table(self, old: Table, new: Table) -> None:
        operation = f"change the table {old.database}.{old.name}"
        version: dict[str, Any] = {}
        if isinstance(old.original, dict) and old.original.get("VersionId"):
            version = {"VersionId": old.original["VersionId"]}
        table_input = _table_input(new, old.original)
        try:
            self._glue.call(
                operation,
                "update_table",
                Kind.TABLE,
                DatabaseName=old.database,
                TableInput=table_input,
                SkipArchive=True,
                **version,
            )
        except ChangedMeanwhileError:
            if not _is_same(self.table(old.database, old.name), new):
                raise

    def rename_table(self, old: Table, new: Table) -> None:
        """Glue renames nothing: the table gets a second name, and then loses the first one.

        The first change, by the version of the table, decides which of several renamings is done. The new name is that
        of an external table until the old one is gone, so that files never belong to two tables.
        """
        self._await_renaming(old)
        if self.database(new.database) is None:
            raise NameMissingError(Kind.SCHEMA)
        if self.table(new.database, new.name) is not None:
            raise NameTakenError
        mark = f"{new.database}.{new.name} {time.time():.3f}"
        marked = replace(old, parameters={**old.parameters, _RENAMED: mark})
        self.change_table(old, marked)
        parameters = {key: value for key, value in new.parameters.items() if key != _RENAMED}
        final = replace(new, parameters=parameters)
        try:
            self.create_table(owned(final, managed=False) if is_managed(old) else final)
        except BaseException:
            self._unmark(old, mark)
            raise
        self.drop_table(old)
        if is_managed(old):
            created = self.table(new.database, new.name)
            if created is not None:
                self.change_table(created, replace(detached(final), original=created.original))

    def _await_renaming(self, table: Table) -> None:
        """Raises ChangedMeanwhileError, after a moment, for a table that another process is just renaming."""
        since = table.parameters.get(_RENAMED, "").rpartition(" ")[2]
        with suppress(ValueError):
            if since and time.time() - float(since) < _PATIENCE_SECONDS:
                time.sleep(_PATIENCE_SECONDS / 10)
                raise ChangedMeanwhileError

    def _unmark(self, old: Table, mark: str) -> None:
        """Ends a renaming that has failed, so that the table can be renamed at once."""
        with suppress(ChangedMeanwhileError, NameMissingError):
            found = self.table(old.database, old.name)
            if found is not None and found.parameters.get(_RENAMED) == mark:
                self.change_table(found, replace(old, original=found.original))

    def drop_table(self, table: Table) -> None:
        operation = f"drop the table {table.database}.{table.name}"
        self._glue.call(operation, "delete_table", Kind.TABLE, DatabaseName=table.database, Name=table.name)

    def function_names(self, database: str) -> Sequence[str]:
        """None: Glue keeps functions for Hive alone, and drops them with their database."""
        return ()

    def close(self) -> None:
        self._glue.close()


def _is_same(found: Table | None, wanted: Table) -> bool:
    """Whether a table has the content that a request was to give it."""
    return found is not None and replace(found, created_at=0) == replace(wanted, created_at=0)


def _milliseconds(value: Any) -> int:
    return int(value.timestamp() * 1000) if isinstance(value, datetime) else 0


def _database(item: Mapping[str, Any]) -> Database:
    return Database(
        item["Name"],
        item.get("Description") or None,
        item.get("LocationUri") or None,
        item.get("Parameters") or {},
        _milliseconds(item.get("CreateTime")),
        item,
    )


def _database_input(database: Database) -> dict[str, Any]:
    given = database.original if isinstance(database.original, dict) else {}
    texts = {"Description": database.comment, "LocationUri": database.location}
    others = {key: given[key] for key in ("CreateTableDefaultPermissions", "TargetDatabase") if key in given}
    return {
        "Name": database.name,
        "Parameters": dict(database.parameters),
        **others,
        **{key: text for key, text in texts.items() if text},
    }


def _table(item: Mapping[str, Any]) -> Table:
    place = item.get("StorageDescriptor") or {}
    serde = place.get("SerdeInfo") or {}
    storage = Storage(
        place.get("Location") or None,
        place.get("InputFormat") or None,
        place.get("OutputFormat") or None,
        serde.get("SerializationLibrary") or None,
        serde.get("Parameters") or {},
    )
    texts = (item.get("ViewOriginalText") or "", item.get("ViewExpandedText") or "")
    return Table(
        item["DatabaseName"],
        item["Name"],
        item.get("TableType") or "EXTERNAL_TABLE",
        storage,
        _columns(place.get("Columns")),
        _columns(item.get("PartitionKeys")),
        item.get("Parameters") or {},
        texts if any(texts) else None,
        _milliseconds(item.get("CreateTime")),
        item,
    )


def _columns(items: Sequence[Mapping[str, Any]] | None) -> tuple[Column, ...]:
    return tuple(Column(item["Name"], item.get("Type") or "string", item.get("Comment")) for item in items or ())


def _column_input(column: Column) -> dict[str, str]:
    comment = {} if column.comment is None else {"Comment": column.comment}
    return {"Name": column.name, "Type": column.type, **comment}


def _table_input(table: Table, original: object = None) -> dict[str, Any]:
    """The content of a table as Glue takes it; fields that are not in `table` are those of the original."""
    given = {key: value for key, value in (original or table.original or {}).items() if key not in _READ_ONLY}  # type: ignore[attr-defined]
    place = dict(given.get("StorageDescriptor") or {})
    storage = table.storage
    serde = {**(place.get("SerdeInfo") or {}), "Parameters": dict(storage.parameters)}
    texts = {"Location": storage.location, "InputFormat": storage.input_format, "OutputFormat": storage.output_format}
    place |= {key: text for key, text in texts.items() if text}
    if storage.serde:
        serde["SerializationLibrary"] = storage.serde
    place |= {"Columns": [_column_input(column) for column in table.columns], "SerdeInfo": serde}
    views = dict(zip(("ViewOriginalText", "ViewExpandedText"), table.texts, strict=True)) if table.texts else {}
    return {
        **given,
        "Name": table.name,
        "TableType": table.kind,
        "StorageDescriptor": place,
        "PartitionKeys": [_column_input(column) for column in table.partition_columns],
        "Parameters": dict(table.parameters),
        **views,
    }
