"""Who may come in, how long sessions last, and what the command refuses."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pytest

import deltasql
from deltasql.base.errors import HandleNotFoundError, ServerNeedsTokenError, ServerStartError, SessionGoneError
from deltasql.clients import cli
from deltasql.clients.server.clients import MOST_WAITING, Client, Clients
from deltasql.clients.server.flight import TOKEN, Settings, running
from deltasql.clients.server.statements import RowsAtHand

HEADER = "adbc.flight.sql.authorization_header"


class Closing:
    """A session of which only its end matters."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def clients(**limits: Any) -> Clients[Client]:
    made: Any = Closing
    return Clients(made, **{"idle": 1e9, "most": 100, **limits})


@pytest.mark.parametrize(
    ("given", "enters"),
    [
        ({}, False),
        ({"username": "anybody", "password": "wrong"}, False),
        ({"username": "secret", "password": ""}, False),
        ({HEADER: "Bearer wrong"}, False),
        ({HEADER: "Bearer deltasql-made-up"}, False),
        ({"username": "anybody", "password": "sécret"}, True),
    ],
)
def test_the_token_lets_in(tmp_path: Path, given: dict[str, str], enters: bool) -> None:
    with running(Settings(str(tmp_path), port=0), {TOKEN: "sécret"}) as uri:
        assert _enters(uri, given) == enters


def test_a_bearer_token_lets_in_and_the_session_holds(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")
    with running(Settings(str(tmp_path / "w"), port=0, token_file=str(file)), {}) as uri:
        assert _enters(uri, {HEADER: "Bearer secret"})
        given = {HEADER: "Bearer secret"}
        with adbc.connect(uri, db_kwargs=given, autocommit=True) as connection, connection.cursor() as cursor:
            for sql in ("CREATE SCHEMA s", "USE s", "SHOW CURRENT SCHEMA"):
                cursor.execute(sql)
            assert cursor.fetchall() == [("spark_catalog", "s")]


def _enters(uri: str, given: dict[str, str]) -> bool:
    try:
        with adbc.connect(uri, db_kwargs=given, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW SCHEMAS")
            return bool(cursor.fetchall())
    except adbc_driver_manager.ProgrammingError as error:
        if "UNAUTHENTICATED" not in str(error):
            raise
        return False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "some.name"])
def test_other_machines_need_a_token(host: str, tmp_path: Path) -> None:
    with pytest.raises(ServerNeedsTokenError, match=TOKEN), running(Settings(str(tmp_path), host), {}):
        pass


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_text(" \n")
    for settings, told in [
        (Settings(str(tmp_path), token_file=str(tmp_path / "none")), "cannot be read: No such file"),
        (Settings(str(tmp_path), token_file=str(empty)), "is empty"),
        (
            Settings(str(tmp_path), tls_certificate=str(empty), tls_key=str(tmp_path / "none")),
            "none cannot be read",
        ),
    ]:
        with pytest.raises(ServerStartError, match=told), running(settings, {}):
            pass


def test_a_port_that_is_taken_says_so(tmp_path: Path) -> None:
    with running(Settings(str(tmp_path), port=0), {}) as uri:
        taken = Settings(str(tmp_path), port=int(uri.rpartition(":")[2]))
        with pytest.raises(ServerStartError), running(taken, {}):
            pass


def test_the_command_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deltasql", "serve", "--port", "0"]
    # Without --warehouse it is a folder of the working directory.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        uri = server.stdout.readline().split()[4].rstrip(",")
        assert _enters(uri, {})
        assert (tmp_path / "warehouse").exists()
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 0


def test_sessions_begin_with_the_settings_that_they_are_given(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path), port=0, conf={"deltasql.retry.maxAttempts": "7"})
    with (
        running(settings, {}) as uri,
        adbc.connect(uri, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SET deltasql.retry.maxAttempts")
        assert cursor.fetchall() == [("deltasql.retry.maxAttempts", "7")]


def test_the_command_refuses_the_open_without_a_token(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert cli.main(["serve", "--host", "0.0.0.0"]) == cli.USAGE
    assert "[SERVER_NEEDS_TOKEN]" in capsys.readouterr().err


def test_sessions_end_when_they_are_idle() -> None:
    all_of_them = clients(idle=-1)
    first = all_of_them.begin()
    session: Any = first.session
    busy = all_of_them.begin()
    with all_of_them.call(busy):
        all_of_them.begin()
        assert session.closed
        assert all_of_them.client(busy.id) is busy
    with pytest.raises(SessionGoneError):
        all_of_them.client(first.id)
    assert all_of_them.client("some other token") is None


def test_the_one_that_waited_longest_makes_room() -> None:
    all_of_them = clients(most=2)
    first, second = all_of_them.begin(), all_of_them.begin()
    with all_of_them.call(first):
        pass
    third = all_of_them.begin()
    assert len(all_of_them) == 2
    assert all_of_them.client(first.id) is first
    assert all_of_them.client(third.id) is third
    with pytest.raises(SessionGoneError):
        all_of_them.client(second.id)


def test_results_that_nobody_fetches_make_room() -> None:
    client = clients().begin()
    rows = [RowsAtHand(pa.table({"number": [number]})) for number in range(MOST_WAITING + 1)]
    handles = [client.store_rows(item) for item in rows]
    with pytest.raises(HandleNotFoundError):
        client.fetch(handles[0])
    assert client.fetch(handles[-1]).rows is rows[-1]


def test_sessions_start_in_a_catalog(tmp_path: Path) -> None:
    place = str(tmp_path / "warehouse")
    with deltasql.connect(place) as session:
        session.sql("CREATE CATALOG main")
    settings = Settings(place, port=0, catalogs=("main", {}))
    with running(settings, {}) as uri, adbc.connect(uri, autocommit=True) as client, client.cursor() as cursor:
        cursor.execute("SHOW CURRENT SCHEMA")
        assert cursor.fetchall() == [("main", "default")]
