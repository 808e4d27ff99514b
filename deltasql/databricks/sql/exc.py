"""The exceptions of `databricks.sql.exc`: those of PEP 249, and the connector's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.base import DeltaSqlError
from deltasql.clients.dbapi.types import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,  # noqa: A004 - the PEP's name
    translated,
)

__all__ = [
    "CursorAlreadyClosedError",
    "DataError",
    "DatabaseError",
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
    "TransactionError",
    "Warning",
    "as_of_server",
]


class ServerOperationError(DatabaseError):
    """A statement failed, whatever was wrong with it."""


class TransactionError(DatabaseError):
    """`commit` or `rollback` failed, or there is no transaction to end."""


class RequestError(OperationalError):
    """A failed request to a server: never raised, for interface compatibility only."""


class SessionAlreadyClosedError(RequestError):
    """Never raised, for interface compatibility only."""


class CursorAlreadyClosedError(RequestError):
    """Never raised, for interface compatibility only."""


@contextmanager
def as_of_server(kind: type[DatabaseError] = ServerOperationError) -> Iterator[None]:
    """Within the context, errors of statements come out as `kind`, with their condition and SQLSTATE."""
    try:
        yield
    except DeltaSqlError as error:
        dbapi_error = translated(error)
        if not isinstance(dbapi_error, DatabaseError):
            raise dbapi_error from error
        server_error = kind(str(error))
        server_error.condition, server_error.sqlstate, server_error.caret, server_error.message = (
            dbapi_error.condition,
            dbapi_error.sqlstate,
            dbapi_error.caret,
            str(error),
        )
        raise server_error from error
