"""The exceptions of `databricks.sql.exc`: those of PEP 249, and the connector's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.dbapi.exceptions import (
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
from deltasql.errors.base import DeltaSqlError

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
    """Of a request to a server: never raised here."""


class SessionAlreadyClosedError(RequestError):
    """Never raised here."""


class CursorAlreadyClosedError(RequestError):
    """Never raised here."""


@contextmanager
def as_of_server(kind: type[DatabaseError] = ServerOperationError) -> Iterator[None]:
    """Within the context, errors of statements come out as `kind`, with their condition and SQLSTATE."""
    try:
        yield
    except DeltaSqlError as error:
        known = translated(error)
        if not isinstance(known, DatabaseError):
            raise known from error
        made = kind(str(error))
        made.condition, made.sqlstate, made.caret, made.message = (
            known.condition,
            known.sqlstate,
            known.caret,
            str(error),
        )
        raise made from error
