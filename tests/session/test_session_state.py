"""What statements change in a session is seen by all its statements, and by no other session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql import Session, connect
from tests.session.state_grid import (
    CHANGES,
    ENGINE,
    check_in_threads,
    check_one_after_another,
    check_side_by_side,
    files_of_one_row,
    outcome,
)

_ON_SAIL = [item for item in CHANGES if item.needs != "spark"]
_CHECKS = [check_one_after_another, check_side_by_side, check_in_threads]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return files_of_one_row(tmp_path / "files")


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's zone, whatever it is, is UTC for the sessions of the test."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.mark.spark
@pytest.mark.parametrize("check", _CHECKS)
def test_on_spark(check: Callable[..., None], tmp_path: Path, files: Path, utc: None) -> None:
    check(CHANGES, lambda warehouse: connect(str(warehouse)), tmp_path, files)


@pytest.mark.sail
@pytest.mark.parametrize("check", _CHECKS)
def test_on_sail(check: Callable[..., None], tmp_path: Path, files: Path, utc: None) -> None:
    check(_ON_SAIL, lambda warehouse: connect(str(warehouse), engine="sail"), tmp_path, files)


@pytest.mark.spark
def test_the_zone_of_a_session_is_that_of_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of the moment in which Spark started: the environment may have changed since."""
    moment = "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING) AS s"
    for zone, expected in (("Asia/Tokyo", "2024-01-01 09:00:00"), ("UTC", "2024-01-01 00:00:00")):
        monkeypatch.setenv("TZ", zone)
        with connect(str(tmp_path)) as session:
            monkeypatch.setenv("TZ", "America/New_York")
            session.sql("CREATE OR REPLACE TABLE t AS SELECT TIMESTAMP '2024-01-01 00:00:00' AS at")
            stored = [outcome(session, "SELECT CAST(at AS STRING) AS s FROM t"), outcome(session, moment)]
            session.sql(ENGINE)
            assert [outcome(session, "SELECT CAST(at AS STRING) AS s FROM t"), outcome(session, moment)] == stored
            assert stored == [[("2024-01-01 00:00:00",)], [(expected,)]]
    assert os.environ["TZ"] == "America/New_York"


@pytest.mark.spark
def test_streams_have_the_settings_of_their_start(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t AS SELECT TIMESTAMP '2024-01-01 00:00:00Z' AS at")
    session.sql("CREATE TABLE u (at TIMESTAMP, s STRING GENERATED ALWAYS AS (CAST(at AS STRING)))")
    session.sql("SET TIME ZONE 'Asia/Tokyo'")
    writer = session.writeStream(session.readStream.table("t")).option("checkpointLocation", str(tmp_path / "c"))
    stream = writer.trigger(availableNow=True).toTable("u")
    session.sql("SET TIME ZONE 'America/New_York'")
    stream.awaitTermination(120)
    assert session.sql("SELECT s FROM u").collect() == [("2024-01-01 09:00:00",)]
