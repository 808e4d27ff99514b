"""Who moves the rows of tables on the local disk where nothing was said about it: this process, while they are few."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect

pytestmark = pytest.mark.spark

os.environ.setdefault("DELTASQL_MASTER", "local[2]")

OURS, SPARKS = "parquet-cpp-arrow", "parquet-mr"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "wh")) as opened:
        yield opened
        opened.sql("RESET")


def writers(session: Session, table: str = "t") -> list[str]:
    """The programs that have written the data files of a table."""
    return sorted(pq.read_metadata(path).created_by.split()[0] for path in data_files(session, table))


def data_files(session: Session, table: str = "t") -> list[Path]:
    location = session.sql(f"DESCRIBE DETAIL {table}").collect()[0].location.removeprefix("file:")
    return [path for path in Path(location).rglob("*.parquet") if "_delta_log" not in path.parts]


def test_few_rows_are_one_file(session: Session) -> None:
    session.sql("CREATE TABLE t AS SELECT id, concat('n', id) AS name FROM range(10)")
    assert writers(session) == [OURS]


@pytest.mark.parametrize(
    "query",
    ["SELECT id FROM range(100000)", "SELECT id FROM csv.`{here}/rows.csv` AS v(id)", "SELECT id FROM given"],
    ids=["many", "who knows", "the caller's"],
)
def test_what_may_be_many_rows_is_sparks(session: Session, tmp_path: Path, query: str) -> None:
    (tmp_path / "rows.csv").write_text("1\n2\n")
    spark = session.sql("SELECT 1").df.sparkSession
    spark.range(3).createOrReplaceTempView("given")
    try:
        session.sql(f"CREATE TABLE t AS {query.format(here=tmp_path)}")
        assert set(writers(session)) == {SPARKS}
    finally:
        # Tests of one process share the Spark session: SHOW TABLES of another test would list the view.
        spark.catalog.dropTempView("given")


@pytest.mark.parametrize(
    ("setting", "value"), [("spark.sql.parquet.compression.codec", "gzip"), ("spark.sql.files.maxRecordsPerFile", "1")]
)
def test_settings_of_files_are_for_spark(session: Session, setting: str, value: str) -> None:
    session.sql(f"SET {setting} = {value}")
    session.sql("CREATE TABLE t AS SELECT id FROM range(4)")
    assert set(writers(session)) == {SPARKS}


def test_a_session_that_was_handed_in_writes_itself(session: Session, tmp_path: Path) -> None:
    spark = session.sql("SELECT 1").df.sparkSession.newSession()
    spark.conf.set("spark.deltasql.own", "")
    spark.conf.unset("spark.deltasql.own")
    with connect(str(tmp_path / "other"), spark) as given:
        given.sql("CREATE TABLE t AS SELECT id FROM range(4)")
        assert set(writers(given)) == {SPARKS}


@pytest.mark.parametrize("mark", [{"org.apache.spark.version": "2.4.8"}, {"org.apache.spark.legacyDateTime": ""}])
def test_days_of_the_julian_calendar_are_read_as_spark_reads_them(session: Session, mark: dict[str, str]) -> None:
    """Spark 2 wrote days before 1582-10-15 as days of another calendar; later ones say so in the footer."""
    session.sql("CREATE TABLE t (day DATE)")
    session.sql("INSERT INTO t VALUES (DATE'1500-01-01')")
    (path,) = data_files(session)
    old = {"org.apache.spark.version": "3.1.0", **mark}
    table = pa.table({"day": pa.array([date(1500, 1, 1)])}).replace_schema_metadata(old)
    pq.write_table(table, path)
    few = session.sql("SELECT day FROM t").collect()
    session.sql("SET deltasql.io.mode = EXECUTORS")
    assert few == session.sql("SELECT day FROM t").collect() != [(date(1500, 1, 1),)]


@pytest.mark.parametrize("mode", ["AUTO", "DRIVER", "EXECUTORS"])
@pytest.mark.parametrize("option", ["", "delta.enableDeletionVectors", "delta.enableRowTracking"])
def test_conditions_may_name_the_file_of_a_row(session: Session, mode: str, option: str) -> None:
    properties = f" TBLPROPERTIES ('{option}' = 'true')" if option else ""
    session.sql(f"SET deltasql.io.mode = {mode}")
    session.sql(f"CREATE TABLE t (id BIGINT, name STRING){properties}")
    for row in ("(0, 'a'), (1, 'b')", "(2, 'c'), (3, 'd')"):
        session.sql(f"INSERT INTO t VALUES {row}")
    ((file,),) = session.sql("SELECT DISTINCT _metadata.file_name FROM t WHERE id = 0").collect()
    session.sql(f"UPDATE t SET name = 'first' WHERE _metadata.file_name = '{file}'")
    session.sql("DELETE FROM t WHERE t._METADATA.row_index = 1 AND id > 1")
    session.sql(
        "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id AND t._metadata.file_size > 0 "
        "WHEN MATCHED THEN UPDATE SET name = 'merged'"
    )
    assert session.sql("SELECT * FROM t ORDER BY id").collect() == [(0, "first"), (1, "first"), (2, "merged")]


@pytest.mark.parametrize(("kind", "who"), [("INT", "driver"), ("VARIANT", "executors")])
def test_plans_know_that_variants_are_sparks(session: Session, kind: str, who: str) -> None:
    session.sql(f"CREATE TABLE t (a {kind})")
    session.sql("SET deltasql.io.mode = AUTO")
    plan = session.sql("EXPLAIN INSERT INTO t SELECT * FROM t").collect()[0][0]
    assert f"write t: by the {who}" in plan
