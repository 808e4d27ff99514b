"""A statement that loses a race is run again: how often, which ones, and on what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from deltasql import connect
from deltasql.base.errors import (
    ConcurrentAppendError,
    ConcurrentModificationError,
    ConcurrentWriteError,
    MetadataChangedError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit import transaction as race_module
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.session import session as session_module

_COMMIT = re.compile(r"_delta_log/\d{20}\.json")


class Contested(LocalLogStore):
    """A table's storage in which somebody else commits just before each of the next puts."""

    def __init__(self, root: str, before: list[Callable[[], object]]) -> None:
        super().__init__(root)
        self.before = before

    def put_if_absent(self, path: str, data: bytes) -> bool:
        if _COMMIT.fullmatch(path) and self.before:
            self.before.pop(0)()
        return super().put_if_absent(path, data)


class Race:
    """A session over a partitioned table, and a rival who adds rows to partition `a` that are not blind appends."""

    def __init__(self, warehouse: Path) -> None:
        self.steps: list[Callable[[], object]] = []
        self.session = connect(str(warehouse))
        self.session.open_log = lambda location, name: DeltaLog(location, name, Contested(location, self.steps))
        self.session.sql("CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p)")
        self.location = self.session.log("t").location
        self.names = count()
        self.add()

    def rival(self) -> DeltaLog:
        return DeltaLog(self.location, "t")

    def add(self, partition: str = "a") -> None:
        """One more file of two rows, by a writer who has read the partition."""
        log = self.rival()
        other = Transaction(log, log.snapshot())
        other.record_read("p = 'a'", [])
        stats = '{"numRecords":2}'
        add = AddFile(f"{next(self.names)}.parquet", {"p": partition}, 1, 1, True, stats)
        other.commit(operations.MERGE, {}, [add])

    def alter(self) -> None:
        log = self.rival()
        snapshot = log.snapshot()
        changed = snapshot.metadata.with_configuration({"seen": str(next(self.names))})
        Transaction(log, snapshot).commit(operations.SET_PROPERTIES, {}, [changed])

    @property
    def version(self) -> int:
        return self.rival().snapshot().version

    @property
    def files(self) -> int:
        return self.rival().snapshot().num_files


@pytest.fixture
def race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Race]:
    for module in (session_module, race_module):
        monkeypatch.setattr(module, "back_off", lambda attempts: None)
    made = Race(tmp_path / "warehouse")
    yield made
    made.session.close()


DELETE = "DELETE FROM t WHERE p = 'a'"


def test_a_race_that_is_not_lost_is_one_attempt(race: Race) -> None:
    assert race.session.sql(DELETE).attempts == 1
    assert race.files == 0


def test_another_version_without_a_conflict_is_a_second_attempt_of_the_same_run(race: Race) -> None:
    race.steps += [lambda: race.add("b")]
    assert race.session.sql(DELETE).attempts == 2
    assert race.files == 1


@pytest.mark.parametrize("lost", [1, 2, 5, 9])
def test_it_runs_again_on_what_is_there_then(race: Race, lost: int) -> None:
    race.steps += [race.add] * lost
    result = race.session.sql(DELETE)
    assert result.attempts == lost + 1
    # The rows that came meanwhile are deleted as well, and are counted.
    assert result.collect() == [(2 * (lost + 1),)]
    assert race.files == 0
    assert race.version == lost + 2


@pytest.mark.parametrize("lost", [1, 2])
def test_changed_metadata_make_it_run_again(race: Race, lost: int) -> None:
    race.steps += [race.alter] * lost
    assert race.session.sql("ALTER TABLE t SET TBLPROPERTIES ('mine' = '1')").attempts == lost + 1
    configuration = race.rival().snapshot().configuration
    assert configuration["mine"] == "1"
    assert configuration["seen"] == str(lost)


@pytest.mark.parametrize("most", [1, 3])
def test_it_gives_up(race: Race, most: int) -> None:
    race.session.sql(f"SET deltasql.retry.maxAttempts = {most}")
    race.steps += [race.add] * 10
    with pytest.raises(ConcurrentAppendError) as caught:
        race.session.sql(DELETE)
    assert len(race.steps) == 10 - most
    # The last winner is named, and nothing of the statement is there.
    assert caught.value.version == race.version == most + 1
    assert race.files == most + 1


def test_it_can_be_turned_off(race: Race) -> None:
    race.session.sql("SET deltasql.retry.statements = NONE")
    race.steps += [race.add] * 2
    with pytest.raises(ConcurrentAppendError):
        race.session.sql(DELETE)
    assert len(race.steps) == 1


def test_to_go_back_to_a_version_is_not_repeated(race: Race) -> None:
    race.steps += [race.add] * 2
    with pytest.raises(ConcurrentWriteError):
        race.session.sql("RESTORE TABLE t TO VERSION AS OF 0")
    assert len(race.steps) == 1
    assert race.files == 2


def test_two_phases_are_not_repeated(race: Race) -> None:
    pending = race.session.begin(DELETE)
    race.add()
    with pytest.raises(ConcurrentModificationError):
        pending.commit()
    assert race.files == 2


def test_errors_that_are_no_lost_races_are_not_repeated(race: Race) -> None:
    def broken() -> None:
        raise RuntimeError

    race.steps += [broken, broken]
    with pytest.raises(RuntimeError):
        race.session.sql(DELETE)
    assert len(race.steps) == 1


def test_parameters_are_bound_again(race: Race) -> None:
    race.steps += [race.add]
    assert race.session.sql("DELETE FROM t WHERE p = :p", {"p": "a"}).collect() == [(4,)]


def test_a_script_runs_each_of_its_statements_again(race: Race) -> None:
    race.steps += [race.add, race.add]
    results = list(race.session.run(f"{DELETE}; ALTER TABLE t SET TBLPROPERTIES ('mine' = '1');"))
    assert [result.attempts for result in results] == [3, 1]


def test_a_session_reads_the_winner(race: Race) -> None:
    race.steps += [race.alter]
    race.session.sql("ALTER TABLE t SET TBLPROPERTIES ('mine' = '1')")
    shown = dict(tuple(row) for row in race.session.sql("SHOW TBLPROPERTIES t").collect())
    assert {"mine", "seen"} <= shown.keys()


def test_a_conflict_in_the_last_run_is_told_as_its_own(race: Race) -> None:
    race.session.sql("SET deltasql.retry.maxAttempts = 2")
    race.steps += [race.add, race.alter]
    with pytest.raises(MetadataChangedError) as caught:
        race.session.sql(DELETE)
    assert caught.value.operation == "SET TBLPROPERTIES"
