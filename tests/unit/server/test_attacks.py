"""Clients that mean no good: each gets an error, and the others notice nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from deltasql.base.errors import HandleNotFoundError
from deltasql.clients.server.clients import MOST_PREPARED, Client, Clients
from deltasql.clients.server.flight import TOKEN, Settings, running
from deltasql.clients.server.messages import packed, unpacked
from deltasql.clients.server.statements import RowsAtHand

Bearer = tuple[bytes, bytes]


@pytest.fixture
def uri(tmp_path: Path) -> Iterator[str]:
    with running(Settings(str(tmp_path / "warehouse"), port=0), {TOKEN: "secret"}) as place:
        yield place


class Caller:
    """A client with a session of its own, unless it is given what it sends to authenticate."""

    def __init__(self, uri: str, *headers: Bearer, password: str | None = None) -> None:
        self.client = fl.connect(uri)
        self.bearer = (self.client.authenticate_basic_token("any", password),) if password is not None else headers
        self.options = fl.FlightCallOptions(headers=list(self.bearer), timeout=300)

    def info(self, command: bytes) -> Any:
        return self.client.get_flight_info(fl.FlightDescriptor.for_command(command), self.options)

    def ticket(self, sql: str) -> Any:
        return self.info(packed("CommandStatementQuery", query=sql)).endpoints[0].ticket

    def rows(self, ticket: Any) -> int:
        return int(self.client.do_get(ticket, self.options).read_all().num_rows)

    def act(self, kind: str, body: bytes) -> list[bytes]:
        return [item.body.to_pybytes() for item in self.client.do_action(fl.Action(kind, body), self.options)]

    def prepared(self, sql: str) -> bytes:
        (made,) = self.act("CreatePreparedStatement", packed("ActionCreatePreparedStatementRequest", query=sql))
        return bytes(unpacked(made)[1].prepared_statement_handle)


@pytest.fixture
def honest(uri: str) -> Iterator[Caller]:
    """A client that is served before the test and after it."""
    caller = Caller(uri, password="secret")
    waiting = caller.ticket("SHOW SCHEMAS")
    yield caller
    assert caller.rows(waiting) == 1
    assert caller.rows(caller.ticket("SHOW SCHEMAS")) == 1


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ((b"authorization", b"Bearer wrong"),),
        ((b"authorization", b"Bearer "),),
        ((b"authorization", b"Basic !!!"),),
        ((b"authorization", b"Bearer deltasql-" + b"A" * 43),),
        ((b"cookie", b"deltasql-session=deltasql-guessed"),),
        ((b"cookie", b"deltasql-session=secret"),),
    ],
)
def test_without_the_token_no_call_is_served(uri: str, honest: Caller, headers: tuple[Bearer, ...]) -> None:
    stranger = Caller(uri, *headers)
    calls: list[Any] = [
        lambda: stranger.ticket("SHOW SCHEMAS"),
        lambda: stranger.rows(honest.ticket("SHOW SCHEMAS")),
        lambda: stranger.act("CloseSession", b""),
        lambda: list(stranger.client.list_actions(stranger.options)),
        lambda: list(stranger.client.list_flights(options=stranger.options)),
    ]
    for call in calls:
        with pytest.raises(fl.FlightUnauthenticatedError):
            call()


def test_handles_of_others_and_guessed_ones_are_refused(uri: str, honest: Caller) -> None:
    """Neither one that keeps its session nor one that has a new one with each call comes to another's rows."""
    ticket, handle = honest.ticket("SHOW SCHEMAS"), honest.prepared("SHOW SCHEMAS")
    for other in (Caller(uri, password="secret"), Caller(uri, (b"authorization", b"Bearer secret"))):
        for guessed in (ticket, fl.Ticket(packed("TicketStatementQuery", statement_handle=bytes(16)))):
            with pytest.raises(pa.ArrowKeyError, match="INVALID_HANDLE"):
                other.rows(guessed)
        with pytest.raises(pa.ArrowKeyError, match="INVALID_HANDLE"):
            other.info(packed("CommandPreparedStatementQuery", prepared_statement_handle=handle))
        other.act(
            "ClosePreparedStatement", packed("ActionClosePreparedStatementRequest", prepared_statement_handle=handle)
        )
    assert honest.rows(ticket) == 1
    command = packed("CommandPreparedStatementQuery", prepared_statement_handle=handle)
    assert honest.rows(honest.info(command).endpoints[0].ticket) == 1


