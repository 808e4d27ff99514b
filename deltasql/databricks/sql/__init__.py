"""A drop-in replacement of `databricks.sql`: `connect`, type objects, exceptions, in modules of the same names.

Only the interface is the connector's. Statements run in a session of deltasql, without a server.
"""

from __future__ import annotations

from typing import Any

from deltasql.base import __version__
from deltasql.clients.dbapi.types import (
    BINARY,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    TypeObject,
)
from deltasql.databricks.sql.client import (
    TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ,
    Connection,
    Cursor,
)
from deltasql.databricks.sql.exc import (
    CursorAlreadyClosedError,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    RequestError,
    ServerOperationError,
    SessionAlreadyClosedError,
    TransactionError,
    Warning,  # noqa: A004 - the PEP's name
)

__all__ = [
    "BINARY",
    "DATE",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ",
    "Binary",
    "Connection",
    "Cursor",
    "CursorAlreadyClosedError",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "RequestError",
    "ServerOperationError",
    "SessionAlreadyClosedError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "TransactionError",
    "Warning",
    "__version__",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
threadsafety = 1
"""As of the connector: threads may share the module, not connections."""
paramstyle = "named"

DATETIME = TypeObject("timestamp", "timestamp_ntz")
DATE = TypeObject("date")


def connect(
    server_hostname: str = "", http_path: str = "", access_token: str | None = None, **options: Any
) -> Connection:
    """A connection to the tables of a warehouse on this machine. For `options` see `Connection`."""
    return Connection(server_hostname, http_path, access_token, **options)
