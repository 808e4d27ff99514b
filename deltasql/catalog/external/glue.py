"""AWS Glue's Data Catalog as a metastore, through boto3: requests, errors, databases and tables.

A table is changed by its version.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from threading import RLock
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog.external.metastore.model import (
    EXTERNAL,
    ChangedMeanwhileError,
    Dialect,
    MetastoreColumn,
    MetastoreDatabase,
    MetastoreTable,
    Storage,
    detached,
    is_managed,
    owned,
)
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.external.routing import CatalogOptions
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError

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


_DEFAULT_TIMEOUT = 60.0
_CONNECT_SECONDS = 10.0
_CHANGED = frozenset({"ConcurrentModificationException", "VersionMismatchException"})
_DENIED = frozenset(
    {
        *("AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException"),
        *("ExpiredTokenException", "ExpiredToken", "InvalidClientTokenId", "SignatureDoesNotMatch"),
        *("MissingAuthenticationTokenException", "MissingAuthenticationToken", "IncompleteSignatureException"),
    }
)
_BUSY = frozenset(
    {
        *("ThrottlingException", "Throttling", "RequestLimitExceeded", "TooManyRequestsException"),
        *("InternalServiceException", "InternalFailure", "OperationTimeoutException", "ServiceUnavailable"),
        *("500", "502", "503", "504"),
    }
)
_NO_CREDENTIALS = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.TokenRetrievalError,
    exceptions.SSOError,
)
_WRONG_OPTIONS = (
    exceptions.NoRegionError,
    exceptions.InvalidRegionError,
    exceptions.ProfileNotFound,
    exceptions.ConfigParseError,
)


class GlueConnection:
    """A client of Glue, made when it is first needed, for each process anew."""

    type = "glue"

    def __init__(self, options: CatalogOptions) -> None:
        """Raises CatalogConfigurationError."""
        self._options = options
        self._seconds = options.seconds("timeout", _DEFAULT_TIMEOUT)
        self._client: Any = None
        self._process = os.getpid()
        self._lock = RLock()

    @property
    def address(self) -> str:
        """Where Glue is, for messages."""
        return self._options.get("endpoint") or self._options.get("region") or "AWS"

    def call(self, operation: str, method: str, kind: Kind = Kind.SCHEMA, **request: Any) -> Any:
        """The answer to a request. `kind` is what is missing where Glue finds no entity.

        Raises NameMissingError, NameTakenError, ChangedMeanwhileError, and DeltaSqlErrors.
        """
        try:
            return getattr(self._opened(), method)(**self._of_account(request))
        except (exceptions.ClientError, exceptions.BotoCoreError, exceptions.HTTPClientError) as error:
            raise self._meant(error, operation, kind) from error

    def pages(self, operation: str, method: str, result: str, **request: Any) -> Iterator[Any]:
        """The items of all answers to a request that is answered page by page. Raises what `call` raises."""
        try:
            paginator = self._opened().get_paginator(method)
            for page in paginator.paginate(**self._of_account(request)):
                yield from page.get(result, ())
        except (exceptions.ClientError, exceptions.BotoCoreError, exceptions.HTTPClientError) as error:
            raise self._meant(error, operation, Kind.SCHEMA) from error

    def failed(self, operation: str, reason: str) -> errors.CatalogRequestError:
        """The error for a request that Glue refuses."""
        return errors.CatalogRequestError(
            catalog=self._options.name,
            type=self.type,
            uri=self.address,
            operation=operation,
            reason=reason.rstrip("."),
        )

    def close(self) -> None:
        """Closes the connections; the next request opens others."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._process == os.getpid():
                client.close()

    def _of_account(self, request: dict[str, Any]) -> dict[str, Any]:
        account = self._options.get("catalog_id")
        return request if account is None else {"CatalogId": account, **request}

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client, self._process = self._made(), os.getpid()
            return self._client

    def _made(self) -> Any:
        options = self._options
        session = boto3.session.Session(
            options.get("access_key_id"),
            options.get("secret_access_key"),
            options.get("session_token"),
            options.get("region"),
            profile_name=options.get("profile"),
        )
        limits = Config(
            connect_timeout=min(self._seconds, _CONNECT_SECONDS),
            read_timeout=self._seconds,
            retries={"mode": "standard", "max_attempts": 3},
        )
        try:
            return session.client("glue", endpoint_url=options.get("endpoint"), config=limits)
        except ValueError as error:
            raise errors.CatalogConfigurationError(catalog=options.name, reason=str(error).rstrip(".")) from error

    def _meant(self, error: Exception, operation: str, kind: Kind) -> Exception:
        """The conflict, or the error for the user, that an exception of boto3 means."""
        name, uri = self._options.name, self.address
        if isinstance(error, exceptions.ClientError):
            return self._answered(error, operation, kind)
        reason = " ".join(str(error).split()).rstrip(".")
        if isinstance(error, _WRONG_OPTIONS):
            return errors.CatalogConfigurationError(catalog=name, reason=reason)
        if isinstance(error, _NO_CREDENTIALS):
            return errors.CatalogAccessError(catalog=name, type=self.type, uri=uri, reason=reason)
        if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
            return errors.CatalogUnavailableError(catalog=name, type=self.type, uri=uri, reason=reason)
        return self.failed(operation, reason)

    def _answered(self, error: exceptions.ClientError, operation: str, kind: Kind) -> Exception:
        answer = error.response.get("Error", {})
        code, text = str(answer.get("Code")), " ".join(str(answer.get("Message") or "").split()).rstrip(".")
        reason = f"{code}: {text}" if text else code
        name, uri = self._options.name, self.address
        conflict: Exception | None = None
        if code == "EntityNotFoundException":
            conflict = NameMissingError(kind)
        elif code == "AlreadyExistsException":
            conflict = NameTakenError()
        elif code in _CHANGED:
            conflict = ChangedMeanwhileError()
        if conflict is not None:
            return conflict
        failure: DeltaSqlError = self.failed(operation, reason)
        if code in _DENIED:
            failure = errors.CatalogAccessError(catalog=name, type=self.type, uri=uri, reason=reason)
        elif code in _BUSY:
            failure = errors.CatalogUnavailableError(catalog=name, type=self.type, uri=uri, reason=reason)
        return failure


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
