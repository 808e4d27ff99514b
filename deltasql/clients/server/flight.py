"""`deltasql serve`: the Flight SQL service, which dispatches calls of Flight to the sessions of their clients.

The service checks address, token and TLS, prints the URI, and serves until Ctrl-C. A client may send rows for a table:
`adbc_ingest`, `to_sql` of pandas, `write_database` of polars. The options of a client's session are its current catalog
and schema, which USE changes, too.
"""

from __future__ import annotations

import ipaddress
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.flight as fl

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import Catalogs
from deltasql.clients.server.clients import Client, ClientRows, Clients
from deltasql.clients.server.messages import (
    APPEND,
    CANCELLED,
    CLOSED,
    CREATE_MISSING,
    FAIL_IF_MISSING,
    FAIL_IF_THERE,
    INVALID_NAME,
    INVALID_VALUE,
    MIDDLEWARE,
    REPLACE,
    Access,
    NoHandshake,
    answered,
    message,
    packed,
    parsed,
    requested,
    unpacked,
)
from deltasql.clients.server.metadata import ANSWERS, answer
from deltasql.clients.server.parameter_types import parameter_schema, parameter_types
from deltasql.clients.server.statements import (
    ClockRows,
    bound_rows,
    changed_by_prepared,
    changed_rows,
    heeding,
    result_schema,
    rows_of,
    rows_of_prepared,
    without_zones,
)
from deltasql.files import Result
from deltasql.plan import TableName
from deltasql.schema import quote_name as quote
from deltasql.session import Session, connect

_BYTES_PER_BATCH = 1 << 20
"""Target size of a record batch: clients accept messages of 4 to 16 MB."""
_ACTIONS = {
    "CreatePreparedStatement": "prepares a statement, which is not run",
    "ClosePreparedStatement": "closes a prepared statement, and stops what runs for it",
    "CancelQuery": "drops a result, and stops a query whose rows are being fetched",
    "CancelFlightInfo": "drops a result, and stops a query whose rows are being fetched",
    "SetSessionOptions": "changes the current catalog or schema",
    "GetSessionOptions": "tells the current catalog and schema",
    "CloseSession": "ends the session",
}


