"""Queries of an ADBC client, through a server of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pytest

from deltasql import Session
from deltasql.clients.server.flight import Settings, running

pytestmark = pytest.mark.spark

LONG = "SELECT count(*) FROM range(1000000000000) WHERE id % 7 = 3 AND hash(id) = 5"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Any]:
    with (
        running(Settings(str(tmp_path / "warehouse"), port=0), {}) as uri,
        adbc.connect(uri, autocommit=True) as connected,
    ):
        yield connected


def fetched(connection: Any, sql: str, values: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def test_queries(connection: Any) -> None:
    fetched(connection, "CREATE TABLE t (a INT, s STRUCT<x: ARRAY<INT>>, v VARIANT, at TIMESTAMP)")
    fetched(
        connection,
        "INSERT INTO t SELECT 1, struct(array(1, 2)), parse_json('{\"k\": 1}'), TIMESTAMP '2024-01-01 00:00:00Z'",
    )
    assert fetched(connection, "SELECT a, s, v FROM t WHERE a = ?", (1,)) == [(1, {"x": [1, 2]}, '{"k":1}')]
    assert fetched(connection, "SELECT a FROM t WHERE a = ?", (2,)) == []
    assert fetched(connection, "SELECT year(at) AS y FROM t") == [(2024,)]
    fetched(connection, "CREATE TEMPORARY VIEW mine AS SELECT a + 1 AS b FROM t")
    assert fetched(connection, "SELECT b FROM mine") == [(2,)]
    with pytest.raises(adbc_driver_manager.Error, match=r"UNRESOLVED_COLUMN(.|\n)*\^\^\^\^"):
        fetched(connection, "SELECT nope FROM t")
    with pytest.raises(adbc_driver_manager.Error, match="DIVIDE_BY_ZERO"):
        fetched(connection, "SELECT 1 / 0 FROM t")
    # More than one message takes, in batches.
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, repeat('x', 200) AS s FROM range(100000)")
        batches = list(cursor.fetch_record_batch())
    assert len(batches) > 1
    assert sum(batch.num_rows for batch in batches) == 100_000


def test_a_query_that_is_cancelled_stops(connection: Any, session: Session) -> None:
    jobs = session.sql("SELECT 1").df.sparkSession.sparkContext.statusTracker()
    ended: list[str] = []
    with connection.cursor() as cursor:

        def run() -> None:
            try:
                # It runs when its rows are wanted.
                cursor.execute(LONG)
                cursor.fetchall()
            except adbc_driver_manager.Error as error:
                ended.append(str(error))

        query = threading.Thread(target=run)
        query.start()
        while not jobs.getActiveJobsIds():
            assert query.is_alive()
        cursor.adbc_cancel()
        query.join()
    assert "CANCELLED" in ended[0]
    while jobs.getActiveJobsIds():
        pass
    assert fetched(connection, "SELECT 2") == [(2,)]
