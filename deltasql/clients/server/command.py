"""`deltasql serve`: checks address, token and TLS, prints the URI, and serves until Ctrl-C."""

from __future__ import annotations

import ipaddress
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import pyarrow as pa

from deltasql.base.errors.server import ServerNeedsTokenError, ServerStartError
from deltasql.catalog.external.configuration import Catalogs
from deltasql.clients.server.clients import Clients
from deltasql.clients.server.flight import FlightSqlServer
from deltasql.plan.base import quote
from deltasql.session.opening import connect
from deltasql.session.session import Session

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
    if token is None and not _is_of_this_machine(settings.host):
        raise ServerNeedsTokenError(host=settings.host, variable=TOKEN)
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

    clients = Clients(opened, idle=IDLE, most=MOST_CLIENTS)
    scheme = "grpc" if tls is None else "grpc+tls"
    try:
        server = FlightSqlServer(f"{scheme}://{_in_url(settings.host)}:{settings.port}", clients, token=token, tls=tls)
    except pa.ArrowException as error:
        raise ServerStartError(place=f"{settings.host}:{settings.port}", reason=str(error)) from None
    try:
        yield f"{scheme}://{_in_url(settings.host)}:{server.port}"
    finally:
        server.stop()
        clients.end_all()


def serve(settings: Settings) -> None:
    """Serves until SIGINT or SIGTERM."""
    over = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with running(settings) as uri:
        print(f"Arrow Flight SQL at {uri}, tables of {settings.warehouse}. Ctrl-C ends it.", flush=True)
        if settings.tls_certificate is None and not _is_of_this_machine(settings.host):
            print("Without --tls-certificate and --tls-key the token can be read on its way.", file=sys.stderr)
        over.wait()


def _token(settings: Settings, environment: Mapping[str, str]) -> str | None:
    """The token; None without one. Raises ServerStartError for an empty token file: everybody would be let in."""
    if settings.token_file is None:
        return environment.get(TOKEN) or None
    text = _read(settings, settings.token_file).decode(errors="replace").strip()
    if not text:
        raise ServerStartError(place=settings.host, reason=f"the token file {settings.token_file} is empty")
    return text


def _read(settings: Settings, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = f"the file {path} cannot be read: {error.strerror}"
        raise ServerStartError(place=f"{settings.host}:{settings.port}", reason=reason) from None


def _is_of_this_machine(host: str) -> bool:
    """Whether a host is a loopback address; false for names other than localhost, which are not resolved."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
