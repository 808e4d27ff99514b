"""Requests to a Unity Catalog that are lost, late, or answered twice; a server that is away; races of processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import CatalogAccessError, CatalogRequestError, CatalogUnavailableError, TableNotFoundError
from tests.unity.conftest import TOKEN, rows
from tests.unity.server import UnityServer
from tests.unity.state import Answer, Catalogs

Connect = Callable[..., deltasql.Session]
ROOT = Path(__file__).parents[2]
STATEMENTS = ("SELECT * FROM main.sales.t", "SHOW TABLES IN main.sales", "SHOW SCHEMAS IN main")

WRITER = """
import sys
import deltasql
from deltasql.base.errors import ConcurrentModificationError

warehouse, uri, token, number, commits = sys.argv[1:]
main = {"type": "unity", "uri": uri, "token": token}
with deltasql.connect(warehouse, catalogs={"main": main}) as session:
    session.sql("SET deltasql.retry.maxAttempts = 1000")
    done = 0
    while done < int(commits):
        try:
            session.sql(f"INSERT INTO main.sales.t VALUES ({number}, {done})")
        except ConcurrentModificationError:
            continue
        done += 1
"""


def all_of_it(session: deltasql.Session, folder: Path) -> list[tuple[object, ...]]:
    """Every kind of request, and the rows at the end."""
    session.sql("CREATE SCHEMA main.north COMMENT 'x'")
    session.sql("COMMENT ON SCHEMA main.north IS 'y'")
    session.sql("CREATE TABLE main.north.t (id INT)")
    session.sql("INSERT INTO main.north.t VALUES (1)")
    session.sql("ALTER TABLE main.north.t ADD COLUMN note STRING")
    session.sql("INSERT INTO main.north.t VALUES (2, 'b')")
    session.sql("ALTER TABLE main.north.t RENAME TO main.north.u")
    session.sql(f"CREATE TABLE main.north.e USING delta LOCATION '{folder}/e' AS SELECT id FROM main.north.u")
    found = rows(session, "SELECT u.id, u.note FROM main.north.u JOIN main.north.e USING (id) ORDER BY id")
    assert [row[1] for row in rows(session, "SHOW TABLES IN main.north")] == ["e", "u"]
    session.sql("DROP TABLE main.north.e")
    session.sql("DROP SCHEMA main.north CASCADE")
    return found


@pytest.mark.parametrize("fault", ["lost", "twice"])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_every_request_is_lost_once_or_arrives_twice(
    session: deltasql.Session, server: UnityServer, catalogs: Catalogs, tmp_path: Path, fault: str, method: str
) -> None:
    if (fault, method) in {("twice", "DELETE"), ("twice", "POST")}:
        pytest.skip("a second creation or removal is refused, and only that answer arrives: it is one that was lost")
    setattr(server.faults, fault, method)
    assert all_of_it(session, tmp_path) == [(1, None), (2, "b")]
    assert catalogs.tables == {}


def test_a_commit_that_arrives_twice(session: deltasql.Session, server: UnityServer, catalogs: Catalogs) -> None:
    session.sql("CREATE TABLE main.sales.t (id INT)")
    server.faults.twice = "POST /delta/v1/catalogs/main/schemas/sales/tables/t"
    session.sql("INSERT INTO main.sales.t VALUES (1)")
    session.sql("INSERT INTO main.sales.t VALUES (2)")
    (table,) = catalogs.managed.values()
    assert (table.latest, table.published, table.conflicts) == (2, 2, 0)
    assert rows(session, "SELECT count(*) FROM main.sales.t") == [(2,)]


def test_late_answers(connect: Connect, server: UnityServer, tmp_path: Path) -> None:
    server.faults.late = 0.15
    assert all_of_it(connect(), tmp_path) == [(1, None), (2, "b")]


def test_answers_that_come_when_nobody_waits_any_more(
    connect: Connect, server: UnityServer, catalogs: Catalogs
) -> None:
    connect().sql("CREATE TABLE main.sales.t (id INT)")
    (table,) = catalogs.managed.values()
    session = connect(timeout=1.2)
    rows(session, "SELECT * FROM main.sales.t")
    server.faults.late = 0.7
    with pytest.raises(CatalogUnavailableError):
        session.sql("INSERT INTO main.sales.t VALUES (1)")
    server.faults.late = 0.0
    time.sleep(1)
    assert rows(connect(), "SELECT count(*) FROM main.sales.t") == [(table.latest,)]


def test_a_busy_server_is_asked_again(session: deltasql.Session, server: UnityServer) -> None:
    server.faults.busy = 2
    assert ("sales",) in rows(session, "SHOW SCHEMAS IN main")
    assert len(server.requests) == 3


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_server_that_is_away_or_deaf(connect: Connect, server: UnityServer, statement: str) -> None:
    away = connect(uri="http://127.0.0.1:9", timeout=1)
    server.faults.deaf = True
    for session in (away, connect(timeout=1)):
        began = time.monotonic()
        with pytest.raises(CatalogUnavailableError, match="main"):
            session.sql(statement)
        assert time.monotonic() - began < 30
        session.sql("CREATE OR REPLACE TABLE here (id INT)")
        assert ("main",) in rows(session, "SHOW CATALOGS")


def test_a_wrong_token(connect: Connect, server: UnityServer) -> None:
    for token in ("another-token-of-the-test", None):
        with pytest.raises(CatalogAccessError, match="the token is not valid") as refused:
            connect(token=token).sql("SHOW SCHEMAS IN main")
        assert str(token) not in str(refused.value)


@pytest.mark.parametrize(
    "body", ["<html>", "[1]", '{"tables": [{"name": "t", "storage_location": "x"}]}', '{"metadata": {}}']
)
@pytest.mark.parametrize("statement", STATEMENTS[:2])
def test_answers_of_another_kind(
    connect: Connect, catalogs: Catalogs, monkeypatch: pytest.MonkeyPatch, body: str, statement: str
) -> None:
    session = connect()
    rows(session, "SHOW SCHEMAS IN main")
    with pytest.raises(TableNotFoundError):
        session.sql("SELECT * FROM main.sales.nothing")
    monkeypatch.setattr(catalogs, "answer", lambda *_: Answer(200, body))
    if body == '{"metadata": {}}' and statement.startswith("SHOW"):
        pytest.skip("a listing without tables")
    with pytest.raises(CatalogRequestError, match="main"):
        session.sql(statement)


def test_no_redirect_is_followed(connect: Connect, catalogs: Catalogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogs, "answer", lambda *_: Answer(302, {}))
    with pytest.raises(CatalogRequestError, match="status 302"):
        connect().sql("SHOW SCHEMAS IN main")


def test_eight_processes_with_25_commits_each(
    session: deltasql.Session, server: UnityServer, catalogs: Catalogs, tmp_path: Path
) -> None:
    session.sql("CREATE TABLE main.sales.t (writer INT, number INT)")
    (table,) = catalogs.managed.values()
    processes, commits = 8, 25
    arguments = [str(tmp_path / "warehouse"), server.uri, TOKEN]
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, *arguments, str(number), str(commits)], cwd=ROOT)
        for number in range(processes)
    ]
    assert [process.wait(300) for process in started] == [0] * processes
    assert table.latest == processes * commits
    found = rows(session, "SELECT writer, number FROM main.sales.t ORDER BY writer, number")
    assert found == [(writer, number) for writer in range(processes) for number in range(commits)]
    assert [row[0] for row in rows(session, "DESCRIBE HISTORY main.sales.t")] == list(
        range(processes * commits, -1, -1)
    )
    assert table.published == table.latest
