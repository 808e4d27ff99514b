"""Ctrl-C in the middle of statements: what ran has stopped, what is committed is told, and the next statement runs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from deltasql import Session
from deltasql.base.interrupts import StatementInterrupted
from deltasql.log.committers import FileSystemCommitter

pytestmark = pytest.mark.spark

# Ten thousand million rows. A range alone would not do: its tasks do not ask whether they are to stop.
ENDLESS = "(SELECT /*+ MERGE(b) */ a.id FROM big a JOIN big b ON a.k = b.k)"
STATEMENTS = {
    "select": f"SELECT sum(id) FROM {ENDLESS}",
    "broadcast": f"SELECT /*+ BROADCAST(b) */ count(*) FROM people a JOIN {ENDLESS} b ON a.id = b.id",
    "insert": f"INSERT INTO people (id) SELECT cast(id % 1000 AS INT) FROM {ENDLESS}",
    "create": f"CREATE TABLE made AS SELECT id FROM {ENDLESS}",
    "merge": f"MERGE INTO people p USING {ENDLESS} s ON p.id = s.id WHEN MATCHED THEN DELETE",
    "update": f"UPDATE people SET name = 'n' WHERE id IN (SELECT id FROM {ENDLESS})",
}


@pytest.fixture
def many(people: Session) -> Session:
    people.sql("CREATE TABLE big AS SELECT id, id % 4 AS k FROM range(0, 200000, 1, 4)")
    return people


@pytest.fixture(autouse=True)
def python_handles_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def pressed_after(seconds: float, *, times: int = 1) -> Iterator[None]:
    def press() -> None:
        for _ in range(times):
            time.sleep(seconds)
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    yield
    thread.join()


def files(session: Session) -> set[Path]:
    return {path for path in Path(session.catalog.warehouse).rglob("*.parquet") if path.is_file()}


def spark_of(session: Session) -> SparkSession:
    found: SparkSession = session.sql("SELECT 1").df.sparkSession
    return found


@pytest.mark.parametrize("kind", STATEMENTS)
def test_it_stops_and_leaves_nothing(many: Session, kind: str) -> None:
    people = many
    before = files(people)
    spark = spark_of(people)
    with pytest.raises(KeyboardInterrupt) as caught, pressed_after(1.0):
        people.sql(STATEMENTS[kind]).collect()
    assert not isinstance(caught.value, StatementInterrupted)
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()
    assert not spark.sparkContext.getJobTags()
    assert spark.conf.get("spark.sql.codegen.wholeStage") == "true"
    assert files(people) == before
    assert people.sql("SELECT count(*) FROM people").collect() == [(3,)]
    assert people.sql("DESCRIBE HISTORY people").collect()[0].version == 1
    people.sql("CREATE TABLE made (id INT)")


def test_a_job_that_is_not_the_statements_goes_on(many: Session) -> None:
    people = many
    counted: list[Any] = []
    spark = spark_of(people)

    def other() -> None:
        counted.extend(spark.sql("SELECT count(*) FROM range(5000000) WHERE sha1(string(id)) > ''").collect())

    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(KeyboardInterrupt), pressed_after(0.5):
        people.sql(STATEMENTS["select"]).collect()
    thread.join()
    assert counted == [(5_000_000,)]


@pytest.fixture
def pressed_in_commit(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Presses Ctrl-C twice in the next commits, before they are written or after."""

    def press(after: bool) -> None:
        commit = FileSystemCommitter.commit

        def pressed(self: FileSystemCommitter, version: int, data: bytes) -> bool:
            done = commit(self, version, data) if after else False
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.3)
            return done if after else commit(self, version, data)

        monkeypatch.setattr(FileSystemCommitter, "commit", pressed)

    return press


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("INSERT INTO people (id) VALUES (4)", r"Version 2 of \S*people was committed"),
        ("DELETE FROM people WHERE id = 1", r"Version 2 of \S*people was committed"),
        ("CREATE TABLE made AS SELECT id FROM people", r"Version 0 of \S*made was committed"),
    ],
)
def test_a_commit_that_was_reached_is_told(
    people: Session, pressed_in_commit: Callable[[bool], None], statement: str, told: str, after: bool
) -> None:
    pressed_in_commit(after)
    with pytest.raises(StatementInterrupted, match=told):
        people.sql(statement)
    table = told.split("S*")[1].split(" ", maxsplit=1)[0]
    assert people.sql(f"SELECT count(*) > 0 FROM {table}").collect() == [(True,)]


def test_the_users_session_with_pysparks_own_handler(people: Session, tmp_path: Path) -> None:
    from deltasql import connect

    def handler(*_: object) -> None:
        raise AssertionError("it must not call the JVM amid another call")

    handler.__module__ = "pyspark.core.context"
    with connect(str(tmp_path / "other"), spark_of(people)) as other:
        signal.signal(signal.SIGINT, handler)
        other.sql("CREATE TABLE big AS SELECT id, id % 4 AS k FROM range(0, 200000, 1, 4)")
        with pytest.raises(KeyboardInterrupt), pressed_after(1.0):
            other.sql(STATEMENTS["select"]).collect()
        assert signal.getsignal(signal.SIGINT) is handler
        signal.signal(signal.SIGINT, signal.default_int_handler)
        assert other.sql("SELECT 1").collect() == [(1,)]
