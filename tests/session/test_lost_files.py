"""Data files and deletion vectors that are gone, or are no files: told by name, with the way out, in finite time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deltasql import Session
from deltasql.base.errors.base import DeltaSqlError

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ("
VECTORS = "'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
READERS = (
    "SELECT * FROM t",
    "SELECT * FROM t VERSION AS OF 2",
    "SELECT count(*) FROM t WHERE b = 'x'",
    "SELECT a FROM t WHERE a IN (SELECT a FROM t)",
    "INSERT INTO t SELECT a + 1, b FROM t",
    "DELETE FROM t WHERE a > 1",
    "UPDATE t SET b = 'z' WHERE a > 0",
    "MERGE INTO t USING (SELECT 1 AS k) s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = 'm'",
    "OPTIMIZE t",
    "REORG TABLE t APPLY (PURGE)",
    "SELECT * FROM table_changes('t', 1)",
)
# What is read only where a row is needed that the log does not tell of.
NOT_ALL = {"REORG TABLE t APPLY (PURGE)"}


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError("this waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=[VECTORS, "'delta.enableChangeDataFeed' = 'true')"], ids=["vectors", "rewrites"])
def table(session: Session, request: pytest.FixtureRequest) -> Session:
    session.sql(CREATE + str(request.param))
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    session.sql("INSERT INTO t VALUES (3, 'x'), (4, 'y')")
    return session


def first_file(session: Session) -> Path:
    snapshot = session.log("t").snapshot()
    return Path(snapshot.files(("location",))["location"].to_pylist()[0])


def refused(session: Session, statement: str) -> DeltaSqlError:
    version = session.log("t").snapshot().version
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(statement).collect()
    assert session.log("t").snapshot().version == version
    return caught.value


def test_a_missing_file_is_named(table: Session) -> None:
    lost = first_file(table)
    lost.unlink()
    for statement in READERS:
        if statement in NOT_ALL:
            continue
        error = refused(table, statement)
        assert (error.condition, error.sqlstate) == ("DELTA_FILE_NOT_FOUND", "42K03"), statement
        assert str(lost) in error.message
        # Of a version that the statement asked for, a later VACUUM may have removed files.
        advice = "Read a newer version" if "VERSION" in statement or "changes" in statement else "FSCK REPAIR TABLE t"
        assert advice in error.message.replace("main.", "").replace("default.", ""), statement
    table.sql("FSCK REPAIR TABLE t")
    assert table.sql("SELECT count(*) FROM t").collect()[0][0] == 2


def test_time_travel_after_vacuum(table: Session) -> None:
    table.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    table.sql("INSERT OVERWRITE t VALUES (9, 'z')")
    table.sql("VACUUM t RETAIN 0 HOURS")
    assert table.sql("SELECT a FROM t").collect() == [(9,)]
    for statement in ("SELECT * FROM t VERSION AS OF 1", "SELECT * FROM t@v2", "INSERT INTO t SELECT * FROM t@v1"):
        error = refused(table, statement)
        assert error.condition == "DELTA_FILE_NOT_FOUND"
        assert "VACUUM" in error.message


def test_a_merge_of_no_rows_reads_no_file(table: Session) -> None:
    first_file(table).unlink()
    table.sql("CREATE TABLE nothing (a INT)")
    merged = table.sql("MERGE INTO t USING nothing AS s ON t.a = s.a WHEN MATCHED THEN DELETE")
    assert merged.collect()[0][0] == 0


def test_spark_may_be_told_to_pass_over_what_is_gone(table: Session) -> None:
    first_file(table).unlink()
    table.sql("SET spark.sql.files.ignoreMissingFiles = true")
    assert table.sql("SELECT count(*) FROM t WHERE b = 'x'").collect()[0][0] <= 1


def test_a_missing_deletion_vector(session: Session) -> None:
    session.sql(CREATE + VECTORS)
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'x' FROM range(9)")
    session.sql("DELETE FROM t WHERE a = 1")
    (vector,) = Path(session.log("t").location).glob("deletion_vector_*.bin")
    vector.unlink()
    for statement in ("SELECT * FROM t", "DELETE FROM t WHERE a = 2", "UPDATE t SET a = 5 WHERE a = 4"):
        error = refused(session, statement)
        assert (error.condition, error.sqlstate) == ("DELTA_FILE_NOT_FOUND", "42K03"), statement
        assert str(vector) in error.message
    session.sql("FSCK REPAIR TABLE t")
    assert session.sql("SELECT count(*) FROM t").collect() == [(0,)]


@pytest.mark.parametrize("made", ["fifo", "device", "empty", "folder", "text"])
def test_what_is_no_data_file(table: Session, made: str) -> None:
    place = first_file(table)
    place.unlink()
    make: dict[str, Callable[[], object]] = {
        "fifo": lambda: os.mkfifo(place),
        "device": lambda: place.symlink_to("/dev/zero"),
        "empty": place.touch,
        "folder": place.mkdir,
        "text": lambda: place.write_text("no parquet"),
    }
    make[made]()
    for statement in ("SELECT * FROM t", "UPDATE t SET b = 'z' WHERE a > 0", "OPTIMIZE t"):
        error = refused(table, statement)
        assert error.condition.startswith("FAILED_READ_FILE"), (statement, error.condition)


def test_a_fifo_for_a_deletion_vector(session: Session) -> None:
    session.sql(CREATE + VECTORS)
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'x' FROM range(9)")
    session.sql("DELETE FROM t WHERE a = 1")
    (vector,) = Path(session.log("t").location).glob("deletion_vector_*.bin")
    vector.unlink()
    os.mkfifo(vector)
    assert refused(session, "SELECT * FROM t").condition in {
        "DELTA_DELETION_VECTOR_INVALID",
        "DELTA_STORAGE_ACCESS_FAILED",
    }


@pytest.mark.parametrize(
    "statement", ["VACUUM t RETAIN 0 HOURS", "FSCK REPAIR TABLE t", "RESTORE TABLE t TO VERSION AS OF 1"]
)
def test_files_of_others_are_read_and_never_removed(session: Session, tmp_path: Path, statement: str) -> None:
    """A shallow clone names files of its source by absolute paths."""
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("CREATE TABLE t (a INT, b STRING)")
    session.sql("INSERT INTO t VALUES (1, 'x')")
    outside = tmp_path / "outside" / "file.parquet"
    outside.parent.mkdir()
    first_file(session).rename(outside)
    log = session.log("t")
    commit = Path(log.location) / "_delta_log" / f"{1:020}.json"
    (inside,) = log.snapshot().files(("path",))["path"].to_pylist()
    commit.write_text(commit.read_text().replace(inside, str(outside)))
    before = outside.read_bytes()
    with Session(session.catalog.warehouse) as fresh:
        fresh.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
        assert fresh.sql("SELECT a FROM t").collect() == [(1,)]
        fresh.sql("UPDATE t SET a = 2")
        fresh.sql("INSERT INTO t VALUES (7, 'y')")
        fresh.sql("OPTIMIZE t")
        fresh.sql("DELETE FROM t WHERE a = 7")
        fresh.sql("FSCK REPAIR TABLE t")
        fresh.sql("VACUUM t RETAIN 0 HOURS")
        fresh.sql("RESTORE TABLE t TO VERSION AS OF 1")
        fresh.sql("DELETE FROM t")
        fresh.sql("VACUUM t LITE RETAIN 0 HOURS")
        fresh.sql("DROP TABLE t")
    assert outside.read_bytes() == before
