"""Errors of the server, besides those of its statements."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.usage import UsageError


@condition(
    "FLIGHT_SQL_NOT_SUPPORTED",
    "0A000",
    "This server does not know {kind}. It runs statements, prepared or not, and tells catalogs, schemas, tables and "
    "keys; transactions are statements: BEGIN TRANSACTION, COMMIT, ROLLBACK.",
    remedy="Use statements: the server supports no other messages of this kind.",
)
class UnknownCommandMessageError(DeltaSqlError):
    """A message of Flight SQL that is none of the served ones; `kind` is its name."""

    kind: str


@condition(
    "INVALID_HANDLE.FORMAT",
    "HY000",
    "There is no {what} of this handle: it was closed or fetched before, or its session has ended.",
    remedy="Run the statement again.",
)
class HandleNotFoundError(DeltaSqlError):
    """A client asked for a result or prepared statement that the server does not have.

    `what` is a result or a prepared statement.
    """

    what: str


@condition(
    "INVALID_HANDLE.SESSION_NOT_FOUND",
    "HY000",
    "The session has ended: it was closed, or unused for too long. Connect anew.",
)
class SessionGoneError(DeltaSqlError):
    """A client uses a session that has ended."""


@condition(
    "FLIGHT_SQL_INGEST_NOT_SUPPORTED",
    "0A000",
    "Rows cannot be ingested into {what}. Name a table of a schema, and say what to do where it is there or missing.",
)
class UnsupportedIngestError(DeltaSqlError):
    """Ingestion into another target than a table, such as a temporary one; `what` names it."""

    what: str


@condition(
    "FLIGHT_SQL_TOO_MANY_BYTES",
    "54000",
    "The call has sent more than the {limit} bytes that the server takes at once. Send less in each of several calls.",
)
class TooManyBytesError(DeltaSqlError):
    """A client sends more bytes at once than the server takes."""

    limit: int


@condition(
    "AUTHENTICATION_FAILED",
    "28000",
    "The server wants its token: {how}.",
    remedy="Give the client the server's token, as the message says.",
)
class AuthenticationError(DeltaSqlError):
    """A client connected without the token of the server, or with another one. `how` says where a client gives it."""

    how: str


@condition(
    "SERVER_NEEDS_TOKEN",
    "28000",
    "The server runs whatever SQL it is sent, so on {host}, which other machines can reach, it starts only with a "
    "token. Put one into the environment as {variable}, or into a file and name it with --token-file.",
)
class ServerNeedsTokenError(UsageError):
    """`deltasql serve` on an address of the network, without a token."""

    host: str
    variable: str


@condition(
    "SERVER_CANNOT_START",
    "58030",
    "The server cannot start at {place}: {reason}.",
    remedy="Choose another port with --port, or end the program that uses it.",
)
class ServerStartError(UsageError):
    """The address of the server is in use, or is not permitted."""

    place: str
    reason: str


@condition(
    "SERVER_PACKAGE_MISSING",
    "58000",
    "The server needs the package {package}, which is not installed. Run: pip install 'deltasql[server]'",
)
class ServerPackageMissingError(UsageError):
    """`deltasql serve` without the packages of the extra `server`."""

    package: str


@condition(
    "LANGUAGE_SERVER_PACKAGE_MISSING",
    "58000",
    "The language server needs the package {package}, which is not installed. Run: pip install 'deltasql[lsp]'",
)
class LanguageServerPackageMissingError(UsageError):
    """`deltasql lsp` without the packages of the extra `lsp`."""

    package: str
