"""A change of a session's state is seen by all its later statements, and by no other session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
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


_FILES = ("r.csv", "r.json", "r.parquet")
_READS = (
    *("SELECT * FROM delta.`./dt`", "SELECT v FROM parquet.`r.parquet`", "SELECT upper(v) FROM parquet.`./r.parquet`"),
    *("SELECT * FROM csv.`r.csv`", "SELECT v FROM json.`r.json`", "SELECT value FROM text.`../{folder}/r.csv`"),
    *("SELECT v FROM read_files('r.json')", "SELECT v FROM read_files('./*.json', format => 'json')"),
    *("SELECT * FROM over_csv", "SELECT v FROM source", "SELECT v FROM external", "SELECT v FROM copied"),
    *("SELECT v FROM delta.`./cloned_to`", "SELECT v FROM delta.`s/in_schema`", "SELECT * FROM csv.`out`"),
)
_WRITES = (
    "CREATE TEMPORARY VIEW over_csv USING csv OPTIONS ('header' = 'false', path = 'r.csv')",
    "CREATE TABLE source (v STRING) USING csv LOCATION 'r.csv'",
    "CREATE TABLE external (v STRING) LOCATION 'ext'",
    "INSERT INTO external SELECT v FROM json.`r.json`",
    "CREATE TABLE copied (v STRING)",
    "COPY INTO copied FROM 'r.json' FILEFORMAT = JSON",
    "CREATE TABLE delta.`./cloned_to` AS SELECT * FROM copied",
    "CREATE SCHEMA s LOCATION 's'",
    "CREATE TABLE s.in_schema AS SELECT * FROM copied",
    "INSERT OVERWRITE DIRECTORY 'out' USING csv SELECT * FROM copied",
)


@pytest.mark.spark
@pytest.mark.parametrize("named", [False, True])
def test_relative_paths_are_of_the_directory_of_the_session(
    named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads or writes them, wherever Spark was started, and wherever the process is now."""
    with connect(str(tmp_path / "first")) as first:
        first.sql("SELECT 1").df.collect()
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r.csv").write_text(f"{folder}\n")
        (tmp_path / folder / "r.json").write_text(f'{{"v": "{folder}"}}\n')
        pq.write_table(pa.table({"v": [folder]}), tmp_path / folder / "r.parquet")
    monkeypatch.chdir(tmp_path / ("there" if named else "here"))
    with connect(str(tmp_path / "w"), directory=str(tmp_path / "here") if named else "") as session:
        session.sql(f"CREATE TABLE delta.`{tmp_path / 'here' / 'dt'}` AS SELECT 'here' AS v")
        monkeypatch.chdir(tmp_path / "there")
        for statement in _WRITES:
            session.sql(statement)
        for setting in ("RESET deltasql.compute", ENGINE):
            session.sql(setting)
            for query in _READS:
                rows = session.sql(query.replace("{folder}", "here")).collect()
                assert [row[0].lower() for row in rows] == ["here"], query
        session.write(session.sql("SELECT 'here' AS v")).save("saved")
        assert session.read.load("saved").collect()[0].v == "here"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == sorted(_FILES)
    assert {"ext", "cloned_to", "s", "out", "saved"} < {path.name for path in (tmp_path / "here").iterdir()}
