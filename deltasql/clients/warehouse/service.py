"""`deltasql warehouse`: a server that speaks to the clients of Databricks' SQL warehouses, over HTTP.

Calls of Thrift may come to any path, as they do to a warehouse; the REST interface has its paths. The server makes a
certificate for this machine when it first starts, and keeps it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deltasql.base import errors
from deltasql.clients.server.flight import IDLE, MOST_CLIENTS, TOKEN, SessionCatalogs, is_loopback, read_file, signals
from deltasql.clients.warehouse.execution import DELETE, GET, PUT, Staging
from deltasql.clients.warehouse.operations import Warehouse
from deltasql.clients.warehouse.rest import Rest, refusal
from deltasql.clients.warehouse.results import ResultLinks
from deltasql.clients.warehouse.thrift import ThriftService
from deltasql.schema import quote_name as quote
from deltasql.session import Session, connect

HTTP_PATH = "/sql/1.0/warehouses/deltasql"
MOST_BYTES = 256 << 20
"""Limit on the bytes of one call."""
_THREADS = 400
"""Most calls at once: many wait for their statements."""
_HTTPS_PORT = 443


@dataclass(frozen=True, slots=True)
class WarehouseSettings:
    """Settings of a warehouse. `port` 0 is any free port. Files of TLS are paths, or None for the server's certificate.

    `plain` is HTTP without TLS, for loopback addresses only. `token` is None for one that the server makes up.
    """

    warehouse: str
    host: str = "127.0.0.1"
    port: int = 8443
    token: str | None = None
    tls: tuple[str, str] | None = None
    plain: bool = False
    remote: str | None = None
    engine: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    catalogs: SessionCatalogs = field(default=(None, {}), repr=False)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a running warehouse is: what its clients are given. `certificate` is the file of the authority, or None."""

    host: str
    port: int
    http_path: str
    token: str = field(repr=False)
    certificate: str | None
    is_plain: bool

    @property
    def url(self) -> str:
        scheme = "http" if self.is_plain else "https"
        return f"{scheme}://{_in_url(self.host)}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that the clients read."""
        values = {
            "DATABRICKS_HOST": self.url,
            "DATABRICKS_SERVER_HOSTNAME": self.host,
            "DATABRICKS_HTTP_PATH": self.http_path,
            "DATABRICKS_TOKEN": self.token,
            "DATABRICKS_PORT": str(self.port),
            "DATABRICKS_WAREHOUSE_ID": self.http_path.rsplit("/", 1)[1],
        }
        if self.certificate is not None:
            trust = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE")
            values |= dict.fromkeys(trust, self.certificate)
        return values


_asked_at: ContextVar[str] = ContextVar("address")
"""The URL of this server as the client of the current call has written it."""


