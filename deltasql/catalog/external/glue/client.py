"""AWS Glue's Data Catalog: its databases and tables, and changes by their versions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.glue.connection import GlueConnection
from deltasql.catalog.external.glue.records import database_input, database_of, table_input, table_of
from deltasql.catalog.external.metastore.model import (
    ChangedMeanwhileError,
    MetastoreDatabase,
    MetastoreTable,
)
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.external.metastore.tables import Dialect, detached, is_managed, owned
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError

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

    def databases(self) -> Sequence[MetastoreDatabase]:
        return [database_of(item) for item in self._glue.pages("list its databases", "get_databases", "DatabaseList")]

    def database(self, name: str) -> MetastoreDatabase | None:
        with suppress(NameMissingError):
            return database_of(self._glue.call(f"read the database {name}", "get_database", Name=name)["Database"])
        return None

    def create_database(self, database: MetastoreDatabase) -> None:
        operation = f"create the database {database.name}"
        self._glue.call(operation, "create_database", DatabaseInput=database_input(database))

    def change_database(self, database: MetastoreDatabase) -> None:
        operation = f"change the database {database.name}"
        self._glue.call(operation, "update_database", Name=database.name, DatabaseInput=database_input(database))

    def drop_database(self, name: str, cascade: bool) -> None:
        self._glue.call(f"drop the database {name}", "delete_database", Name=name)

    # Tables

    def tables(self, database: str) -> Sequence[MetastoreTable]:
        operation = f"list the tables of {database}"
        found = [
            table_of(item) for item in self._glue.pages(operation, "get_tables", "TableList", DatabaseName=database)
        ]
        if not found and self.database(database) is None:
            raise NameMissingError(Kind.SCHEMA)
        return found

    def table(self, database: str, name: str) -> MetastoreTable | None:
        with suppress(NameMissingError):
            answer = self._glue.call(f"read the table {database}.{name}", "get_table", DatabaseName=database, Name=name)
            return table_of(answer["Table"])
        return None

    def create_table(self, table: MetastoreTable) -> None:
        operation = f"create the table {table.database}.{table.name}"
        try:
            self._glue.call(operation, "create_table", DatabaseName=table.database, TableInput=table_input(table))
        except NameTakenError:
            # The answer to a request that is sent again may be about its own effect.
            if not _is_same(self.table(table.database, table.name), table):
                raise

    def change_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        operation = f"change the table {old.database}.{old.name}"
        version: dict[str, Any] = {}
        if isinstance(old.original, dict) and old.original.get("VersionId"):
            version = {"VersionId": old.original["VersionId"]}
        try:
            self._glue.call(
                operation,
                "update_table",
                Kind.TABLE,
                DatabaseName=old.database,
                TableInput=table_input(new, old.original),
                SkipArchive=True,
                **version,
            )
        except ChangedMeanwhileError:
            if not _is_same(self.table(old.database, old.name), new):
                raise

    def rename_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
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

    def _await_renaming(self, table: MetastoreTable) -> None:
        """Raises ChangedMeanwhileError, after a moment, for a table that another process is just renaming."""
        since = table.parameters.get(_RENAMED, "").rpartition(" ")[2]
        with suppress(ValueError):
            if since and time.time() - float(since) < _PATIENCE_SECONDS:
                time.sleep(_PATIENCE_SECONDS / 10)
                raise ChangedMeanwhileError

    def _unmark(self, old: MetastoreTable, mark: str) -> None:
        """Ends a renaming that has failed, so that the table can be renamed at once."""
        with suppress(ChangedMeanwhileError, NameMissingError):
            found = self.table(old.database, old.name)
            if found is not None and found.parameters.get(_RENAMED) == mark:
                self.change_table(found, replace(old, original=found.original))

    def drop_table(self, table: MetastoreTable) -> None:
        operation = f"drop the table {table.database}.{table.name}"
        self._glue.call(operation, "delete_table", Kind.TABLE, DatabaseName=table.database, Name=table.name)

    def function_names(self, database: str) -> Sequence[str]:
        """None: Glue keeps functions for Hive alone, and drops them with their database."""
        return ()

    def close(self) -> None:
        self._glue.close()


def _is_same(found: MetastoreTable | None, wanted: MetastoreTable) -> bool:
    """Whether a table has the content that a request was to give it."""
    return found is not None and replace(found, created_at=0) == replace(wanted, created_at=0)
