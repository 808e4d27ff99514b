"""The clients of a server: a session for each, with its prepared statements and unfetched results."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from deltasql.base import errors, pa
from deltasql.schema import DataType
from deltasql.session import Session

ID_MARK = "deltasql-"
"""Prefix of client ids; other tokens and cookies are ignored."""
MOST_WAITING = 16
"""Most unfetched results of a client; beyond, the oldest is discarded."""
MOST_PREPARED = 500
"""Most prepared statements of a client; beyond, the oldest is discarded."""


class ClientRows(Protocol):
    """Rows that a client can fetch, with their schema; a query may run only when `table` is called."""

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def count(self) -> int:
        """The number of rows; -1 if unknown."""

    @property
    def time_zone(self) -> str:
        """The time zone of the session ("": the machine's)."""

    def table(self) -> pa.Table: ...


@dataclass(slots=True)
class Prepared:
    """A prepared statement. `rows` are the last bound sets of parameter values: by name, or in order.

    `types` are the types of the columns that parameters are compared with or assigned to, by name or number.
    """

    sql: str
    types: Mapping[str, DataType] = field(default_factory=dict)
    rows: list[Mapping[str, Any] | Sequence[Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Unfetched rows, and the handle of their prepared statement, or b""."""

    rows: ClientRows
    statement: bytes


class Client:
    """One client; its session is opened on first use. `last_used` is in seconds of the monotonic clock.

    `keeps_zones`: it can read times with a zone. `has_returned`: it has sent its id in a later call.
    """

    def __init__(self, connect: Callable[[], Session], keeps_zones: bool = True) -> None:
        self.keeps_zones = keeps_zones
        self.id = ID_MARK + secrets.token_urlsafe(32)
        self.last_used = time.monotonic()
        self.calls = 0
        self.has_returned = False
        self._connect = connect
        self._session: Session | None = None
        self._prepared: dict[bytes, Prepared] = {}
        self._waiting: dict[bytes, Waiting] = {}
        self._lock = threading.Lock()

    @property
    def session(self) -> Session:
        with self._lock:
            if self._session is None:
                self._session = self._connect()
            return self._session

    def close(self) -> None:
        """Closes the session, which rolls back uncommitted changes."""
        with self._lock:
            self._prepared.clear()
            self._waiting.clear()
        if self._session is not None:
            self._session.close()

    def store_rows(self, rows: ClientRows, statement: bytes = b"") -> bytes:
        """Stores rows; returns a handle to fetch them once. `statement` is the handle of their prepared statement."""
        handle = secrets.token_bytes(16)
        with self._lock:
            self._waiting[handle] = Waiting(rows, statement)
            while len(self._waiting) > MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
        return handle

    def fetch(self, handle: bytes) -> Waiting:
        """Removes and returns unfetched rows. Raises HandleNotFoundError."""
        with self._lock:
            waiting = self._waiting.pop(handle, None)
        if waiting is None:
            raise errors.HandleNotFoundError(what="result")
        return waiting

    def prepare(self, sql: str, types: Mapping[str, DataType]) -> bytes:
        """Stores a prepared statement; returns its handle."""
        handle = secrets.token_bytes(16)
        with self._lock:
            self._prepared[handle] = Prepared(sql, types)
            while len(self._prepared) > MOST_PREPARED:
                del self._prepared[next(iter(self._prepared))]
        return handle

    def prepared(self, handle: bytes) -> Prepared:
        """The prepared statement of a handle. Raises HandleNotFoundError."""
        with self._lock:
            statement = self._prepared.get(handle)
        if statement is None:
            raise errors.HandleNotFoundError(what="prepared statement")
        return statement

    def forget(self, handle: bytes) -> None:
        """Closes a prepared statement with its results, or a result; an unknown handle is ignored."""
        with self._lock:
            self._prepared.pop(handle, None)
            self._waiting.pop(handle, None)
            for key in [key for key, item in self._waiting.items() if item.statement == handle]:
                del self._waiting[key]

    def owns(self, handle: bytes) -> bool:
        return handle in self._prepared or handle in self._waiting


_Client = TypeVar("_Client", bound=Client)


class Clients(Generic[_Client]):
    """All clients of a server, which `make` creates. Those idle for `idle` seconds are closed when a new one begins.

    If there are `most`, the one idle longest is closed as well. Clients with a running call stay.
    """

    def __init__(
        self,
        connect: Callable[[], Session],
        *,
        idle: float,
        most: int,
        make: Callable[[Callable[[], Session], bool], _Client] = Client,  # type: ignore[assignment]
    ) -> None:
        self._connect, self._idle, self._most, self._make = connect, idle, most, make
        self._clients: dict[str, _Client] = {}
        self._working: dict[bytes, list[tuple[_Client, threading.Event]]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._clients)

    def begin(self, keeps_zones: bool = True) -> _Client:
        """Adds a new client, and closes outdated ones."""
        client = self._make(self._connect, keeps_zones)
        with self._lock:
            gone = self._outdated()
            self._clients[client.id] = client
        for other in gone:
            other.close()
        return client

    def client(self, client_id: str) -> _Client | None:
        """The client with this id; None for a text that is no client id. Raises SessionGoneError for an unknown id."""
        if not client_id.startswith(ID_MARK):
            return None
        with self._lock:
            client = self._clients.get(client_id)
        if client is None:
            raise errors.SessionGoneError
        client.has_returned = True
        return client

    def holder(self, handle: bytes, asking: _Client) -> _Client:
        """The client that owns a handle: usually `asking`.

        A program that does not return its id is a new client with each call, so such clients share their handles.
        Handles of a client that returns its id are never shared.
        """
        if asking.has_returned or asking.owns(handle):
            return asking
        with self._lock:
            strangers = (client for client in self._clients.values() if not client.has_returned)
            return next((client for client in strangers if client.owns(handle)), asking)

    def close(self, handle: bytes, asking: _Client) -> None:
        """Closes a prepared statement or a result, and stops the statement that runs for it."""
        self.holder(handle, asking).forget(handle)
        with self._lock:
            for worker, closed in self._working.get(handle, ()):
                if worker is asking or not (worker.has_returned or asking.has_returned):
                    closed.set()

    @contextmanager
    def working(self, client: _Client, *handles: bytes) -> Iterator[threading.Event]:
        """Context: a client works on prepared statements and results. The event is set once one of them is closed."""
        closed = threading.Event()
        with self._lock:
            for handle in handles:
                self._working.setdefault(handle, []).append((client, closed))
        try:
            yield closed
        finally:
            with self._lock:
                for handle in handles:
                    self._working[handle].remove((client, closed))
                    if not self._working[handle]:
                        del self._working[handle]

    @contextmanager
    def call(self, client: _Client) -> Iterator[None]:
        """Context: a call of a client, whose session is not closed as idle."""
        with self._lock:
            client.calls += 1
        try:
            yield
        finally:
            with self._lock:
                client.calls -= 1
                client.last_used = time.monotonic()

    def end(self, client: _Client) -> None:
        with self._lock:
            self._clients.pop(client.id, None)
        client.close()

    def all(self) -> list[_Client]:
        with self._lock:
            return list(self._clients.values())

    def end_all(self) -> None:
        for client in self.all():
            self.end(client)

    def _outdated(self) -> list[_Client]:
        """Removes and returns clients to close: idle ones, and above the limit first those that have never returned."""
        idle = (item for item in self._clients.values() if not item.calls)
        oldest = sorted(idle, key=lambda item: (item.has_returned, item.last_used))
        over = len(self._clients) - self._most + 1
        before = time.monotonic() - self._idle
        gone = [item for number, item in enumerate(oldest) if number < over or item.last_used < before]
        for item in gone:
            del self._clients[item.id]
        return gone
