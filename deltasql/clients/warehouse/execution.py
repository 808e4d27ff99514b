"""Execution of a client's statement: its parameters, transactions, files of volumes, settings of its session."""

from __future__ import annotations

import re
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deltasql.base import errors
from deltasql.clients.dbapi.listings import texts
from deltasql.clients.dbapi.typed_values import bound
from deltasql.clients.warehouse.listings import driver_command
from deltasql.clients.warehouse.operations import Rows, WarehouseClient, counts_rows
from deltasql.files import Result
from deltasql.schema import STRING, MapType, StructField, StructType, quote_name, quote_text
from deltasql.session import Session
from deltasql.sql import parse
from deltasql.statements import GetFile, PutFile, RemoveFromVolume

_TIMEOUT = re.compile(r"\s*SET\s+STATEMENT_TIMEOUT\s*=\s*(\d+)\s*;?\s*", re.IGNORECASE)
_AUTOCOMMIT = re.compile(r"\s*SET\s+AUTOCOMMIT\s*(?:=\s*(\w+)\s*)?;?\s*", re.IGNORECASE)
_END = re.compile(r"\s*(COMMIT|ROLLBACK)\s*;?\s*", re.IGNORECASE)
_STAGING = re.compile(r"\s*(?:PUT|GET|REMOVE)\b", re.IGNORECASE)
_CATALOG_STATEMENT = re.compile(
    r"\s*(?:SHOW\s+(?:TABLES|VIEWS|SCHEMAS|DATABASES|CATALOGS|FUNCTIONS|TABLE\s+EXTENDED)"
    r"|DESC(?:RIBE)?\s+(?:(?:TABLE\s+)?(?:EXTENDED|FORMATTED)|QUERY))\b",
    re.IGNORECASE,
)
_CREATION = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:CREATE|REPLACE)\b", re.IGNORECASE | re.DOTALL)
_INFORMATION_SCHEMA = re.compile(r"\binformation_schema`?\s*\.", re.IGNORECASE)
READS_CATALOG = "It reads the catalog, which is not supported within a multi-statement transaction."
_KEY = re.compile(r"[\w.\-]+")
_IGNORED = frozenset({"spark.thriftserver.arrowbasedrowset.timestampasstring", "query_tags", "enable_photon"})
"""Settings of a session, in lower case, that have no meaning here."""


@dataclass(frozen=True, slots=True)
class MarkerValue:
    """The value of a marker with its type in SQL, as `deltasql.databricks.sql.parameters` binds it.

    `value` is a text, None for NULL, or Parameters: the elements of an array, keys and values of a map in turn.
    """

    name: str | None
    value: Any
    CAST_EXPR: str


def parameter(
    name: str | None, kind: str | None, value: Any, arguments: Sequence[MarkerValue] | None = None
) -> MarkerValue:
    """A parameter as a client sends it; the type is STRING unless it says one."""
    kind = (kind or "STRING").upper()
    if kind in {"ARRAY", "MAP"}:
        return MarkerValue(name, list(arguments or ()), kind)
    return MarkerValue(name, None if kind == "VOID" else value, kind)


@dataclass(frozen=True, slots=True)
class Request:
    """A statement with its parameters, and the most rows that its client wants."""

    sql: str
    parameters: Sequence[MarkerValue] = ()
    row_limit: int | None = None


def execute(client: WarehouseClient, request: Request, staging: Staging) -> Rows:
    """Runs a statement, and computes its rows. Raises DeltaSqlError."""
    text = request.sql
    if _AUTOCOMMIT.fullmatch(text):
        return _autocommit(client, _AUTOCOMMIT.fullmatch(text)[1])  # type: ignore[index]
    _check_transaction(client, text)
    _note_limit(client, text)
    if _ends_nothing(client, text):
        return Rows.of(Result.of(texts(), []))
    listed = driver_command(client, text)
    if listed is not None:
        return listed
    if _STAGING.match(text):
        statement = parse(text)
        if isinstance(statement, (PutFile, GetFile, RemoveFromVolume)):
            return staging.instructed(client.session, statement)
    sql, values = bound(text, list(request.parameters) or None, inline=False)
    result = client.connection.run(sql, values)
    # A warehouse names the counts of CREATE TABLE AS, and gives no row of them.
    limit = 0 if counts_rows(result) and _CREATION.match(text) else request.row_limit
    return Rows.of(result, limit)


