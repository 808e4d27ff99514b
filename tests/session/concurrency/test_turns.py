"""Threads of one process that change one table: a short statement begins after the commits of the others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.log.commit.transaction import turn
from deltasql.session import session as sessions

MOST_SECONDS = 300
"""More than a busy machine takes; a deadlock takes longer."""


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    with connect(str(tmp_path)) as first, first.another() as second:
        for session in (first, second):
            session.sql("SET deltasql.compute = LOCAL")
        first.sql("CREATE TABLE t (id INT, v INT)")
        first.sql("INSERT INTO t VALUES (1, 0), (2, 0)")
        yield first, second


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once a statement waits for its turn."""
    event = threading.Event()

    def noted(location: str, seconds: float) -> AbstractContextManager[None]:
        event.set()
        return turn(location, seconds)

    monkeypatch.setattr(sessions, "turn", noted)
    return event


def test_a_statement_in_a_race_begins_after_the_winner(pair: tuple[Session, Session], waits: threading.Event) -> None:
    first, second = pair
    with ThreadPoolExecutor(1) as threads:
        with turn(first.log("t").location):
            later = threads.submit(second.sql, "UPDATE t SET v = v + 1 WHERE id = 1")
            assert waits.wait(MOST_SECONDS)
            first.sql("UPDATE t SET v = v + 10 WHERE id = 1")
        assert later.result(MOST_SECONDS).attempts == 1
    assert first.sql("SELECT v FROM t WHERE id = 1").collect() == [(11,)]


def test_statements_that_are_alone_do_not_wait(pair: tuple[Session, Session], waits: threading.Event) -> None:
    first, second = pair
    first.sql("UPDATE t SET v = 1 WHERE id = 1")
    second.sql("UPDATE t SET v = 2 WHERE id = 1")
    assert not waits.is_set()


def test_a_transaction_does_not_wait(pair: tuple[Session, Session], waits: threading.Event) -> None:
    first, second = pair
    second.sql("BEGIN TRANSACTION")
    with turn(first.log("t").location), ThreadPoolExecutor(1) as threads:
        threads.submit(second.sql, "UPDATE t SET v = 1 WHERE id = 1").result(MOST_SECONDS)
    second.sql("COMMIT")
    assert not waits.is_set()


def test_threads_that_share_sessions_do_not_block_each_other(pair: tuple[Session, Session]) -> None:
    def work(number: int) -> None:
        for _ in range(5):
            pair[number % 2].sql("UPDATE t SET v = v + 1 WHERE id = 2")

    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(work, number) for number in range(6)]:
            done.result(MOST_SECONDS)
    assert pair[0].sql("SELECT v FROM t WHERE id = 2").collect() == [(30,)]
