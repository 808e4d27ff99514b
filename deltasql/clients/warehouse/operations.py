"""Statements that a warehouse runs for its clients: each in a thread, with a state, a result to fetch, and its end.

Statements of one session run one after another, those of different sessions side by side. Rows above `SPILLED_BYTES`
wait in a temporary file, which has no name any more: nothing is left behind, whatever ends the process.
"""

from __future__ import annotations

import contextvars
import os
import secrets
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pyarrow as pa

from deltasql.base import cancellable, errors
from deltasql.clients.dbapi.cursor import Connection
from deltasql.clients.server.clients import ID_MARK, Client, Clients
from deltasql.clients.server.statements import rows_in_arrow
from deltasql.files import Result
from deltasql.schema import StructType
from deltasql.session import Session

SPILLED_BYTES = 16 << 20
"""Bytes of a result from which on it waits in a file."""
MOST_STATEMENTS = 1000
"""Most unclosed statements of a session; beyond, the oldest that has ended is closed."""
_SENT_STATEMENTS = 8
"""Most statements of a session that are kept although they are closed: clients of Java ask for one once more."""
_AFFECTED = "num_affected_rows"
_LOCK_POLL = 0.05
"""Seconds between two looks at whether a statement that waits for its session was cancelled."""


class State(Enum):
    """State of a statement."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    FINISHED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"
    TIMED_OUT = "TIMED_OUT"
    CLOSED = "CLOSED"

    @property
    def is_over(self) -> bool:
        return self not in {State.PENDING, State.RUNNING}


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a statement: their columns in SQL types, and an Arrow table, which may be in a mapped file.

    `changed` is the number of rows that the statement has changed; None for one that does not count them.
    `is_staging` is true for the single row that tells a client how to move a file.
    """

    columns: StructType
    table: pa.Table
    time_zone: str = ""
    changed: int | None = None
    is_staging: bool = False
    is_truncated: bool = False

    @classmethod
    def of(cls, result: Result, limit: int | None = None) -> Rows:
        """The rows of a result, of which at most `limit` are kept."""
        table = rows_in_arrow(result)
        changed = table.column(0)[0].as_py() if counts_rows(result) and table.num_rows else None
        is_truncated = limit is not None and table.num_rows > limit
        if is_truncated:
            table = table.slice(0, limit)
        return cls(result.schema, _spilled(table), result.time_zone, changed, is_truncated=is_truncated)


def counts_rows(result: Result) -> bool:
    """Whether the only row of a result counts the rows that its statement has changed."""
    return result.columns[:1] == [_AFFECTED] and not result.is_query


def _spilled(table: pa.Table) -> pa.Table:
    """The table, read from a file without a name if it is large."""
    if table.nbytes < SPILLED_BYTES:
        return table
    handle, path = tempfile.mkstemp(prefix="deltasql-result-", suffix=".arrow")
    try:
        with os.fdopen(handle, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 16)
        with pa.memory_map(path) as mapped:
            return pa.ipc.open_file(mapped).read_all()
    finally:
        # The mapping stays readable.
        Path(path).unlink()


def new_id() -> bytes:
    """16 random bytes that are a UUID: clients of JavaScript refuse others."""
    return uuid.uuid4().bytes


class RunningStatement:
    """A statement of a client. `id` and `secret` are 16 bytes each; `rows` are there once it has finished."""

    def __init__(self, sql: str = "") -> None:
        self.id, self.secret = new_id(), secrets.token_bytes(16)
        self.sql = sql
        self.state = State.PENDING
        self.rows: Rows | None = None
        self.error: BaseException | None = None
        self.fetched = 0
        """Number of rows that the client has fetched in order."""
        self.wire: Any = None
        """The form of the rows that its client has asked for."""
        self.is_sent = False
        """Whether its client has all rows, and was answered that the statement is closed."""
        self.began, self.ended = time.time(), 0.0
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._is_cancelled: State | None = None
        self._cancel: Callable[[], None] | None = None
        self._timer: threading.Timer | None = None

    @property
    def hex(self) -> str:
        """The id as clients show it, a UUID."""
        return str(uuid.UUID(bytes=self.id))

    def run(self, work: Callable[[], Rows], turn: threading.Lock, timeout: float | None = None) -> None:
        """Begins `work` in a thread, once `turn` is free. After `timeout` seconds it is cancelled."""
        if timeout:
            self._timer = threading.Timer(timeout, self.cancel, (State.TIMED_OUT,))
            self._timer.daemon = True
            self._timer.start()
        context = contextvars.copy_context()
        run = lambda: context.run(self._run, work, turn)  # noqa: E731
        threading.Thread(target=run, name="deltasql-statement", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Waits at most `seconds` for the end; whether it has ended."""
        return self._over.wait(seconds)

    def cancel(self, state: State = State.CANCELED) -> None:
        """Cancels the statement; ignored after its end."""
        with self._lock:
            if self.state.is_over:
                return
            self._is_cancelled = self._is_cancelled or state
            cancel = self._cancel
        if cancel is not None:
            cancel()

    def close(self) -> None:
        """Stops the statement if it runs, and discards its rows."""
        self.cancel(State.CLOSED)
        with self._lock:
            if self.state.is_over:
                self.state, self.rows = State.CLOSED, None

    def _run(self, work: Callable[[], Rows], turn: threading.Lock) -> None:
        state, rows = State.FAILED, None
        try:
            while not turn.acquire(timeout=_LOCK_POLL):
                if self._is_cancelled:
                    raise KeyboardInterrupt
            try:
                with cancellable() as running:
                    with self._lock:
                        self._cancel, self.state = running.cancel, State.RUNNING
                        if self._is_cancelled:
                            raise KeyboardInterrupt
                    rows = work()
                state = State.FINISHED
            finally:
                turn.release()
        except KeyboardInterrupt as error:
            state = self._is_cancelled or State.CANCELED
            kind = errors.StatementTimeoutError if state is State.TIMED_OUT else errors.StatementCanceledError
            # Its text says what was committed before.
            self.error = kind(f" {error}" if str(error) else "")
        except BaseException as error:
            self.error = error
        with self._lock:
            closed = self._is_cancelled is State.CLOSED
            self.state, self.rows = (State.CLOSED, None) if closed else (state, rows)
            self.ended, self._cancel = time.time(), None
        if self._timer is not None:
            self._timer.cancel()
        self._over.set()


class WarehouseClient(Client):
    """A session of a client with its statements. Its id is 16 bytes, which a protocol may need, and a secret."""

    def __init__(self, connect: Callable[[], Session], keeps_zones: bool = True) -> None:
        super().__init__(connect, keeps_zones)
        self.guid, self.secret = new_id(), secrets.token_bytes(16)
        self.id = client_id(self.guid)
        self.turn = threading.Lock()
        self.is_aborted = False
        """Whether the transaction was ended by a statement that it cannot have, and waits for ROLLBACK."""
        self.timeout: float | None = None
        """Seconds after which statements are cancelled."""
        self.statements: dict[bytes, RunningStatement] = {}
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection:
        """The session with its transactions, as PEP 249 has them."""
        if self._connection is None:
            self._connection = Connection(self.session, owns_session=False)
        return self._connection

    def begin(self, sql: str, work: Callable[[], Rows], timeout: float | None = None) -> RunningStatement:
        """Begins a statement, which `work` runs."""
        statement = RunningStatement(sql)
        for sent in [item for item in list(self.statements.values()) if item.is_sent][:-_SENT_STATEMENTS]:
            self.forget_statement(sent)
        self.statements[statement.id] = statement
        if len(self.statements) > MOST_STATEMENTS:
            ended = next((item for item in list(self.statements.values()) if item.state.is_over), None)
            if ended is not None:
                self.forget_statement(ended)
        statement.run(work, self.turn, timeout or self.timeout)
        return statement

    def forget_statement(self, statement: RunningStatement) -> None:
        self.statements.pop(statement.id, None)
        statement.close()

    def close(self) -> None:
        statements = list(self.statements.values())
        self.statements.clear()
        for statement in statements:
            statement.close()
        # A statement that was stopped still uses the session.
        for statement in statements:
            statement.wait(5)
        super().close()


def client_id(guid: bytes) -> str:
    """The id of a client by the 16 bytes of a handle."""
    return ID_MARK + guid.hex()


class Warehouse:
    """All sessions of a server, and their statements by id."""

    def __init__(self, connect: Callable[[], Session], *, idle: float, most: int) -> None:
        self.clients: Clients[WarehouseClient] = Clients(connect, idle=idle, most=most, make=WarehouseClient)
        self.is_ending = threading.Event()

    def open(self, configure: Callable[[WarehouseClient], None]) -> WarehouseClient:
        """A new session, which `configure` sets up. Raises DeltaSqlError, and ends the session then."""
        client = self.clients.begin()
        try:
            configure(client)
        except BaseException:
            self.clients.end(client)
            raise
        return client

    def client(self, guid: bytes, secret: bytes | None = None) -> WarehouseClient:
        """The session of a handle. Raises SessionGoneError."""
        client = self.clients.client(client_id(guid))
        if client is None or (secret is not None and not secrets.compare_digest(secret, client.secret)):
            raise errors.SessionGoneError
        return client

    @contextmanager
    def call(self, client: WarehouseClient) -> Iterator[WarehouseClient]:
        """Context: a call for a session, which is not closed as idle."""
        with self.clients.call(client):
            yield client

    def statement(self, guid: bytes, secret: bytes | None = None) -> tuple[WarehouseClient, RunningStatement]:
        """A statement by its handle, with its session. Raises HandleNotFoundError."""
        for client in self.clients.all():
            statement = client.statements.get(guid)
            if statement is not None and (secret is None or secrets.compare_digest(secret, statement.secret)):
                return client, statement
        raise errors.HandleNotFoundError(what="statement")

    def end(self) -> None:
        self.is_ending.set()
        self.clients.end_all()
