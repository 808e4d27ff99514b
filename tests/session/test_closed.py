"""A session that was closed says so; threads that share one wait for each other."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors import SessionClosedError


def test_a_closed_session_runs_nothing(tmp_path: Path) -> None:
    with connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (id INT)")
    for use in (
        lambda: session.sql("SHOW TABLES"),
        lambda: session.begin("DROP TABLE t"),
        lambda: session.table("t"),
        lambda: session.log("t"),
        lambda: session.readStream.table("t"),
    ):
        with pytest.raises(SessionClosedError) as caught:
            use()
        assert (caught.value.condition, caught.value.sqlstate) == ("INVALID_HANDLE.SESSION_CLOSED", "HY000")
    session.close()
    with connect(str(tmp_path)) as other:
        assert [row.tableName for row in other.sql("SHOW TABLES")] == ["t"]


@pytest.mark.spark
def test_its_temporary_functions_are_not_those_of_the_next(tmp_path: Path) -> None:
    with connect(str(tmp_path)) as first:
        first.sql("CREATE TEMPORARY FUNCTION `my one`(x INT) RETURNS INT RETURN x + 1")
        assert first.sql("SELECT `my one`(1) AS n").collect() == [(2,)]
    with connect(str(tmp_path)) as second:
        assert second.sql("SHOW USER FUNCTIONS").collect() == []


@pytest.mark.spark
def test_its_variables_are_not_those_of_the_next(tmp_path: Path) -> None:
    for _ in range(2):
        with connect(str(tmp_path)) as session:
            session.sql("DECLARE VARIABLE `the most`, least INT DEFAULT 1")
            session.sql("declare least_of_all = 2; -- a comment")
            assert session.sql("SELECT `the most` + least + session.least_of_all AS n").collect() == [(4,)]


def test_threads_that_share_a_session_wait_for_each_other(tmp_path: Path) -> None:
    with connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (id INT)")
        failed = insert_at_once(session, writers=6, times=5)
        assert failed == []
        assert session.sql("DESCRIBE HISTORY t").collect()[0].version == 30


def insert_at_once(session: Session, writers: int, times: int) -> list[Exception]:
    failed: list[Exception] = []

    def insert(number: int) -> None:
        try:
            for row in range(times):
                session.sql("INSERT INTO t VALUES (:id)", {"id": number * times + row})
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=insert, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed
