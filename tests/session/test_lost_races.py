"""Statements over rows that lose a race, and are run again where that gives the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors import ConcurrentAppendError
from deltasql.clients.golden.schedules.concurrency import NextPut
from deltasql.clients.golden.schedules.schedule import Fault

pytestmark = pytest.mark.spark

VECTORS = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


class Race:
    """A session whose next commit finds that another session has just run a statement."""

    def __init__(self, warehouse: str) -> None:
        self.rival = connect(warehouse)
        self.session = connect(warehouse)
        self._put = NextPut()
        self.session.open_log = self._put.open_log

    def behind(self, statement: str) -> Session:
        def run() -> None:
            self.rival.sql(statement)

        self._put.arm(Fault.BEHIND, run)
        return self.session


@pytest.fixture
def race(tmp_path: Path) -> Iterator[Race]:
    made = Race(str(tmp_path / "warehouse"))
    made.session.sql(f"CREATE TABLE t (id INT, v DOUBLE) {VECTORS}")
    made.session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT), 0 FROM range(10)")
    yield made
    made.session.close()
    made.rival.close()


def test_another_row_is_no_lost_race(race: Race) -> None:
    result = race.behind("UPDATE t SET v = 1 WHERE id = 1").sql("UPDATE t SET v = 2 WHERE id = 2")
    assert result.attempts == 2
    assert race.session.sql("SELECT id, v FROM t WHERE v > 0 ORDER BY id").collect() == [(1, 1.0), (2, 2.0)]


def test_the_same_row_is_changed_as_it_is_then(race: Race) -> None:
    result = race.behind("UPDATE t SET v = 1 WHERE id = 1").sql("UPDATE t SET v = v * 10 + 2 WHERE id = 1")
    assert (result.attempts, result.collect()) == (2, [(1,)])
    assert race.session.sql("SELECT v FROM t WHERE id = 1").collect() == [(12.0,)]


def test_an_insert_of_its_own_rows_is_run_again(race: Race) -> None:
    race.behind("DELETE FROM t WHERE id = 1").sql("INSERT INTO t SELECT id + 100, v FROM t WHERE id < 3")
    assert race.session.sql("SELECT id FROM t WHERE id >= 100 OR id < 3 ORDER BY id").collect() == [
        (0,), (2,), (100,), (102,),
    ]  # fmt: skip


@pytest.mark.parametrize(("statements", "again"), [("DETERMINISTIC", False), ("ALL", True), ("NONE", False)])
def test_what_throws_dice_is_run_again_where_that_is_wanted(race: Race, statements: str, again: bool) -> None:
    race.session.sql(f"SET deltasql.retry.statements = {statements}")
    session = race.behind("UPDATE t SET v = 5 WHERE id = 1")
    if again:
        assert session.sql("UPDATE t SET v = 10 + rand() WHERE id = 1").attempts == 2
        assert session.sql("SELECT v >= 10 FROM t WHERE id = 1").collect() == [(True,)]
        return
    with pytest.raises(ConcurrentAppendError):
        session.sql("UPDATE t SET v = 10 + rand() WHERE id = 1")
    assert session.sql("SELECT v FROM t WHERE id = 1").collect() == [(5.0,)]


def test_merge_is_run_again_over_the_source_as_it_is_then(race: Race) -> None:
    race.session.sql("CREATE TABLE s (id INT, v DOUBLE)")
    race.session.sql("INSERT INTO s VALUES (1, 7), (50, 8)")
    merge = (
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT *"
    )
    result = race.behind("INSERT INTO t SELECT id + 49, v FROM t WHERE id = 1").sql(merge)
    assert result.attempts == 2
    assert race.session.sql("SELECT id, v FROM t WHERE v > 0 ORDER BY id").collect() == [(1, 7.0), (50, 8.0)]


@pytest.mark.parametrize(
    "replaces",
    [
        "REPLACE USING (id) SELECT 1 AS id, 9D AS v",
        "AS x REPLACE ON x.id <=> q.id AND x.v < 1000 (SELECT 1 AS id, 9D AS v) AS q",
    ],
)
def test_rows_that_make_way_are_those_that_are_there_then(race: Race, replaces: str) -> None:
    insert = f"INSERT INTO t {replaces}"
    rivals = {
        "UPDATE t SET v = 1 WHERE id = 2": [9.0],
        "UPDATE t SET v = 5 WHERE id = 1": [9.0],
        # As if it had come later; a table that is Serializable takes it out, too.
        "INSERT INTO t VALUES (1, 6)": [6.0, 9.0],
        "DELETE FROM t WHERE id = 1": [9.0],
        "ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')": [9.0],
        "INSERT INTO t VALUES (1, 7)": [9.0],
    }
    for rival, expected in rivals.items():
        assert race.behind(rival).sql(insert).attempts == 2, rival
        found = race.session.sql("SELECT v FROM t WHERE id = 1 ORDER BY v").collect()
        assert [row.v for row in found] == expected, rival
    assert race.session.sql("SELECT count(*), sum(v) FROM t").collect() == [(10, 10.0)]