def _check_transaction(client: WarehouseClient, text: str) -> None:
    """Refuses statements about the catalog within a transaction, and all of a transaction that such a one has ended.

    Raises NotInTransactionError, TransactionAbortedError.
    """
    if client.is_aborted:
        ending = _END.fullmatch(text)
        if ending is None or ending[1].upper() != "ROLLBACK":
            raise errors.TransactionAbortedError
        client.is_aborted = False
    elif client.session.in_transaction:
        words = _catalog_words(text)
        if words is not None:
            client.connection.rollback()
            client.is_aborted = True
            raise errors.NotInTransactionError(words, READS_CATALOG)


def _catalog_words(text: str) -> str | None:
    """The first words of a statement that reads the catalog rather than tables; None for any other."""
    statement = _CATALOG_STATEMENT.match(text)
    if statement is not None:
        return " ".join(statement[0].upper().split())
    if _INFORMATION_SCHEMA.search(text):
        return "A query of the information schema"
    return None


def _ends_nothing(client: WarehouseClient, text: str) -> bool:
    """Whether a statement ends a transaction that is not open.

    ROLLBACK is ignored then. Without autocommit COMMIT is, too: the transaction that begins with the next statement is
    empty.
    """
    ending = _END.fullmatch(text)
    if ending is None or client.session.in_transaction:
        return False
    return ending[1].upper() == "ROLLBACK" or not client.connection.autocommit


def _autocommit(client: WarehouseClient, value: str | None) -> Rows:
    """SET AUTOCOMMIT [= value]."""
    connection = client.connection
    if value is not None:
        client.is_aborted = False
        if value.upper() not in {"TRUE", "FALSE", "ON", "OFF", "1", "0"}:
            raise errors.InvalidSettingError("AUTOCOMMIT", value, "TRUE or FALSE")
        wanted = value.upper() in {"TRUE", "ON", "1"}
        if client.session.in_transaction and wanted != connection.autocommit and client.session.has_changes:
            raise errors.NestedTransactionError
        connection.autocommit = wanted
    shown = "true" if connection.autocommit else "false"
    return Rows.of(Result.of(texts("key", "value"), [("AUTOCOMMIT", shown)]))


def configure(client: WarehouseClient, catalog: str | None, schema: str | None, settings: Mapping[str, str]) -> None:
    """Sets what a client asks for when its session begins. Raises DeltaSqlError."""
    session = client.session
    for key, value in settings.items():
        if key.lower() not in _IGNORED and _KEY.fullmatch(key):
            _note_limit(client, f"SET {key} = {value}")
            session.sql(f"SET {key} = {value}")
    use(session, catalog, schema)


def _note_limit(client: WarehouseClient, text: str) -> None:
    """SET STATEMENT_TIMEOUT = seconds is the limit of the client's next statements."""
    limit = _TIMEOUT.fullmatch(text)
    if limit is not None:
        client.timeout = float(limit[1]) or None


def use(session: Session, catalog: str | None, schema: str | None) -> None:
    """Makes a catalog and a schema current. The schema may be missing: clients create it later.

    Raises CatalogNotFoundError.
    """
    if catalog:
        session.sql(f"USE CATALOG {quote_name(catalog)}")
    if schema:
        session.catalog.current_schema = schema.lower()


