"""Statements in a Spark session of the caller's, whose settings are Spark's own: adaptive execution among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session, connect

pytestmark = pytest.mark.spark

EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"


@pytest.fixture
def given(session: Session, tmp_path: Path) -> Iterator[Session]:
    """A session over a Spark session that was handed in, with a table `t` whose files are a partition each."""
    spark = session.sql("SELECT 1").df.sparkSession.newSession()
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    with connect(str(tmp_path / "given"), spark=spark) as opened:
        opened.sql("CREATE TABLE t (id INT, v INT) PARTITIONED BY (id)")
        opened.sql("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
        yield opened


@pytest.mark.parametrize("vectors", [True, False])
def test_what_is_counted_stays_where_nothing_is_written(given: Session, vectors: bool) -> None:
    given.sql(f"ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    done = given.sql(
        "MERGE INTO t USING (SELECT * FROM VALUES (1, 10), (2, 0) AS s(id, v)) AS s ON t.id = s.id "
        "WHEN MATCHED AND t.v <> s.v THEN UPDATE SET v = s.v + 1 "
        "WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED AND s.v < 0 THEN INSERT *"
    )
    assert done.collect() == [(2, 1, 1, 0)]
    assert done.metrics["numSourceRows"] == 2
    nothing = given.sql(
        "MERGE INTO t USING (SELECT 3 AS id, 30 AS v) AS s ON t.id = s.id "
        "WHEN MATCHED AND t.v <> s.v THEN UPDATE SET v = 0 WHEN MATCHED THEN DELETE"
    )
    assert nothing.collect() == [(1, 0, 1, 0)]
    assert given.sql("SELECT * FROM t ORDER BY id").collect() == [(2, 1)]


def test_rules_that_the_caller_excludes_stay_excluded(given: Session) -> None:
    spark = given.sql("SELECT 1").df.sparkSession
    own = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    spark.conf.set(EXCLUDED, own)
    given.sql("DELETE FROM t WHERE v = 10")
    assert spark.conf.get(EXCLUDED) == own


def test_a_default_that_python_has_no_value_for(given: Session) -> None:
    given.sql("SET spark.sql.session.timeZone = Asia/Tokyo")
    given.sql(
        "CREATE TABLE d (id INT, at TIMESTAMP DEFAULT TIMESTAMP '0001-01-02 00:00:00') "
        "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    given.sql("INSERT INTO d (id) VALUES (1)")
    assert given.sql("SELECT CAST(at AS STRING) FROM d").collect() == [("0001-01-02 00:00:00",)]
