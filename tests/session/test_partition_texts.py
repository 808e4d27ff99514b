"""Partition values whose texts are not one to one with them: hours that clocks show twice, zeros with two signs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect

TWICE = "TIMESTAMP '2024-10-27 00:30:00Z'", "TIMESTAMP '2024-10-27 01:30:00Z'"
STORED = ["2024-10-27T00:30:00.000000Z", "2024-10-27T01:30:00.000000Z"]
MODES = ("EXECUTORS", "DRIVER", "sail")


@pytest.fixture(
    params=[pytest.param(mode, marks=pytest.mark.sail if mode == "sail" else pytest.mark.spark) for mode in MODES]
)
def berlin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A session in a zone with two times of the year, each engine and mover."""
    with connect(str(tmp_path / "warehouse"), engine="sail" if request.param == "sail" else "spark") as session:
        session.sql("SET spark.sql.session.timeZone = Europe/Berlin")
        if request.param != "sail":
            session.sql(f"SET deltasql.io.mode = {request.param}")
        yield session


def stored(session: Session, table: str = "p") -> list[str | None]:
    """The partition values of the log."""
    files = session.log(table).snapshot().files(("partitionValues",)).column("partitionValues").to_pylist()
    return sorted({value for file in files for value in file.values() if value is not None})


def moments(session: Session, table: str = "p") -> list[tuple[int, int]]:
    """The rows, with seconds since the epoch."""
    return [tuple(row) for row in session.sql(f"SELECT a, CAST(ts AS BIGINT) s FROM {table} ORDER BY a").collect()]


SECONDS = 1729989000, 1729992600


@pytest.mark.parametrize("vectors", ["false", "true"], ids=["files", "vectors"])
def test_an_hour_that_the_clocks_show_twice(berlin: Session, vectors: str) -> None:
    properties = f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}', 'delta.enableChangeDataFeed' = 'true')"
    berlin.sql(f"CREATE TABLE p (a INT, ts TIMESTAMP) PARTITIONED BY (ts) {properties}")
    berlin.sql(f"INSERT INTO p VALUES (1, {TWICE[0]}), (2, {TWICE[1]})")
    assert moments(berlin) == [(1, SECONDS[0]), (2, SECONDS[1])]
    berlin.sql("UPDATE p SET a = abs(a) + 10")
    assert stored(berlin) == STORED
    assert moments(berlin) == [(11, SECONDS[0]), (12, SECONDS[1])]
    berlin.sql("MERGE INTO p USING (SELECT 11 AS k) s ON p.a = s.k WHEN MATCHED THEN UPDATE SET a = abs(p.a) + 10")
    assert moments(berlin) == [(12, SECONDS[1]), (21, SECONDS[0])]
    berlin.sql("CREATE TABLE q (a INT, ts TIMESTAMP) PARTITIONED BY (ts)")
    berlin.sql("INSERT INTO q SELECT abs(a), ts FROM p")
    assert moments(berlin, "q") == moments(berlin)
    assert stored(berlin, "q") == STORED
    changes = berlin.sql("SELECT DISTINCT CAST(ts AS BIGINT) s FROM table_changes('p', 2) ORDER BY s").collect()
    assert changes == [(second,) for second in SECONDS]


def test_moments_from_files(berlin: Session, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    noon = datetime(2024, 7, 1, 12, tzinfo=timezone.utc)
    rows = pa.table({"a": pa.array([1], pa.int32()), "ts": pa.array([noon], pa.timestamp("us", "UTC"))})
    pq.write_table(rows, folder / "x.parquet")
    for name in "pqr":
        berlin.sql(f"CREATE TABLE {name} (a INT, ts TIMESTAMP) PARTITIONED BY (ts)")
    berlin.sql(f"INSERT INTO p SELECT * FROM parquet.`{folder}/x.parquet`")
    berlin.sql(f"INSERT INTO q SELECT abs(a), ts FROM parquet.`{folder}/x.parquet`")
    berlin.sql(f"COPY INTO r FROM '{folder}' FILEFORMAT = PARQUET")
    berlin.sql(f"CREATE TABLE c PARTITIONED BY (ts) AS SELECT abs(a) a, ts FROM parquet.`{folder}/x.parquet`")
    for name in "pqrc":
        assert moments(berlin, name) == [(1, int(noon.timestamp()))], name
        assert stored(berlin, name) == ["2024-07-01T12:00:00.000000Z"]


def test_zeros_with_two_signs(berlin: Session) -> None:
    berlin.sql("CREATE TABLE s (a INT, d DOUBLE, f FLOAT)")
    berlin.sql(
        "INSERT INTO s VALUES (1, 0.0D, 0.0F), (2, -0.0D, -0.0F), (3, 0.0D, -0.0F), (4, -0.0D, 0.0F), (5, 1.5D, NULL)"
    )
    berlin.sql("CREATE TABLE z (a INT, d DOUBLE, f FLOAT) PARTITIONED BY (d, f)")
    berlin.sql("INSERT INTO z SELECT abs(a), d, f FROM s")
    found = berlin.sql("SELECT a, CAST(d AS STRING), CAST(f AS STRING) FROM z ORDER BY a").collect()
    assert found == [
        (1, "0.0", "0.0"),
        (2, "-0.0", "-0.0"),
        (3, "0.0", "-0.0"),
        (4, "-0.0", "0.0"),
        (5, "1.5", None),
    ]
