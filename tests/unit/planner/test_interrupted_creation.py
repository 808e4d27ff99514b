"""CREATE TABLE … AS beside another one, and after one that was interrupted between staging and commit."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import NonEmptyLocationError, ProtocolChangedError
from deltasql.session.session import Session

CREATE = "CREATE TABLE t (a INT) USING delta"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture
def session(place: Path) -> Session:
    return deltasql.connect(str(place))


def interrupt(place: Path) -> Path:
    """What a process leaves that dies before its commit: a staged file, a hidden one in the log."""
    table = place / "t"
    staged = table / ("0123456789abcdef" * 2) / "p=1"
    staged.mkdir(parents=True)
    (staged / "part-00000-x.snappy.parquet").write_bytes(b"PAR1")
    (staged.parent / "_SUCCESS").touch()
    (table / "_delta_log").mkdir()
    (table / "_delta_log" / ".00000000000000000000.json.12.tmp").touch()
    return table


@pytest.mark.parametrize(
    "statement", [CREATE, "CREATE OR REPLACE TABLE t (a INT)", "CREATE TABLE IF NOT EXISTS t (a INT)"]
)
def test_a_name_is_not_blocked_by_what_was_left(session: Session, place: Path, statement: str) -> None:
    interrupt(place)
    session.sql("DROP TABLE IF EXISTS t")
    session.sql(statement)
    session.sql("INSERT INTO t VALUES (1)")
    assert session.log("t").snapshot().version == 1


def test_a_path_is_not_blocked_either(session: Session, place: Path) -> None:
    table = interrupt(place)
    session.sql(f"CREATE TABLE u (a INT) LOCATION '{table}'")
    assert session.log("u").snapshot().version == 0


@pytest.mark.parametrize(
    "name", ["data.csv", "0123456789abcdef0123456789abcdef/data.csv", "_delta_log/x.json", "folder/f"]
)
def test_files_of_others_are_in_the_way(session: Session, place: Path, name: str) -> None:
    table = interrupt(place)
    (table / name).parent.mkdir(exist_ok=True)
    (table / name).touch()
    for statement in (CREATE, f"CREATE TABLE u (a INT) LOCATION '{table}'"):
        with pytest.raises(NonEmptyLocationError):
            session.sql(statement)


def test_vacuum_removes_what_was_left(session: Session, place: Path) -> None:
    table = interrupt(place)
    session.sql(CREATE)
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("VACUUM t RETAIN 0 HOURS")
    assert not list(table.rglob("*.parquet"))


@pytest.mark.spark
@pytest.mark.parametrize("create", ["CREATE TABLE", "CREATE OR REPLACE TABLE"])
def test_of_two_at_once_the_second_loses_the_race(session: Session, place: Path, create: str) -> None:
    other = deltasql.connect(str(place))
    first = session.begin(f"{create} t AS SELECT 1 AS a")
    second = other.begin(f"{create} t AS SELECT 2 AS a")
    first.commit()
    with pytest.raises(ProtocolChangedError) as caught:
        second.commit()
    assert caught.value.condition == "DELTA_PROTOCOL_CHANGED"
    assert session.sql("SELECT a FROM t").collect() == [(1,)]
    assert len(list((place / "t").rglob("*.parquet"))) == 1
