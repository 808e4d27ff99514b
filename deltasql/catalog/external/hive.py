"""A Hive metastore, through Thrift: requests, connection, and its records of databases and tables.

The connection is opened when it is first needed, and again when it was lost.
"""

from __future__ import annotations

import getpass
import os
import re
import struct
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog.external.metastore.model import (
    CHANGED,
    MANAGED,
    VIEW,
    ChangedMeanwhileError,
    Dialect,
    MetastoreColumn,
    MetastoreDatabase,
    MetastoreTable,
    Storage,
    detached,
)
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.external.routing import CatalogOptions
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaInUseError

_T = TypeVar("_T")

_DEFAULT_PORT = 9083
_DEFAULT_TIMEOUT = 60.0
_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 10.0
"""After so long a connection is opened again: the server may have closed it."""
_LONGEST_TEXT = 64 << 20
"""Bytes of one text in an answer. What is no answer of Thrift looks like a much longer one."""
_ADDRESS = re.compile(r"thrift://(?P<host>\[[0-9A-Fa-f:.]+\]|[^:/\s]+)(?::(?P<port>\d{1,5}))?/?")
_BROKEN = (TTransportException, TProtocolException, OSError, EOFError, struct.error, UnicodeDecodeError)
_NO_THRIFT = (
    "the connection is closed without an answer. It may be no metastore, or one that expects Kerberos or TLS, which "
    "deltasql does not speak"
)


class _Address(NamedTuple):
    host: str
    port: int


class Connection:
    """A connection to one of the metastores of a configuration, shared by threads, which wait for each other."""

    type = "hive"

    def __init__(self, options: CatalogOptions) -> None:
        """Raises CatalogConfigurationError."""
        self._name, self._uri = options.name, options.get("uri") or ""
        self._addresses = [_address(options.name, item) for item in self._uri.split(",")]
        self._seconds, self._user = options.seconds("timeout", _DEFAULT_TIMEOUT), options.get("user")
        self._client: ThriftHiveMetastore.Client | None = None
        self._transport: TBufferedTransport | None = None
        self._process, self._used_at = os.getpid(), 0.0
        self._lock = RLock()

    def call(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], _T], *, changes: bool = False) -> _T:
        """The result of one request. Raises the exceptions of Hive, and DeltaSqlErrors for those of the connection.

        A request that `changes` something is not sent again when the connection is lost.
        """
        with self._lock:
            self._drop_old()
            again = self._client is not None and not changes
            try:
                return self._answer(operation, request, changes)
            except errors.CatalogUnavailableError:
                if not again:
                    raise
            return self._answer(operation, request, changes)

    def _answer(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], _T], changes: bool) -> _T:
        is_new = self._client is None
        client = self._client or self._opened()
        try:
            answer = request(client)
        except _BROKEN as error:
            self.close()
            raise self._broken(error, operation, is_new=is_new, changes=changes) from error
        except TApplicationException as error:
            raise self.failed(operation, f"the server answers: {error}") from error
        except TException:
            self._used_at = time.monotonic()
            raise
        except BaseException:
            # Of an interrupted request the answer is still to come.
            self.close()
            raise
        self._used_at = time.monotonic()
        return answer

    def _broken(self, error: BaseException, operation: str, *, is_new: bool, changes: bool) -> DeltaSqlError:
        """The error for a request without a proper answer."""
        kind = error.type if isinstance(error, TTransportException) else None
        no_thrift = isinstance(error, (TProtocolException, struct.error, UnicodeDecodeError))
        if no_thrift or kind in {TTransportException.NEGATIVE_SIZE, TTransportException.SIZE_LIMIT}:
            return self.failed(operation, "its answer is none of Thrift's binary protocol; is the port the right one?")
        if is_new and kind in {TTransportException.END_OF_FILE, TTransportException.UNKNOWN}:
            return self.failed(operation, _NO_THRIFT)
        late = kind == TTransportException.TIMED_OUT or isinstance(error, TimeoutError)
        reason = f"no answer within {self._seconds:g} s" if late else "the connection was lost"
        if changes:
            reason += f"; it is unknown whether it could {operation}"
        return errors.CatalogUnavailableError(catalog=self._name, type=self.type, uri=self._uri, reason=reason)

    def failed(self, operation: str, reason: str) -> errors.CatalogRequestError:
        """The error for a request that the server refuses."""
        return errors.CatalogRequestError(
            catalog=self._name, type=self.type, uri=self._uri, operation=operation, reason=reason.rstrip(".")
        )

    def _opened(self) -> ThriftHiveMetastore.Client:
        reasons = []
        for address in self._addresses:
            socket = TSocket(address.host, address.port)
            socket.setTimeout(1000 * min(self._seconds, _CONNECT_SECONDS))
            try:
                socket.open()
            except (TTransportException, OSError) as error:
                reasons.append(str(error.__cause__ or error))
                continue
            socket.setTimeout(1000 * self._seconds)
            self._transport = TBufferedTransport(socket)
            self._client = ThriftHiveMetastore.Client(
                TBinaryProtocol(self._transport, string_length_limit=_LONGEST_TEXT)
            )
            if self._user is not None:
                self._answer("set its user", lambda client: client.set_ugi(self._user, []), changes=False)
            return self._client
        raise errors.CatalogUnavailableError(
            catalog=self._name, type=self.type, uri=self._uri, reason="; ".join(reasons).rstrip(".")
        )

    def _drop_old(self) -> None:
        """Forgets a connection that another process has opened, and closes one that was idle for long."""
        if self._process != os.getpid():
            self._process, self._client, self._transport = os.getpid(), None, None
        elif self._client is not None and time.monotonic() - self._used_at > _IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        with self._lock:
            transport, self._client, self._transport = self._transport, None, None
            if transport is not None:
                transport.close()


