"""Sessions of one process that are open at the same time: settings, variables, views and functions of Spark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.session_settings import COMPUTE

pytestmark = pytest.mark.spark
INVALID = "SELECT CAST('x' AS INT) AS n"
MOMENT = "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING) AS s"


def opened(tmp_path: Path, name: str) -> Session:
    session = connect(str(tmp_path / name))
    session.sql(f"SET {COMPUTE.name} = ENGINE")
    return session


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    with opened(tmp_path, "first") as first, opened(tmp_path, "second") as second:
        yield first, second


def condition(session: Session, sql: str) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql).collect()
    return caught.value.condition


def test_settings_of_spark_hold_for_one_session(both: tuple[Session, Session]) -> None:
    first, second = both
    assert condition(second, INVALID) == "CAST_INVALID_INPUT"
    first.sql("SET spark.sql.ansi.enabled = false")
    first.sql("SET TIME ZONE 'Asia/Tokyo'")
    second.sql("SET TIME ZONE 'America/New_York'")
    assert first.sql(INVALID).collect() == [(None,)]
    assert condition(second, INVALID) == "CAST_INVALID_INPUT"
    assert first.sql(MOMENT).collect() == [("2024-01-01 09:00:00",)]
    assert second.sql(MOMENT).collect() == [("2023-12-31 19:00:00",)]
    second.sql("RESET")
    assert first.sql(MOMENT).collect() == [("2024-01-01 09:00:00",)]


def test_names_in_spark_are_of_one_session(both: tuple[Session, Session], tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n")
    source = f"USING csv OPTIONS (path '{tmp_path / 'rows.csv'}', inferSchema 'true')"
    for number, session in enumerate(both, start=1):
        session.sql(f"DECLARE x INT = {number}")
        session.sql(f"CREATE TEMPORARY FUNCTION f(i INT) RETURNS INT RETURN i + {number * 10}")
        session.sql(f"CREATE TEMPORARY VIEW v AS SELECT {number} AS n")
    both[0].sql(f"CREATE TEMPORARY VIEW w {source}")
    assert [session.sql("SELECT x, f(x), n FROM v").collect() for session in both] == [[(1, 11, 1)], [(2, 22, 2)]]
    assert both[0].sql("SELECT * FROM w").collect() == [(1,)]
    assert condition(both[1], "SELECT * FROM w") == "TABLE_OR_VIEW_NOT_FOUND"


def test_threads_with_a_session_each(tmp_path: Path) -> None:
    """A thread that starts has no active Spark session, which must not set the settings of others anew."""

    def moments(zone: str, expected: str) -> None:
        with opened(tmp_path, zone.replace("/", "-")) as session:
            session.sql(f"SET TIME ZONE '{zone}'")
            session.sql(f"SET spark.sql.ansi.enabled = {str(zone == 'UTC').lower()}")
            session.sql("CREATE TABLE t AS SELECT TIMESTAMP '2024-01-01 00:00:00Z' AS at")
            for _ in range(5):
                assert session.sql("SELECT CAST(at AS STRING) FROM t").collect() == [(expected,)]
                if zone == "UTC":
                    assert condition(session, INVALID) == "CAST_INVALID_INPUT"
                else:
                    assert session.sql(INVALID).collect() == [(None,)]

    zones = {"UTC": "2024-01-01 00:00:00", "Asia/Tokyo": "2024-01-01 09:00:00", "Asia/Kolkata": "2024-01-01 05:30:00"}
    with ThreadPoolExecutor(len(zones)) as threads:
        for done in [threads.submit(moments, *item) for item in zones.items()]:
            done.result()


def test_a_thread_leaves_the_settings_of_a_session_as_they_are(tmp_path: Path) -> None:
    key = "spark.sql.shuffle.partitions"
    with opened(tmp_path, "first") as first:
        first.sql(f"SET {key} = 7")
        first.sql(MOMENT).collect()
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: opened(tmp_path, "second").sql(MOMENT).collect()).result()
        assert first.sql(f"SET {key}").collect() == [(key, "7")]


def test_a_later_session_begins_anew(tmp_path: Path) -> None:
    with opened(tmp_path, "first") as first:
        first.sql("SET spark.sql.ansi.enabled = false")
        first.sql("DECLARE x INT = 1")
        of_first = first.sql("SELECT x").df.sparkSession
    with opened(tmp_path, "second") as second:
        of_second = second.sql(MOMENT).df.sparkSession
        assert of_second is not of_first
        assert of_second.sparkContext is of_first.sparkContext
        assert condition(second, INVALID) == "CAST_INVALID_INPUT"
        assert condition(second, "SELECT x").startswith("UNRESOLVED_COLUMN")


def test_streams_in_both(both: tuple[Session, Session], tmp_path: Path) -> None:
    for number, session in enumerate(both):
        session.sql(f"CREATE TABLE t AS SELECT {number} AS id")
        for target in ("u", "v"):
            writer = session.writeStream(session.readStream.table("t"))
            writer = writer.option("checkpointLocation", str(tmp_path / f"{number}{target}"))
            writer.trigger(availableNow=True).toTable(target).awaitTermination(120)
            assert session.sql(f"SELECT * FROM {target}").collect() == [(number,)]


def test_rows_of_one_session_in_statements_of_another(both: tuple[Session, Session]) -> None:
    first, second = both
    first.sql("CREATE TABLE t AS SELECT 1 AS id, 'a' AS name")
    rows = first.sql("SELECT * FROM t").df
    second.write(rows).saveAsTable("copied")
    second.sql("INSERT INTO copied VALUES (2, 'b')")
    joined = second.sql("SELECT * FROM copied").df.join(rows, "id")
    assert [tuple(row) for row in joined.collect()] == [(1, "a", "a")]
    second.write(first.sql("SELECT 3 AS id, 'c' AS name")).mode("append").saveAsTable("copied")
    assert second.sql("SELECT id FROM copied ORDER BY id").collect() == [(1,), (2,), (3,)]


def test_scripts_with_variables_run_side_by_side(both: tuple[Session, Session], tmp_path: Path) -> None:
    """Only those wait for each other whose sessions were given one Spark session."""
    first, second = both
    script = "BEGIN DECLARE x INT DEFAULT 1; SET x = x + 1; SELECT x; END"
    spark = first.sql(MOMENT).df.sparkSession.newSession()
    locks = []
    for name in ("third", "fourth"):
        with connect(str(tmp_path / name), spark=spark) as given:
            locks.append(given._runtime("").variables_lock())
    assert locks[0] is locks[1]
    with first._runtime("").variables_lock(), ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: second.sql(script).collect()).result(timeout=300) == [(2,)]


def test_an_interrupt_cancels_the_jobs_of_one_session(both: tuple[Session, Session]) -> None:
    first, second = both
    second.sql(MOMENT).collect()
    jobs = first.sql(MOMENT).df.sparkSession.sparkContext.statusTracker()
    digest = "sha2(CAST(id AS STRING), 512)"
    long = f"SELECT count(sha2({digest}, 512)) FROM range(900000000) WHERE {digest} > '0'"
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(lambda: first.sql(long).collect())
        wait_for(lambda: bool(jobs.getActiveJobsIds()))
        second.interrupt()
        time.sleep(1)
        assert jobs.getActiveJobsIds()
        first.interrupt()
        with pytest.raises(DeltaSqlError):
            done.result(timeout=300)


def wait_for(met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.05)
