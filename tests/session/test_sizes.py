"""Few rows are run without what only many rows are worth; what the user has set wins."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql import Session

pytestmark = pytest.mark.spark

PLAN = "spark.sql.codegen.wholeStage"
GROUPS = "SELECT id % 7 AS k, count(*) AS n FROM range({rows}) GROUP BY 1"


def fast(session: Session, query: str) -> bool:
    """Whether the query runs without generated code."""
    result = session.sql(query)
    seen: list[str] = []
    source = result._source
    collect = type(source.df).collect

    def noted(frame: object) -> object:
        seen.append(result.df.sparkSession.conf.get(PLAN) or "")
        return collect(frame)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(source.df), "collect", noted)
        result.collect()
    return seen == ["false"]


def test_what_is_small(people: Session) -> None:
    assert fast(people, "SELECT upper(name) FROM people")
    assert fast(people, "SELECT * FROM people a JOIN people b ON a.id = b.id")
    assert fast(people, "SELECT * FROM people a, people b")
    assert fast(people, "SELECT id, spark_partition_id() FROM VALUES (1), (2) AS q (id)")
    assert fast(people, "SELECT * FROM range(10)")
    people.sql("CREATE TEMP VIEW named AS SELECT * FROM people WHERE name IS NOT NULL")
    assert fast(people, "SELECT count(*) FROM named")


def test_what_may_be_large(people: Session, tmp_path: Path) -> None:
    assert not fast(people, GROUPS.format(rows=100_000))
    spark = people.sql("SELECT 1").df.sparkSession
    spark.range(3).createOrReplaceTempView("from_outside")
    spark.range(3).write.parquet(str(tmp_path / "data"))
    assert not fast(people, "SELECT * FROM from_outside")
    assert not fast(people, f"SELECT * FROM parquet.`{tmp_path / 'data'}`")
    assert not fast(people, "SELECT * FROM people WHERE id IN (SELECT id FROM from_outside)")
    assert not fast(people, "SELECT explode(sequence(1, 3))")
    assert not fast(people, "SELECT p.* FROM people p, people a, people b, people c, people d, people e")
    people.sql("CREATE TEMP VIEW wide AS SELECT * FROM from_outside")
    assert not fast(people, "SELECT * FROM wide")
    spark.catalog.dropTempView("from_outside")


def test_what_set_says_wins(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "a")) as session:
        session.sql(f"SET {PLAN} = true")
        assert not fast(session, "SELECT spark_partition_id()")
        session.sql(f"RESET {PLAN}")
        assert fast(session, "SELECT spark_partition_id()")
        session.sql("SET spark.sql.shuffle.partitions = 3")
        session.sql("SET spark.sql.adaptive.enabled = false")
        query = f"SELECT DISTINCT spark_partition_id() FROM ({GROUPS.format(rows=100)})"
        assert session.sql(query).count() == 3


def test_what_was_set_does_not_outlive_its_session(tmp_path: Path) -> None:
    """RESET and the end of a session bring back what Spark began with, which is not Spark's own default."""
    with deltasql.connect(str(tmp_path / "a")) as session:
        conf = session.sql("SELECT 1").df.sparkSession.conf
        before = conf.get("spark.sql.shuffle.partitions")
        for end in ("RESET spark.sql.shuffle.partitions", "RESET"):
            session.sql("SET spark.sql.shuffle.partitions = 3")
            session.sql(end)
            assert conf.get("spark.sql.shuffle.partitions") == before
        session.sql("SET spark.sql.shuffle.partitions = 3")
    with deltasql.connect(str(tmp_path / "b")) as session:
        assert session.sql("SELECT 1").df.sparkSession.conf.get("spark.sql.shuffle.partitions") == before
