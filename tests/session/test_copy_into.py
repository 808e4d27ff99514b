"""COPY INTO: files of other kinds and places than the golden files have, and what needs no Spark."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.source_files import Choice, LoadedFiles, find_source
from deltasql.session.execution.commit import put_part

HEADER = "FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true')"


def rows(session: Session, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.sql(query).collect()]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in [1]"
    folder.mkdir()
    return folder


def test_where_all_is_known_nothing_runs(session: Session, source: Path) -> None:
    (source / "a.csv").write_text("1\n")
    session.sql("CREATE TABLE t (a INT)")
    log = session.log("t")
    files = find_source(session.stores.open, str(source.parent / "in*"), Choice()).files
    assert [file.path for file in files] == [str(source / "a.csv")]
    action, _ = put_part(log.store, log.snapshot().metadata.id, 0, LoadedFiles(), files)
    Transaction(log, log.snapshot()).commit(operations.COPY_INTO, {}, [action])
    result = session.sql(f"COPY INTO t BY POSITION FROM '{source.parent}/in*' FILEFORMAT = CSV")
    assert (result.collect(), result.version) == ([(0, 0, 0)], None)
    assert not session.spark_started


@pytest.mark.spark
def test_files_of_csv_with_other_headers(session: Session, source: Path) -> None:
    (source.parent / "in").mkdir()
    place = source.parent / "in"
    (place / "a.csv").write_text("a,b\n1,2\n")
    (place / "b.csv.gz").write_bytes(gzip.compress(b"b,c,a\n5,6,4\n"))
    (place / "empty.csv").write_text("")
    session.sql("CREATE TABLE t (a INT)")
    with pytest.raises(DeltaSqlError) as error:
        session.sql(f"COPY INTO t FROM '{place}' {HEADER} COPY_OPTIONS ('mergeSchema' = 'true')")
    assert error.value.condition == "COPY_INTO_SOURCE_SCHEMA_INFERENCE_FAILED"
    merged = "FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true', 'mergeSchema' = 'true')"
    session.sql(f"COPY INTO t FROM '{place}' {merged} COPY_OPTIONS ('mergeSchema' = 'true')")
    assert rows(session, "SELECT a, b, c FROM t ORDER BY a") == [(1, "2", None), (4, "5", "6")]
    assert rows(session, f"COPY INTO t FROM '{place}' {merged}") == [(0, 0, 0)]


@pytest.mark.spark
def test_damaged_files_are_left_for_later(session: Session, tmp_path: Path) -> None:
    place = tmp_path / "pq"
    session.sql(f"INSERT OVERWRITE DIRECTORY '{place}' USING parquet SELECT 1 AS a")
    good = next(place.glob("*.parquet")).read_bytes()
    (place / "bad.parquet").write_bytes(good[:-9])
    session.sql("CREATE TABLE t (a INT)")
    with pytest.raises(DeltaSqlError, match="FAILED_READ_FILE"):
        session.sql(f"COPY INTO t FROM '{place}' FILEFORMAT = PARQUET FORMAT_OPTIONS ('mergeSchema' = 'true')")
    skipping = f"COPY INTO t FROM '{place}' FILEFORMAT = PARQUET FORMAT_OPTIONS ('ignoreCorruptFiles' = 'true')"
    result = session.sql(skipping)
    assert result.collect() == [(1, 1, 1)]
    assert result.metrics["numSkippedCorruptFiles"] == 1
    result = session.sql(skipping)
    assert (result.collect(), result.version) == ([(0, 0, 1)], None)
    (place / "bad.parquet").write_bytes(good)
    assert rows(session, skipping) == [(1, 1, 0)]


@pytest.mark.spark
def test_options_that_say_which_files(session: Session, source: Path) -> None:
    for name, seconds in (("old.json", 1_000_000_000), ("new.json", 1_700_000_000), ("new.txt", 1_700_000_000)):
        (source.parent / name).write_text('{"a": 1}\n')
        os.utime(source.parent / name, (seconds, seconds))
    session.sql("CREATE TABLE t (a BIGINT)")
    copy = f"COPY INTO t FROM '{source.parent}' FILEFORMAT = JSON FORMAT_OPTIONS ('pathGlobFilter' = '*.json'"
    assert rows(session, f"{copy}, 'modifiedAfter' = '2020-01-01T00:00:00')") == [(1, 1, 0)]
    assert rows(session, f"{copy}, 'modifiedBefore' = '2020-01-01T00:00:00')") == [(1, 1, 0)]
    assert rows(session, f"{copy})") == [(0, 0, 0)]


@pytest.mark.spark
def test_a_place_that_only_this_process_reaches(session: Session) -> None:
    store = session.stores.open("memory:/copies")
    store.overwrite("in/d=1/a b.csv", b"x\n1\n")
    store.overwrite("in/d=2/c.csv", b"x\n2\n")
    session.sql("CREATE TABLE t (x INT, d INT, f STRING)")
    query = "SELECT x, d, _metadata.file_path AS f FROM 'memory:/copies/in'"
    assert rows(session, f"COPY INTO t FROM ({query}) {HEADER}") == [(2, 2, 0)]
    assert rows(session, "SELECT * FROM t ORDER BY x") == [
        (1, 1, "memory:/copies/in/d=1/a%20b.csv"),
        (2, 2, "memory:/copies/in/d=2/c.csv"),
    ]
    assert rows(session, f"COPY INTO t FROM 'memory:/copies/in' {HEADER}") == [(0, 0, 0)]


@pytest.mark.spark
def test_a_location_may_look_like_a_pattern(session: Session, source: Path) -> None:
    (source / "a{1}.csv").write_text("1\n")
    session.sql("CREATE TABLE t (a INT)")
    escaped = str(source).replace("[", "\\\\[")
    assert rows(session, f"COPY INTO t BY POSITION FROM '{escaped}' FILEFORMAT = CSV") == [(1, 1, 0)]


@pytest.mark.spark
def test_parameters_and_secrets(session: Session, source: Path) -> None:
    (source.parent / "a.csv").write_text("1,2\n")
    session.sql("CREATE TABLE t (a INT, b INT)")
    copy = f"COPY INTO t FROM (SELECT _c0 + :more AS a FROM '{source.parent}') FILEFORMAT = CSV"
    options = "FORMAT_OPTIONS ('fs.s3a.secret.key' = 'c4nary')"
    ((plan,),) = rows(session, f"EXPLAIN {copy.replace(':more', '1')} {options}")
    assert "c4nary" not in str(plan)
    assert session.sql(f"{copy} {options}", args={"more": 41}).collect() == [(1, 1, 0)]
    assert rows(session, "SELECT * FROM t") == [(42, None)]
    history = session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0]
    assert "c4nary" not in str(history)
    assert "(redacted)" in str(history)


@pytest.mark.spark
def test_avro_without_its_jar(session: Session, source: Path) -> None:
    (source.parent / "a.avro").write_bytes(b"Obj\x01")
    session.sql("CREATE TABLE t (a INT)")
    with pytest.raises(DeltaSqlError) as error:
        session.sql(f"COPY INTO t FROM '{source.parent}/a.avro' FILEFORMAT = AVRO")
    assert error.value.condition == "FAILED_TO_LOAD_AVRO"
    assert "spark-avro_2.13:" in error.value.message