class Service:
    """The web application over the sessions of a warehouse."""

    def __init__(self, settings: WarehouseSettings, token: str) -> None:
        self._settings, self._token = settings, token
        self.address = ""
        self.warehouse = Warehouse(self._opened, idle=IDLE, most=MOST_CLIENTS)
        address = lambda: _asked_at.get(self.address)  # noqa: E731
        self._links = ResultLinks(address)
        self._staging = Staging(self._opened, address)
        self._thrift = ThriftService(self.warehouse, self._staging, self._links)
        self._rest = Rest(self.warehouse, self._staging, self._links)
        self.app = Starlette(
            routes=[
                Route("/.well-known/databricks-config", self._well_known),
                Route("/deltasql/results/{token}", self._result),
                Route("/deltasql/staging/{token}", self._staged, methods=[PUT, GET, DELETE]),
                Route("/{path:path}", self._call, methods=["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]),
            ]
        )

    def _opened(self) -> Session:
        current, external = self._settings.catalogs
        # Clients are not trusted with the files of this machine.
        session = connect(
            self._settings.warehouse,
            self._settings.remote,
            engine=self._settings.engine,
            catalogs=external,
            staging_allowed_local_path=(),
        )
        for key, value in {"spark.sql.session.timeZone": "Etc/UTC", **self._settings.conf}.items():
            session.sql(f"SET {key} = {value}")
        if current is not None:
            session.sql(f"USE CATALOG {quote(current)}")
        return session

    async def _well_known(self, request: Request) -> Response:
        return JSONResponse({"oidc_endpoint": f"{_address_of(request)}/oidc"})

    async def _result(self, request: Request) -> Response:
        link = self._links.find(request.path_params["token"])
        if link is None or link.statement.rows is None:
            return refusal(404, "NOT_FOUND", "The link has expired, or its statement is closed.")
        data = await run_in_threadpool(link.form.stream, link.statement.rows, link.start, link.end)
        return Response(data, media_type="application/octet-stream")

    async def _staged(self, request: Request) -> Response:
        path = self._staging.path_of(request.path_params["token"], request.method)
        if path is None:
            return refusal(403, "PERMISSION_DENIED", "The link has expired, or is for another method.")
        body = await _body(request)
        return await run_in_threadpool(self._rest.moved, request.method, path, body, True)

    async def _call(self, request: Request) -> Response:
        """A call of Thrift, which may come to any path, or one of the REST interface."""
        body = await _body(request)
        if body is None:
            return refusal(413, "RESOURCE_EXHAUSTED", f"The call has more than {MOST_BYTES} bytes.")
        is_thrift = "thrift" in request.headers.get("content-type", "")
        if not is_thrift and self._rest.is_open(request.url.path):
            return await run_in_threadpool(self._rest.answer, request, body)
        if not self._may_enter(request.headers.get("authorization", "")):
            return refusal(
                401, "UNAUTHENTICATED", "The token is missing or wrong. The server prints it when it starts."
            )
        token = _asked_at.set(_address_of(request))
        try:
            if is_thrift:
                data, gone = await run_in_threadpool(self._thrift.answer, body)
                headers = {"X-Thriftserver-Error-Message": gone} if gone else None
                return Response(data, 404 if gone else 200, headers, media_type="application/x-thrift")
            return await run_in_threadpool(self._rest.answer, request, body)
        finally:
            _asked_at.reset(token)

    def _may_enter(self, header: str) -> bool:
        """Whether an Authorization header has the token: as a bearer's, or as the password of the user `token`."""
        scheme, _, given = header.partition(" ")
        if scheme.lower() == "basic":
            try:
                given = base64.b64decode(given).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
        elif scheme.lower() != "bearer":
            return False
        return secrets.compare_digest(given.strip().encode(), self._token.encode())


async def _body(request: Request) -> bytes | None:
    """The bytes of a call; None for more than `MOST_BYTES`."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _address_of(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers.get('host', request.url.netloc)}"


@contextmanager
def running(
    warehouse: str | Path | WarehouseSettings, environment: Mapping[str, str] = os.environ, **settings: Any
) -> Iterator[Address]:
    """Context: a running warehouse over a folder; yields its Address. Keywords are those of WarehouseSettings.

    Raises ServerNeedsTokenError, and ServerStartError.
    """
    if not isinstance(warehouse, WarehouseSettings):
        warehouse = WarehouseSettings(str(warehouse), **{"port": 0, **settings})
    token = _token(warehouse, environment)
    files, authority = _tls(warehouse, environment)
    service = Service(warehouse, token)
    sockets = _listening(warehouse)
    address = Address(warehouse.host, sockets[0].getsockname()[1], HTTP_PATH, token, authority, warehouse.plain)
    service.address = address.url
    server = _Server(
        uvicorn.Config(
            service.app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            timeout_keep_alive=300,
            timeout_graceful_shutdown=1,
            server_header=False,
            ssl_certfile=None if files is None else files[0],
            ssl_keyfile=None if files is None else files[1],
        )
    )
    thread = threading.Thread(target=server.run, args=(sockets,), name="deltasql-warehouse", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        if not server.started:
            raise errors.ServerStartError(place=address.url, reason="the server has stopped at once")
        yield address
    finally:
        server.should_exit = True
        service.warehouse.end()
        thread.join(10)
        for listening in sockets:
            listening.close()


def _token(settings: WarehouseSettings, environment: Mapping[str, str]) -> str:
    """The token of the settings or the environment, or a new one. Raises ServerNeedsTokenError."""
    token = settings.token or environment.get(TOKEN) or ""
    if not is_loopback(settings.host) and (settings.plain or not token):
        raise errors.ServerNeedsTokenError(host=settings.host, variable=TOKEN)
    return token or f"dapi{secrets.token_hex(16)}"


def _tls(settings: WarehouseSettings, environment: Mapping[str, str]) -> tuple[tuple[str, str] | None, str | None]:
    """The files of the certificate and its key, and that of the authority. Raises ServerStartError."""
    if settings.plain:
        return None, None
    files = settings.tls or certificate(settings.host, environment)
    for path in files:
        read_file(path, f"{settings.host}:{settings.port}")
    return files, files[0] if settings.tls else str(Path(files[0]).with_name("authority.pem"))


class _Server(uvicorn.Server):
    """A server in a thread, which leaves the signals to the process."""

    def install_signal_handlers(self) -> None:
        pass

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # Clients that keep their connections do not answer the end of TLS.
        for connection in list(self.server_state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()
        await anyio.sleep(0.01)


def _listening(settings: WarehouseSettings) -> list[socket.socket]:
    """The sockets that the server listens at: its port, and 443 for databricks-sdk where the process may.

    Raises ServerStartError.
    """
    try:
        sockets = [_bound(settings.host, settings.port)]
    except OSError as error:
        place = f"{settings.host}:{settings.port}"
        raise errors.ServerStartError(place=place, reason=error.strerror or str(error)) from None
    if not settings.plain and settings.port not in {0, _HTTPS_PORT}:
        with contextlib.suppress(OSError):
            sockets.append(_bound(settings.host, _HTTPS_PORT))
    return sockets


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(256)
    except OSError:
        opened.close()
        raise
    return opened


def certificate(host: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The files of the server's certificate and its key, made when there are none, beside that of their authority."""
    state = environment.get("XDG_STATE_HOME") or Path(environment.get("HOME") or Path.home(), ".local", "state")
    folder = Path(state, "deltasql", "warehouse", host.replace(":", "_"))
    files = folder / "certificate.pem", folder / "key.pem"
    if all(path.exists() for path in files):
        return str(files[0]), str(files[1])
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    authority = trustme.CA(organization_name="deltasql")
    names = dict.fromkeys(("localhost", "127.0.0.1", "::1", host))
    issued = authority.issue_cert(*(name for name in names if name not in {"0.0.0.0", "::"}))
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    with os.fdopen(os.open(files[1], os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as key:
        key.write(issued.private_key_pem.bytes())
    for index, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(str(files[0]), append=index > 0)
    return str(files[0]), str(files[1])


def serve(settings: WarehouseSettings, shows_environment: bool = False) -> None:
    """Serves until SIGINT or SIGTERM."""
    with signals() as wait, running(settings) as address:
        if shows_environment:
            for name, value in address.environment.items():
                print(f"export {name}={value}", flush=True)
        else:
            print(_said(address, settings.warehouse), flush=True)
        wait()


def _said(address: Address, warehouse: str) -> str:
    lines = [
        f"SQL warehouse at {address.url}, tables of {warehouse}. Ctrl-C ends it.",
        f"  host         {address.host}",
        f"  port         {address.port}",
        f"  HTTP path    {address.http_path}",
        f"  token        {address.token}",
    ]
    if address.certificate is not None:
        lines.append(f"  certificate  {address.certificate}")
    return "\n".join(lines)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
