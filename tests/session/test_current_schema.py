"""What names mean: views, the current schema, and what a Spark knows besides us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deltasql import Session, connect
from deltasql.base.errors import CatalogNotFoundError, TableNotFoundError, ViewNotFoundError
from deltasql.base.errors.base import DeltaSqlError


@pytest.fixture
def spark(session: Session) -> SparkSession:
    return session.sql("SELECT 1").df.sparkSession


@pytest.fixture
def given(tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    """A session over a Spark session that was handed in."""
    with connect(str(tmp_path / "warehouse"), spark=spark.newSession()) as opened:
        yield opened


@pytest.fixture(params=["own", "given"])
def either(request: pytest.FixtureRequest) -> Session:
    opened: Session = request.getfixturevalue("session" if request.param == "own" else "given")
    return opened


def rows(session: Session, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


@pytest.mark.spark
def test_a_view_keeps_its_schema_and_settings(either: Session) -> None:
    for sql in (
        "CREATE SCHEMA prod",
        "CREATE TABLE o AS SELECT 'default' AS x",
        "CREATE TABLE prod.o AS SELECT 'prod' AS x",
        "USE prod",
        "SET spark.sql.session.timeZone = Asia/Tokyo",
        "SET spark.sql.ansi.enabled = false",
        "CREATE TEMP VIEW v AS SELECT x, unix_seconds(TIMESTAMP'2024-01-01 00:00:00') u, CAST(x AS INT) i FROM o",
        "CREATE TEMP VIEW w AS SELECT u, unix_seconds(TIMESTAMP'2024-01-01 00:00:00') here FROM v",
        "USE default",
        "SET spark.sql.session.timeZone = UTC",
        "SET spark.sql.ansi.enabled = true",
    ):
        either.sql(sql)
    assert rows(either, "SELECT * FROM v") == [("prod", 1704034800, None)]
    assert rows(either, "SELECT * FROM w") == [(1704034800, 1704034800)]
    assert rows(either, "SELECT unix_seconds(TIMESTAMP'2024-01-01 00:00:00')") == [(1704067200,)]


@pytest.mark.spark
def test_settings_of_the_session_that_was_handed_in_are_kept(given: Session) -> None:
    conf = given.sql("SELECT 1").df.sparkSession.conf
    conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    given.sql("CREATE TEMP VIEW v AS SELECT unix_seconds(TIMESTAMP'2024-01-01 00:00:00') AS u")
    conf.set("spark.sql.session.timeZone", "UTC")
    assert rows(given, "SELECT * FROM v") == [(1704034800,)]
    assert conf.get("spark.sql.session.timeZone") == "UTC"


@pytest.mark.spark
def test_views_of_dataframes_and_of_sql_take_each_others_names(either: Session) -> None:
    either.sql("CREATE TEMP VIEW names_v AS SELECT 1 AS a")
    either.sql("SELECT 2 AS b").df.createOrReplaceTempView("names_v")
    assert rows(either, "SELECT * FROM names_v") == [(2,)]
    assert [row[0] for row in rows(either, "DESCRIBE names_v")] == ["b"]
    with pytest.raises(DeltaSqlError, match="already"):
        either.sql("CREATE TEMP VIEW names_v AS SELECT 3 AS c")
    either.sql("CREATE OR REPLACE TEMP VIEW names_v AS SELECT 3 AS c")
    assert rows(either, "SELECT * FROM names_v") == [(3,)]
    assert rows(either, "SHOW VIEWS LIKE 'names_v'") == [("", "names_v", True, False)]
    either.sql("SELECT 4 AS d").df.createOrReplaceTempView("names_v")
    either.sql("DROP VIEW names_v")
    with pytest.raises(ViewNotFoundError):
        either.sql("DROP VIEW names_v")


@pytest.mark.spark
def test_views_of_dataframes_are_shown_and_renamed(either: Session) -> None:
    either.sql("SELECT 2 AS b").df.createOrReplaceTempView("names_frame")
    assert rows(either, "SHOW VIEWS LIKE 'names_f*'") == [("", "names_frame", True, False)]
    assert rows(either, "SHOW TABLES LIKE 'names_f*'") == [("", "names_frame", True)]
    either.sql("ALTER VIEW names_frame RENAME TO names_other")
    assert rows(either, "SELECT * FROM names_other") == [(2,)]
    either.sql("ALTER VIEW names_other AS SELECT 5 AS e")
    assert rows(either, "SELECT * FROM names_other") == [(5,)]
    either.sql("DROP VIEW names_other")


@pytest.mark.spark
def test_a_global_view_is_seen_by_all_sessions_of_a_warehouse(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS a")
    session.sql("CREATE GLOBAL TEMP VIEW names_shared AS SELECT a + 1 AS b FROM t")
    with connect(str(tmp_path / "warehouse")) as other:
        assert rows(other, "SELECT * FROM global_temp.names_shared") == [(2,)]
        other.sql("DROP VIEW global_temp.names_shared")
    with pytest.raises(TableNotFoundError):
        session.sql("SELECT * FROM global_temp.names_shared")
    with connect(str(tmp_path / "elsewhere")) as foreign:
        session.sql("CREATE GLOBAL TEMP VIEW names_shared AS SELECT a FROM t")
        with pytest.raises(TableNotFoundError):
            foreign.sql("SELECT * FROM global_temp.names_shared")
    session.sql("DROP VIEW global_temp.names_shared")


@pytest.mark.spark
def test_a_spark_of_ours_has_no_tables(session: Session, spark: SparkSession) -> None:
    """What another program makes in Spark's own catalog is not there, since SHOW TABLES does not show it."""
    spark.sql("CREATE TABLE names_leak USING parquet AS SELECT 1 AS a")
    try:
        for name in ("names_leak", "default.names_leak", "spark_catalog.default.names_leak"):
            with pytest.raises(TableNotFoundError):
                session.sql(f"SELECT * FROM {name}")
        assert not Path("spark-warehouse").exists()
    finally:
        spark.sql("DROP TABLE names_leak")


@pytest.mark.spark
def test_tables_of_a_spark_that_was_handed_in_can_be_queried(given: Session, spark: SparkSession) -> None:
    spark.sql("CREATE TABLE names_theirs USING parquet AS SELECT 1 AS a")
    try:
        assert rows(given, "SELECT * FROM names_theirs") == [(1,)]
        given.sql("CREATE TABLE names_theirs AS SELECT 2 AS a")
        assert rows(given, "SELECT * FROM names_theirs") == [(2,)]
    finally:
        spark.sql("DROP TABLE names_theirs")


@pytest.mark.spark
def test_another_catalog_is_told_alike_everywhere(either: Session) -> None:
    either.sql("CREATE TABLE t (a INT)")
    for sql in (
        "SELECT * FROM other.default.t",
        "INSERT INTO other.default.t VALUES (1)",
        "DELETE FROM other.default.t",
        "CREATE TABLE other.default.u (a INT)",
        "DESCRIBE other.default.t",
        "CREATE TEMP VIEW v AS SELECT * FROM t, other.default.t",
    ):
        with pytest.raises(CatalogNotFoundError) as caught:
            either.sql(sql)
        assert caught.value.caret is not None
    assert rows(either, "SELECT count(*) FROM spark_catalog.default.t") == [(0,)]