def _address(catalog: str, text: str) -> _Address:
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"] or 1) > 65535:
        raise errors.CatalogConfigurationError(
            catalog=catalog, reason=f"its uri {text.strip()} is not thrift://host:port"
        )
    return _Address(found["host"].strip("[]"), int(found["port"] or _DEFAULT_PORT))


_MOST_NAMES = 200
"""Tables that one request asks for."""
_MODIFIED = "The table has been modified"
_DENIED = ("AccessControlException", "Permission denied", "HiveAccessControl", "not authorized", "Unauthorized")


class HiveStore(MetastoreStore):
    """The names of a Hive metastore."""

    type = "hive"

    def __init__(self, options: CatalogOptions) -> None:
        super().__init__(options, HiveClient(options), Dialect(lists_columns=False, hadoop_scheme=True))


class HiveClient:
    """A Metastore behind Thrift."""

    def __init__(self, options: CatalogOptions) -> None:
        self._options = options
        self._connection = Connection(options)

    # Databases

    def databases(self) -> Sequence[MetastoreDatabase]:
        names = self._read("list its databases", lambda client: client.get_all_databases())
        found = (self.database(name) for name in names)
        return [database for database in found if database is not None]

    def database(self, name: str) -> MetastoreDatabase | None:
        record = self._found(f"read the database {name}", lambda client: client.get_database(name))
        if record is None:
            return None
        created = 1000 * int(getattr(record, "createTime", None) or 0)
        return MetastoreDatabase(
            record.name, record.description or None, record.locationUri, record.parameters or {}, created, record
        )

    def create_database(self, database: MetastoreDatabase) -> None:
        record = ttypes.Database(
            database.name,
            database.comment or "",
            database.location,
            dict(database.parameters),
            ownerName=_user(self._options),
            ownerType=ttypes.PrincipalType.USER,
        )
        self._change(f"create the database {database.name}", lambda client: client.create_database(record))

    def change_database(self, database: MetastoreDatabase) -> None:
        record = copy(database.original)
        assert isinstance(record, ttypes.Database)
        record.description, record.parameters = database.comment or "", dict(database.parameters)
        operation = f"change the database {database.name}"
        self._change(operation, lambda client: client.alter_database(database.name, record))
        found = self.database(database.name)
        if found is not None and found.comment != (database.comment or None):
            raise errors.CatalogOperationError(
                catalog=self._options.name, type=self._connection.type, operation="a new comment of a schema (Hive 2)"
            )

    def drop_database(self, name: str, cascade: bool) -> None:
        operation = f"drop the database {name}"
        try:
            self._change(operation, lambda client: client.drop_database(name, False, cascade))
        except _RefusedError as error:
            if "not empty" in str(error):
                raise SchemaInUseError([table.name for table in self.tables(name)]) from None
            raise self._connection.failed(operation, str(error)) from error

    # Tables

    def tables(self, database: str) -> Sequence[MetastoreTable]:
        operation = f"list the tables of {database}"
        names = self._read(operation, lambda client: client.get_all_tables(database))
        if not names and self.database(database) is None:
            raise NameMissingError(Kind.SCHEMA)
        found: list[MetastoreTable] = []
        for start in range(0, len(names), _MOST_NAMES):
            part = names[start : start + _MOST_NAMES]
            found += map(_table, self._read(operation, _objects(database, part)))
        return found

    def table(self, database: str, name: str) -> MetastoreTable | None:
        record = self._found(f"read the table {database}.{name}", lambda client: client.get_table(database, name))
        return None if record is None else _table(record)

    def create_table(self, table: MetastoreTable) -> None:
        record = _record(table, ttypes.Table(owner=_user(self._options), createTime=table.created_at // 1000))
        operation = f"create the table {table.database}.{table.name}"
        try:
            self._change(operation, lambda client: client.create_table(record))
        except _RefusedError as error:
            if self.database(table.database) is None:
                raise NameMissingError(Kind.SCHEMA) from None
            raise self._connection.failed(operation, str(error)) from error

    def change_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        operation = f"change the table {old.database}.{old.name}"
        try:
            self._alter(operation, old, new)
        except _RefusedError as error:
            raise self._connection.failed(operation, str(error)) from error

    def rename_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        operation = f"rename the table {old.database}.{old.name}"
        if old.kind == MANAGED:
            # The server would move the files of a table that it manages.
            self._alter(operation, old, detached(old))
            found = self.table(old.database, old.name)
            if found is None:
                raise NameMissingError(Kind.TABLE)
            old, new = found, replace(detached(new), original=found.original)
        try:
            self._alter(operation, old, new)
        except _RefusedError as error:
            raise self._not_renamed(old, new) or self._connection.failed(operation, str(error)) from error

    def _not_renamed(self, old: MetastoreTable, new: MetastoreTable) -> Exception | None:
        """Why a table could not be renamed, as far as the names say it."""
        if self.table(old.database, old.name) is None:
            return NameMissingError(Kind.TABLE)
        if self.database(new.database) is None:
            return NameMissingError(Kind.SCHEMA)
        return None if self.table(new.database, new.name) is None else NameTakenError()

    def _alter(self, operation: str, old: MetastoreTable, new: MetastoreTable) -> None:
        """Replaces a record, provided that the time of its last change is the one that was read."""
        before = old.parameters.get(CHANGED, "0")
        record = _record(new, copy(old.original))
        record.parameters[CHANGED] = str(max(int(time.time()), int(before) + 1 if before.isdecimal() else 0))
        context = ttypes.EnvironmentContext({"expected_parameter_key": CHANGED, "expected_parameter_value": before})
        try:
            self._change(
                operation,
                lambda client: client.alter_table_with_environment_context(old.database, old.name, record, context),
                Kind.TABLE,
            )
        except _RefusedError:
            if self.table(old.database, old.name) is None:
                raise NameMissingError(Kind.TABLE) from None
            raise

    def drop_table(self, table: MetastoreTable) -> None:
        operation = f"drop the table {table.database}.{table.name}"
        self._change(operation, lambda client: client.drop_table(table.database, table.name, False), Kind.TABLE)

    def function_names(self, database: str) -> Sequence[str]:
        names = self._read(f"list the functions of {database}", lambda client: client.get_functions(database, "*"))
        return [str(name) for name in names]

    def close(self) -> None:
        self._connection.close()

    # Requests

    def _read(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], Any]) -> Any:
        return self._answer(operation, request, Kind.SCHEMA, changes=False)

    def _found(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], Any]) -> Any:
        """The record that a request asks for; None if there is none."""
        try:
            return self._read(operation, request)
        except NameMissingError:
            return None

    def _change(
        self, operation: str, request: Callable[[ThriftHiveMetastore.Client], Any], missing: Kind = Kind.SCHEMA
    ) -> None:
        """Makes a change. `missing` is what a NoSuchObjectException is about. Raises _RefusedError."""
        self._answer(operation, request, missing, changes=True)

    def _answer(
        self, operation: str, request: Callable[[ThriftHiveMetastore.Client], Any], missing: Kind, *, changes: bool
    ) -> Any:
        """The answer to a request. Exceptions of Hive, which no context manager can pass on, end here."""
        try:
            return self._connection.call(operation, request, changes=changes)
        except ttypes.AlreadyExistsException:
            raise NameTakenError from None
        except (ttypes.NoSuchObjectException, ttypes.UnknownDBException):
            raise NameMissingError(missing) from None
        except (ttypes.InvalidOperationException, ttypes.InvalidObjectException) as error:
            raise _RefusedError(_said(error)) from error
        except ttypes.MetaException as error:
            text = _said(error)
            if _MODIFIED in text:
                raise ChangedMeanwhileError from None
            if any(word in text for word in _DENIED):
                uri = self._options.get("uri") or ""
                raise errors.CatalogAccessError(
                    catalog=self._options.name, type=self._connection.type, uri=uri, reason=text
                ) from error
            raise self._connection.failed(operation, text) from error


