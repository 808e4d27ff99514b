"""Conflicts that are decided by rows: this process finds the same rows in the files of winners as Spark does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.golden.schedules.concurrency import NextPut
from deltasql.clients.golden.schedules.schedule import Fault
from deltasql.engines.engine import InProcessFirst
from deltasql.engines.spark.rewrites.position_search import SparkRowReader
from tests.ways.test_rewritten_in_process import VALUES, Chooser

pytestmark = pytest.mark.spark

SEEDS = range(int(os.environ.get("DELTASQL_SEEDS", "2")))
TABLE = "CREATE TABLE t ({columns}) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The answers that this process gave, each of which was Spark's as well."""
    given: list[Any] = []
    evaluated, selects, rows_met = InProcessFirst.evaluated_rows, SparkRowReader.selects, SparkRowReader.rows_met

    def noted(self: InProcessFirst, *arguments: Any) -> Any:
        found_rows = evaluated(self, *arguments)
        given.append(found_rows)
        return found_rows

    def by_spark(reader: SparkRowReader) -> SparkRowReader:
        twin = copy(reader)
        twin._evaluated = None
        return twin

    def selects_both(self: SparkRowReader, adds: Sequence[Any], only: Any = None) -> bool:
        mine, theirs = selects(self, adds, only), selects(by_spark(self), adds, only)
        assert mine == theirs
        return mine

    def met_both(self: SparkRowReader, adds: Sequence[Any]) -> Any:
        mine, theirs = rows_met(self, adds), rows_met(by_spark(self), adds)
        assert {path: rows.tolist() for path, rows in mine.items()} == {
            path: rows.tolist() for path, rows in theirs.items()
        }
        return mine

    monkeypatch.setattr(InProcessFirst, "evaluated_rows", noted)
    monkeypatch.setattr(SparkRowReader, "selects", selects_both)
    monkeypatch.setattr(SparkRowReader, "rows_met", met_both)
    return given


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    with connect(str(tmp_path / "warehouse")) as session, session.another() as rival:
        yield session, rival


def tried(session: Session, sql: str) -> None:
    """Runs a statement, which may fail: for a conflict, or a value that is too large."""
    with suppress(DeltaSqlError):
        session.sql(sql)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_races(sessions: tuple[Session, Session], answers: list[Any], seed: int) -> None:
    session, rival = sessions
    choose, put = Chooser(seed), NextPut()
    session.open_log = put.open_log
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in VALUES.items())
    session.sql(TABLE.format(columns=columns))
    session.sql(f"CREATE TABLE other ({columns})")
    session.sql(f"INSERT INTO other {choose.rows(2)}")
    session.sql(f"CREATE TEMPORARY VIEW seen AS {choose.rows(2)}")
    for _ in range(8):
        session.sql(f"INSERT OVERWRITE t {choose.rows(8)}")
        changes = f"INSERT INTO t {choose.rows(3)}", "DELETE FROM t WHERE k = 0", f"UPDATE t SET {choose.assigned()}"
        winner = choose.choice(changes)
        put.arm(Fault.BEHIND, partial(tried, rival, winner))
        update = f"UPDATE t SET {choose.assigned()} WHERE {choose.condition('')}"
        tried(session, choose.choice([choose.merge(), update]))
    assert answers


def test_small_statements_of_two_sessions_need_no_engine(tmp_path: Path) -> None:
    with connect(str(tmp_path / "warehouse")) as session, session.another() as rival:
        put = NextPut()
        session.open_log = put.open_log
        session.sql(TABLE.format(columns="id INT, v INT"))
        session.sql("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)")
        for winner in ("UPDATE t SET v = 1 WHERE id = 1", "INSERT INTO t VALUES (7, 7)", "DELETE FROM t WHERE id = 1"):
            put.arm(Fault.BEHIND, partial(tried, rival, winner))
            merged = session.sql(
                "MERGE INTO t USING (SELECT * FROM VALUES (2, 5) AS q (id, v)) AS s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT *"
            )
            assert merged.attempts == 2
        assert sorted(session.sql("SELECT * FROM t").collect()) == [(2, 15), (3, 0), (7, 7)]
        assert not session.spark_started
        assert not rival.spark_started


def test_what_only_the_engine_knows_is_left_to_it(sessions: tuple[Session, Session], answers: list[Any]) -> None:
    session, rival = sessions
    put = NextPut()
    session.open_log = put.open_log
    session.sql(TABLE.format(columns="id INT, v STRING"))
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    put.arm(Fault.BEHIND, partial(tried, rival, "INSERT INTO t VALUES (3, 'c')"))
    session.sql("UPDATE t SET v = 'x' WHERE upper(v) = 'B'")
    assert not answers
    assert sorted(session.sql("SELECT * FROM t").collect()) == [(1, "a"), (2, "x"), (3, "c")]
