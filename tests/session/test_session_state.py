"""A change of a session's state is seen by all its later statements, and by no other session."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect
from deltasql.base.errors import SparkError
from deltasql.clients.server.flight import Settings, running
from tests.session.state_grid import (
    CHANGES,
    ENGINE,
    check_in_threads,
    check_one_after_another,
    check_side_by_side,
    files_of_one_row,
    outcome,
    prepared,
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


class _FlightClient:
    """A connection of ADBC to a server, with as much of a session's surface as the grid uses."""

    def __init__(self, uri: str) -> None:
        self._connection = adbc.connect(uri, autocommit=True)

    def __enter__(self) -> _FlightClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def sql(self, sql: str) -> _FlightClient:
        """Runs a statement. Raises SparkError with the condition that the error's text names."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql)
                self._rows = cursor.fetchall() if cursor.description else []
        except adbc_driver_manager.Error as error:
            found = re.search(r"\[([A-Z_.]+)\]", str(error))
            raise SparkError(found[1] if found else str(error), "", str(error)) from None
        return self

    def collect(self) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._rows]


@pytest.mark.spark
@pytest.mark.parametrize("check", _CHECKS)
def test_over_flight_sql(check: Callable[..., None], tmp_path: Path, files: Path, utc: None) -> None:
    """Clients of one server, each with a session of its own."""
    with running(Settings(str(tmp_path / "warehouse"), port=0), {}) as uri:

        def opened(_: Path) -> Any:
            return _FlightClient(uri)

        # They have one warehouse: the table is there before two of them look for it at once.
        with prepared(opened, tmp_path):
            pass
        check(CHANGES, opened, tmp_path, files)


@pytest.mark.spark
def test_an_interrupted_statement_leaves_the_state_of_its_session(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (k BIGINT)")
    for statement in (
        "SET TIME ZONE 'Asia/Tokyo'",
        "DECLARE x INT = 3",
        "CREATE TEMPORARY VIEW v AS SELECT 7 AS n",
        ENGINE,
    ):
        session.sql(statement)
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.sql("INSERT INTO t SELECT count(*) FROM range(1000000000) a, range(1000000000) b").collect()
    timer.join()
    assert outcome(session, "SELECT current_timezone() AS z, x AS x, (SELECT n FROM v) AS n") == [("Asia/Tokyo", 3, 7)]
    assert outcome(session, "SELECT count(*) AS n FROM t") == [(0,)]
    session.sql("INSERT INTO t VALUES (1)")
    assert outcome(session, "SELECT k FROM t") == [(1,)]


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