class _RefusedError(Exception):
    """The server refuses a change, since something else does not allow it; the text is its own."""


def _objects(database: str, names: Sequence[str]) -> Callable[[ThriftHiveMetastore.Client], Any]:
    """The request for the records of some tables."""
    return lambda client: client.get_table_objects_by_name(database, names)


def _user(options: CatalogOptions) -> str:
    """The owner of new databases and tables."""
    try:
        return options.get("user") or getpass.getuser()
    except (KeyError, OSError):
        return ""


def _said(error: Any) -> str:
    """The message of an exception of Hive, on one line."""
    return " ".join(str(error.message or type(error).__name__).split()).rstrip(".")


def _table(record: Any) -> MetastoreTable:
    """A table of a record of Thrift."""
    place = record.sd
    serde = None if place is None else place.serdeInfo
    storage = Storage()
    if place is not None:
        storage = Storage(
            place.location,
            place.inputFormat,
            place.outputFormat,
            None if serde is None else serde.serializationLib,
            dict((serde and serde.parameters) or {}),
        )
    texts = (record.viewOriginalText or "", record.viewExpandedText or "") if record.tableType == VIEW else None
    return MetastoreTable(
        record.dbName,
        record.tableName,
        record.tableType,
        storage,
        _columns(() if place is None else place.cols),
        _columns(record.partitionKeys),
        dict(record.parameters or {}),
        texts,
        1000 * int(record.createTime or 0),
        record,
    )


def _columns(fields: Any) -> tuple[MetastoreColumn, ...]:
    return tuple(MetastoreColumn(field.name, field.type, field.comment) for field in fields or ())


def _record(table: MetastoreTable, record: Any) -> Any:
    """A record of Thrift with the content of a table; other fields are those of `record`."""
    place = copy(record.sd) or ttypes.StorageDescriptor(numBuckets=-1, bucketCols=[], sortCols=[], parameters={})
    serde = copy(place.serdeInfo) or ttypes.SerDeInfo()
    storage = table.storage
    serde.serializationLib, serde.parameters = storage.serde, dict(storage.parameters)
    place.location, place.inputFormat, place.outputFormat = (
        storage.location,
        storage.input_format,
        storage.output_format,
    )
    place.cols = [ttypes.FieldSchema(column.name, column.type, column.comment) for column in table.columns]
    place.serdeInfo = serde
    record.dbName, record.tableName, record.tableType, record.sd = table.database, table.name, table.kind, place
    record.partitionKeys = [ttypes.FieldSchema(item.name, item.type, item.comment) for item in table.partition_columns]
    record.parameters = dict(table.parameters)
    if table.texts is not None:
        record.viewOriginalText, record.viewExpandedText = table.texts
    return record