PUT, GET, DELETE = "PUT", "GET", "DELETE"
_LINK_SECONDS = 900.0
_INSTRUCTION = StructType(
    (*texts("operation", "localFile", "presignedUrl"), StructField("headers", MapType(STRING, STRING)))
)
"""The row that tells a client how to move a file. Clients of JavaScript read the headers by their type."""


def _instruction(row: tuple[Any, ...], *columns: StructField) -> Rows:
    rows = Rows.of(Result.of(StructType(columns), [row]))
    return Rows(rows.columns, rows.table, is_staging=True)


@dataclass(slots=True)
class _Link:
    method: str
    path: str
    expires: float


@dataclass(slots=True)
class Staging:
    """Files that clients move to and from volumes, by links of this server that expire.

    `connect` opens a session; `address` is the URL of the server as its clients reach it.
    """

    connect: Callable[[], Session]
    address: Callable[[], str]
    _links: dict[str, _Link] = field(default_factory=dict)

    def instructed(self, session: Session, statement: PutFile | GetFile | RemoveFromVolume) -> Rows:
        """The row that tells a client what to send, and where to. Raises DeltaSqlError."""
        headers: dict[str, str] = {}
        match statement:
            case PutFile():
                self._check_target(session, statement)
                row = (PUT, statement.local.path, self.link(PUT, statement.target.path), headers)
            case GetFile():
                row = (GET, statement.local.path, self.link(GET, statement.source.path), headers)
            case RemoveFromVolume():
                # Without a column of the local file: clients of JavaScript check the one that they find.
                removal = ("REMOVE", self.link(DELETE, statement.source.path), headers)
                return _instruction(removal, *(item for item in _INSTRUCTION if item.name != "localFile"))
        return _instruction(row, *_INSTRUCTION)

    def _check_target(self, session: Session, statement: PutFile) -> None:
        path = statement.target.path
        try:
            session.sql(f"LIST {quote_text(path)} LIMIT 1")
        except errors.VolumeFileNotFoundError:
            return
        if not statement.overwrite:
            raise errors.VolumeFileExistsError(path)

    def link(self, method: str, path: str) -> str:
        """The URL by which a client moves a file of a volume."""
        now = time.monotonic()
        for token in [token for token, link in list(self._links.items()) if link.expires < now]:
            self._links.pop(token, None)
        token = secrets.token_urlsafe(24)
        self._links[token] = _Link(method, path, now + _LINK_SECONDS)
        return f"{self.address()}/deltasql/staging/{token}"

    def path_of(self, token: str, method: str) -> str | None:
        """The path that a link is for; None for an unknown or expired one."""
        link = self._links.get(token)
        usable = link is not None and link.method == method and link.expires >= time.monotonic()
        return link.path if usable and link is not None else None

    def put(self, path: str, data: bytes, overwrite: bool = True) -> None:
        """Writes a file of a volume. Raises DeltaSqlError."""
        with tempfile.TemporaryDirectory(prefix="deltasql-staging-") as folder:
            local = Path(folder, "file")
            local.write_bytes(data)
            clause = " OVERWRITE" if overwrite else ""
            self._run(f"PUT {quote_text(str(local))} INTO {quote_text(path)}{clause}")

    def get(self, path: str) -> bytes:
        """The bytes of a file of a volume. Raises DeltaSqlError."""
        with tempfile.TemporaryDirectory(prefix="deltasql-staging-") as folder:
            local = Path(folder, "file")
            self._run(f"GET {quote_text(path)} TO {quote_text(str(local))}")
            return local.read_bytes()

    def remove(self, path: str) -> None:
        """Removes a file of a volume. Raises DeltaSqlError."""
        self._run(f"REMOVE {quote_text(path)}")

    def _run(self, sql: str) -> None:
        session = self.connect()
        try:
            # The paths of this machine are those of the folder above.
            session.stores.local_folders = (tempfile.gettempdir(),)
            session.sql(sql)
        finally:
            session.close()