@pytest.mark.parametrize("body", [b"", b"\xff" * 50, b"\x0a\x04abcd", packed("ActionCancelQueryRequest", info=b"?")])
@pytest.mark.parametrize(
    "action", ["CancelQuery", "CancelFlightInfo", "CreatePreparedStatement", "SetSessionOptions", "no such"]
)
def test_bytes_that_are_no_message(
    honest: Caller, capsys: pytest.CaptureFixture[str], action: str, body: bytes
) -> None:
    told = ""
    try:
        honest.act(action, body)
    except (pa.ArrowException, fl.FlightError) as error:
        told = str(error)
    assert "Traceback" not in told
    assert ".py" not in told
    # It is no fault of the server that somebody could fill its log with.
    assert capsys.readouterr().err == ""


def test_a_descriptor_without_a_command(honest: Caller) -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="FLIGHT_SQL_NOT_SUPPORTED"):
        honest.client.get_flight_info(fl.FlightDescriptor.for_path("a", "b"), honest.options)


def test_a_statement_of_many_megabytes(honest: Caller) -> None:
    with pytest.raises(fl.FlightServerError, match="FLIGHT_SQL_TOO_MANY_BYTES"):
        honest.ticket("SELECT '" + "x" * (20 << 20) + "'")
    with pytest.raises(fl.FlightServerError, match="FLIGHT_SQL_TOO_MANY_BYTES"):
        honest.prepared("SELECT '" + "x" * (20 << 20) + "'")


def test_many_clients(uri: str, honest: Caller) -> None:
    """More than the server remembers, at once; none of them shows its session again."""
    refused: list[Exception] = []

    def come() -> None:
        try:
            for _ in range(30):
                Caller(uri, (b"authorization", b"Bearer secret")).ticket("SHOW SCHEMAS")
        except (pa.ArrowException, fl.FlightError) as error:
            refused.append(error)

    crowd = [threading.Thread(target=come) for _ in range(10)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert refused == []


def test_clients_that_stop_reading(uri: str, honest: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = RowsAtHand(pa.table({"text": ["x" * 1000] * 20_000}))
    with monkeypatch.context() as patched:
        patched.setattr("deltasql.clients.server.flight.rows_of", lambda session, sql: rows)
        sleepers = [Caller(uri, password="secret") for _ in range(8)]
        streams = [one.client.do_get(one.ticket("SELECT …"), one.options) for one in sleepers]
    for stream in streams:
        assert stream.read_chunk().data.num_rows > 0
    for _ in range(3):
        assert honest.rows(honest.ticket("SHOW SCHEMAS")) == 1
    for stream in streams:
        stream.cancel()


def _clients(most: int) -> Clients[Client]:
    made: Any = object
    return Clients(made, idle=1e9, most=most)


def test_who_comes_once_drives_nobody_out() -> None:
    clients = _clients(3)
    kept = clients.begin()
    assert clients.client(kept.id) is kept
    for _ in range(10):
        clients.begin()
    assert len(clients) == 3
    assert clients.client(kept.id) is kept


def test_prepared_statements_that_nobody_closes_make_room() -> None:
    client = Client(object)  # type: ignore[arg-type]
    handles = [client.prepare("SELECT 1", {}) for _ in range(MOST_PREPARED + 1)]
    with pytest.raises(HandleNotFoundError):
        client.prepared(handles[0])
    assert client.prepared(handles[-1]).sql == "SELECT 1"


def test_work_is_stopped_by_its_own_client_alone() -> None:
    clients = _clients(9)
    worker, other = clients.begin(), clients.begin()
    clients.client(worker.id)
    handle = worker.store_rows(RowsAtHand(pa.table({})))
    with clients.working(worker, handle) as closed:
        clients.close(handle, other)
        assert not closed.is_set()
        assert worker.owns(handle)
        clients.close(handle, worker)
        assert closed.is_set()
