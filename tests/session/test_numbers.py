"""Numbers of identity columns: unique over many tasks, in every session, whoever else writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql import DeltaSqlError, Session
from deltasql.engines.spark.reading.frames import numbered
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan.hidden_names import ORDINAL

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(("tasks", "rows"), [(1, 3), (7, 20_000), (5, 3), (3, 3_072)])
def test_no_number_comes_twice(session: Session, tasks: int, rows: int) -> None:
    session.sql("SELECT 1").collect()
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    assert spark is not None
    # A session that was handed in: how many tasks it will have is not known.
    for single in (False, True):
        frame = numbered(SparkHandle(spark), spark.range(0, rows, 1, tasks), single=single)
        values = [row[0] for row in frame.select(ORDINAL).collect()]
        assert len(set(values)) == rows
        assert min(values) >= 0
        assert not single or sorted(values) == list(range(rows))


def test_a_large_insert_and_a_large_merge(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 7 INCREMENT BY 3), v BIGINT)")
    session.sql("INSERT INTO t (v) SELECT id FROM range(0, 50000, 1, 9)")
    session.sql(
        "MERGE INTO t USING (SELECT id AS v FROM range(40000, 90000, 1, 9)) s ON t.v = s.v "
        "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v)"
    )
    session.sql("INSERT INTO t (v) SELECT id FROM range(90000, 90100)")
    unique, rows, astray = session.sql(
        "SELECT count(DISTINCT id), count(*), count_if((id - 7) % 3 <> 0) FROM t"
    ).collect()[0]
    assert (unique, rows, astray) == (90_100, 90_100, 0)


def test_the_second_of_two_writers_fails_and_can_go_again(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "shared"
    session.sql(f"CREATE TABLE delta.`{path}` (id BIGINT GENERATED ALWAYS AS IDENTITY, v INT)")
    log = session.log(f"delta.`{path}`")
    stale = log.snapshot()
    insert = f"INSERT INTO delta.`{path}` (v) VALUES (1)"
    session.sql(insert)
    with deltasql.connect(str(tmp_path / "other")) as other:
        # The other session planned on what it read before.
        other_log = other.log(f"delta.`{path}`")
        other_log.snapshot = lambda version=None: stale  # type: ignore[method-assign]
        with pytest.raises(DeltaSqlError) as caught:
            other.sql(insert)
        assert caught.value.condition in {"DELTA_METADATA_CHANGED", "DELTA_CONCURRENT_WRITE"}
    session.sql(insert)
    assert session.sql(f"SELECT id FROM delta.`{path}` ORDER BY id").collect() == [(1,), (2,)]