class FlightSqlServer(fl.FlightServerBase):  # type: ignore[misc]
    """Serves the sessions of `clients`. With a `token`, new clients must present it."""

    def __init__(
        self,
        location: str,
        clients: Clients[Client],
        *,
        token: str | None = None,
        tls: tuple[bytes, bytes] | None = None,
    ) -> None:
        """`tls` is a certificate and its key, in PEM; the location then begins with grpc+tls."""
        self._clients = clients
        self._ending = threading.Event()
        super().__init__(
            location,
            auth_handler=NoHandshake(),
            tls_certificates=None if tls is None else [tls],
            middleware={MIDDLEWARE: Access(clients, token)},
        )

    def stop(self) -> None:
        """Cancels running statements, and returns when the last call has ended."""
        self._ending.set()
        self.shutdown()

    def get_flight_info(self, context: Any, descriptor: Any) -> Any:
        """Runs a statement and stores its rows; queries and catalog commands run when their rows are fetched."""
        with self._call(context) as client:
            kind, command = unpacked(descriptor.command or b"")
            if kind in ANSWERS:
                return _info(ANSWERS[kind].schema(command), descriptor, descriptor.command)
            rows = self._rows(client, kind, command, context)
            rows = rows if client.keeps_zones else ClockRows(rows)
            statement = command.prepared_statement_handle if kind == "CommandPreparedStatementQuery" else b""
            ticket = packed("TicketStatementQuery", statement_handle=client.store_rows(rows, statement))
            return _info(rows.schema, descriptor, ticket, rows.count)

    def get_schema(self, context: Any, descriptor: Any) -> Any:
        """The schema of a command's result; the command is not run."""
        with self._call(context) as client:
            kind, command = unpacked(descriptor.command or b"")
            if kind in ANSWERS:
                return fl.SchemaResult(ANSWERS[kind].schema(command))
            if kind == "CommandPreparedStatementQuery":
                sql = self._holder(client, command).prepared(command.prepared_statement_handle).sql
            elif kind == "CommandStatementQuery":
                sql = command.query
            else:
                raise errors.UnknownCommandMessageError(kind=kind)
            with self._heeding(client, context):
                return fl.SchemaResult(_schema_for(client, sql))

    def do_get(self, context: Any, ticket: Any) -> Any:
        """The rows of a ticket or of a catalog command, in batches."""
        with self._call(context) as client:
            kind, command = unpacked(ticket.ticket)
            if kind in ANSWERS:
                return _stream(answer(client.session, kind, command, keeps_zones=client.keeps_zones))
            if kind != "TicketStatementQuery":
                raise errors.UnknownCommandMessageError(kind=kind)
            handle = command.statement_handle
            waiting = self._clients.holder(handle, client).fetch(handle)
            with self._heeding(client, context, handle, waiting.statement):
                if waiting.statement:
                    # It may have been closed before this call was registered.
                    self._clients.holder(waiting.statement, client).prepared(waiting.statement)
                return _stream(waiting.rows.table())

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """Runs a statement and sends its number of changed rows, or binds the parameters of a prepared query."""
        with self._call(context) as client:
            kind, command = unpacked(descriptor.command or b"")
            if kind == "CommandStatementUpdate":
                _refuse_transaction(command)
                with self._heeding(client, context):
                    count = changed_rows(client.session, command.query)
            elif kind in {"CommandPreparedStatementQuery", "CommandPreparedStatementUpdate"}:
                holder = self._holder(client, command)
                prepared = holder.prepared(command.prepared_statement_handle)
                prepared.rows = bound_rows(prepared, limited(_batches(reader)))
                if kind == "CommandPreparedStatementQuery":
                    return
                with self._heeding(client, context, command.prepared_statement_handle):
                    count = changed_by_prepared(holder.session, prepared)
            elif kind == "CommandStatementIngest":
                _refuse_transaction(command)
                with self._heeding(client, context):
                    count = ingested(client.session, command, reader.schema, limited(_batches(reader)))
            else:
                raise errors.UnknownCommandMessageError(kind=kind)
            done = message("DoPutUpdateResult", record_count=count)
            writer.write(pa.py_buffer(done.SerializeToString()))

    def do_action(self, context: Any, action: Any) -> list[bytes]:
        with self._call(context) as client:
            act = _DOING.get(action.type)
            if act is None:
                raise errors.UnknownCommandMessageError(kind=f"the action {action.type}")
            return list(act(self, client, action.body.to_pybytes(), context))

    def list_actions(self, context: Any) -> list[tuple[str, str]]:
        return list(_ACTIONS.items())

    @contextmanager
    def _call(self, context: Any) -> Iterator[Client]:
        """Context: a call; yields its client, and converts errors to those of Flight."""
        client = context.get_middleware(MIDDLEWARE).client
        with answered(), self._clients.call(client):
            yield client

    @contextmanager
    def _heeding(self, client: Client, context: Any, *handles: bytes) -> Iterator[None]:
        """Context: statements within are cancelled with their call, by closing one of `handles`, or with the server."""
        with (
            self._clients.working(client, *filter(None, handles)) as closed,
            heeding(lambda: closed.is_set() or context.is_cancelled() or self._ending.is_set()),
        ):
            yield

    def _holder(self, client: Client, command: Any) -> Client:
        return self._clients.holder(command.prepared_statement_handle, client)

    def _rows(self, client: Client, kind: str, command: Any, context: Any) -> ClientRows:
        if kind == "CommandStatementQuery":
            _refuse_transaction(command)
            with self._heeding(client, context):
                return rows_of(client.session, command.query)
        if kind != "CommandPreparedStatementQuery":
            raise errors.UnknownCommandMessageError(kind=kind)
        holder, handle = self._holder(client, command), command.prepared_statement_handle
        with self._heeding(client, context, handle):
            return rows_of_prepared(holder.session, holder.prepared(handle))

    def prepare(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        """Prepares a statement. Raises its syntax errors, and errors of names in a query."""
        request = requested("ActionCreatePreparedStatementRequest", body)
        _refuse_transaction(request)
        with self._heeding(client, context):
            columns = _schema_for(client, request.query)
            types = parameter_types(client.session, request.query)
        yield packed(
            "ActionCreatePreparedStatementResult",
            prepared_statement_handle=client.prepare(request.query, types),
            dataset_schema=columns.serialize().to_pybytes() if len(columns) else b"",
            parameter_schema=parameter_schema(request.query, types).serialize().to_pybytes(),
        )

    def close_prepared(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        request = requested("ActionClosePreparedStatementRequest", body)
        self._clients.close(request.prepared_statement_handle, client)
        yield from ()

    def cancel_query(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        """The deprecated action CancelQuery."""
        self._drop(client, requested("ActionCancelQueryRequest", body).info)
        yield packed("ActionCancelQueryResult", result=CANCELLED)

    def cancel_info(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        self._drop(client, parsed("CancelFlightInfoRequest", body).info)
        yield message("CancelFlightInfoResult", status=CANCELLED).SerializeToString()

    def _drop(self, client: Client, info: bytes) -> None:
        try:
            endpoints = fl.FlightInfo.deserialize(info).endpoints
        except pa.ArrowException:
            raise errors.UnknownCommandMessageError(kind="a FlightInfo that cannot be read") from None
        for endpoint in endpoints:
            kind, ticket = unpacked(endpoint.ticket.ticket)
            if kind == "TicketStatementQuery":
                self._clients.close(ticket.statement_handle, client)

    def close_session(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        self._clients.end(client)
        yield message("CloseSessionResult", status=CLOSED).SerializeToString()

    def set_session_options(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        yield set_options(client.session, parsed("SetSessionOptionsRequest", body)).SerializeToString()

    def get_session_options(self, client: Client, body: bytes, context: Any) -> Iterator[bytes]:
        yield options_of(client.session).SerializeToString()


_Act = Callable[[FlightSqlServer, Client, bytes, Any], Iterator[bytes]]
_DOING: dict[str, _Act] = {
    "CreatePreparedStatement": FlightSqlServer.prepare,
    "ClosePreparedStatement": FlightSqlServer.close_prepared,
    "CancelQuery": FlightSqlServer.cancel_query,
    "CancelFlightInfo": FlightSqlServer.cancel_info,
    "CloseSession": FlightSqlServer.close_session,
    "SetSessionOptions": FlightSqlServer.set_session_options,
    "GetSessionOptions": FlightSqlServer.get_session_options,
}


def _schema_for(client: Client, sql: str) -> pa.Schema:
    """The schema of a statement's result as its client reads it."""
    columns = result_schema(client.session, sql)
    return columns if client.keeps_zones else without_zones(columns)


def _refuse_transaction(command: Any) -> None:
    """Raises UnknownCommandMessageError for a transaction id: transactions begin with statements, not with calls."""
    if command.HasField("transaction_id"):
        raise errors.UnknownCommandMessageError(kind="a transaction by its id")


def _info(schema: pa.Schema, descriptor: Any, ticket: bytes, rows: int = -1) -> Any:
    """A FlightInfo with one endpoint, on this server."""
    return fl.FlightInfo(schema, descriptor, [fl.FlightEndpoint(ticket, [])], rows, -1)


def _stream(table: pa.Table) -> Any:
    per_row = table.nbytes // table.num_rows + 1 if table.num_rows else 1
    most = max(1, _BYTES_PER_BATCH // per_row)
    return fl.RecordBatchStream(
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=most)),
    )


def _batches(reader: Any) -> Iterator[pa.RecordBatch]:
    for chunk in reader:
        if chunk.data is not None:
            yield chunk.data


CATALOG, SCHEMA = "catalog", "schema"


def options_of(session: Session) -> Any:
    """The GetSessionOptionsResult message with catalog and schema."""
    options = {CATALOG: session.catalog.current_catalog, SCHEMA: session.catalog.current_schema}
    entries = [
        message("SessionOption", key=key, value=message("SessionOptionValue", string_value=value))
        for key, value in options.items()
    ]
    return message("GetSessionOptionsResult", session_options=entries)


def set_options(session: Session, request: Any) -> Any:
    """Sets the options, the catalog before the schema; the message with the faults of the others."""
    faults = []
    for entry in sorted(request.session_options, key=lambda entry: str(entry.key)):
        fault = _set(session, str(entry.key), entry.value)
        if fault is not None:
            faults.append(
                message("SessionOptionError", key=entry.key, value=message("SessionOptionFault", value=fault))
            )
    return message("SetSessionOptionsResult", errors=faults)


def _set(session: Session, key: str, value: Any) -> int | None:
    """Sets one option; returns its fault, or None."""
    if key not in {CATALOG, SCHEMA}:
        return INVALID_NAME
    if value.WhichOneof("option_value") != "string_value":
        return INVALID_VALUE
    try:
        if key == CATALOG:
            session.catalog.use_catalog(value.string_value)
        else:
            session.catalog.use(value.string_value)
    except DeltaSqlError:
        return INVALID_VALUE
    return None


MOST_BYTES = 1 << 30
"""Limit on the bytes of one call: the rows of a commit are in memory until their files are written."""

_Write = Callable[[Session, pa.Table, str], Result]
_WRITES: Mapping[tuple[int, int], _Write] = {
    (CREATE_MISSING, FAIL_IF_THERE): lambda session, rows, table: session.writeTo(rows, table).create(),
    (CREATE_MISSING, APPEND): lambda session, rows, table: session.write(rows).mode("append").saveAsTable(table),
    (CREATE_MISSING, REPLACE): lambda session, rows, table: session.writeTo(rows, table).createOrReplace(),
    (FAIL_IF_MISSING, APPEND): lambda session, rows, table: session.writeTo(rows, table).append(),
    (FAIL_IF_MISSING, REPLACE): lambda session, rows, table: session.writeTo(rows, table).replace(),
}


def ingested(session: Session, command: Any, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
    """Writes rows as one commit, columns by name; the number of rows.

    Raises UnsupportedIngestError, and whatever a write of DataFrames raises.
    """
    if command.temporary:
        raise errors.UnsupportedIngestError(what="a temporary table")
    options = command.table_definition_options
    # A number that is 0 was left out: as the mode create.
    write = _WRITES.get((options.if_not_exist or CREATE_MISSING, options.if_exists or FAIL_IF_THERE))
    if write is None or not command.table:
        raise errors.UnsupportedIngestError(what="what this call says")
    rows = pa.Table.from_batches(batches, schema)
    name = TableName(tuple(filter(None, (command.catalog, command.schema, command.table))))
    write(session, rows, str(name))
    return int(rows.num_rows)


def limited(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of a call. Raises TooManyBytesError before they fill the memory."""
    seen = 0
    for batch in batches:
        seen += batch.nbytes
        if seen > MOST_BYTES:
            raise errors.TooManyBytesError(limit=MOST_BYTES)
        yield batch


TOKEN = "DELTASQL_SERVER_TOKEN"
"""The environment variable that holds the token."""
MOST_CLIENTS = 200
IDLE = 3600.0
"""Seconds without a call after which a client may be forgotten."""


SessionCatalogs: TypeAlias = "tuple[str | None, Catalogs]"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the server. `port` 0 is any free port. Files of TLS and of the token are paths, or None."""

    warehouse: str
    host: str = "127.0.0.1"
    port: int = 31337
    remote: str | None = None
    token_file: str | None = None
    tls_certificate: str | None = None
    tls_key: str | None = None
    engine: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    """Settings that are SET at the start of each session."""
    catalogs: SessionCatalogs = field(default=(None, {}), repr=False)
    """The current catalog at the start of each session, and its external catalogs."""


@contextmanager
def running(settings: Settings, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Context: a running server; yields the URI that clients connect to.

    Raises ServerNeedsTokenError, and ServerStartError, also for a file that cannot be read.
    """
    token = _token(settings, environment)
    if token is None and not is_loopback(settings.host):
        raise errors.ServerNeedsTokenError(host=settings.host, variable=TOKEN)
    tls = None
    if settings.tls_certificate is not None and settings.tls_key is not None:
        tls = (_read(settings, settings.tls_certificate), _read(settings, settings.tls_key))

    def opened() -> Session:
        current, external = settings.catalogs
        # Clients are not trusted with the files of this machine.
        session = connect(
            settings.warehouse,
            settings.remote,
            engine=settings.engine,
            catalogs=external,
            staging_allowed_local_path=(),
        )
        for key, value in settings.conf.items():
            session.sql(f"SET {key} = {value}")
        if current is not None:
            session.sql(f"USE CATALOG {quote(current)}")
        return session

    clients: Clients[Client] = Clients(opened, idle=IDLE, most=MOST_CLIENTS)
    scheme = "grpc" if tls is None else "grpc+tls"
    try:
        server = FlightSqlServer(f"{scheme}://{_in_url(settings.host)}:{settings.port}", clients, token=token, tls=tls)
    except pa.ArrowException as error:
        raise errors.ServerStartError(place=f"{settings.host}:{settings.port}", reason=str(error)) from None
    try:
        yield f"{scheme}://{_in_url(settings.host)}:{server.port}"
    finally:
        server.stop()
        clients.end_all()


def serve(settings: Settings) -> None:
    """Serves until SIGINT or SIGTERM."""
    with signals() as wait, running(settings) as uri:
        print(f"Arrow Flight SQL at {uri}, tables of {settings.warehouse}. Ctrl-C ends it.", flush=True)
        if settings.tls_certificate is None and not is_loopback(settings.host):
            print("Without --tls-certificate and --tls-key the token can be read on its way.", file=sys.stderr)
        wait()


@contextmanager
def signals() -> Iterator[Callable[[], object]]:
    """Context: SIGINT and SIGTERM end a server; yields a function that waits for one of them."""
    # Its put may interrupt another one, or a get: a lock would wait for itself.
    arrived: SimpleQueue[int] = SimpleQueue()

    def stop(number: int, frame: FrameType | None) -> None:
        arrived.put(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield arrived.get
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _token(settings: Settings, environment: Mapping[str, str]) -> str | None:
    """The token; None without one. Raises ServerStartError for an empty token file: everybody would be let in."""
    if settings.token_file is None:
        return environment.get(TOKEN) or None
    text = _read(settings, settings.token_file).decode(errors="replace").strip()
    if not text:
        raise errors.ServerStartError(place=settings.host, reason=f"the token file {settings.token_file} is empty")
    return text


def _read(settings: Settings, path: str) -> bytes:
    return read_file(path, f"{settings.host}:{settings.port}")


def read_file(path: str, place: str) -> bytes:
    """The bytes of a file that a server at `place` needs. Raises ServerStartError."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = f"the file {path} cannot be read: {error.strerror}"
        raise errors.ServerStartError(place=place, reason=reason) from None


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback address; false for names other than localhost, which are not resolved."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
