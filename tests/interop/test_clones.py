"""Clones that we make, read by delta-spark, delta-rs and DuckDB, and written by the first."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import deltasql
from tests.interop.readers import own_rows, readers_of
from tests.oracle.client import oracle


def test_clones_are_read_by_others(session: deltasql.Session) -> None:
    session.sql(
        "CREATE TABLE s (a INT, p STRING, d DATE) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    session.sql("INSERT INTO s VALUES (1, 'x y', DATE'2024-01-31'), (2, 'z%', NULL), (3, NULL, NULL)")
    session.sql("ALTER TABLE s RENAME COLUMN d TO day")
    session.sql("CREATE TABLE v (a INT, p STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("INSERT INTO v SELECT CAST(id AS INT), 'q' FROM range(0, 9, 1, 1)")
    session.sql("DELETE FROM v WHERE a IN (1, 4)")
    for source in "sv":
        session.sql(f"CREATE TABLE {source}_shallow SHALLOW CLONE {source}")
        session.sql(f"CREATE TABLE {source}_twice SHALLOW CLONE {source}_shallow")
        session.sql(f"CREATE TABLE {source}_deep CLONE {source}_twice")
    session.sql("INSERT INTO v VALUES (10, 'new')")
    session.sql("DELETE FROM v WHERE a = 7")
    session.sql("CREATE OR REPLACE TABLE v_deep CLONE v")
    for name in ("s_shallow", "s_twice", "s_deep", "v_shallow", "v_twice", "v_deep"):
        expected = own_rows(session, f"SELECT * FROM {name}")
        path = Path(session.log(name).location)
        for reader, read in readers_of(path).items():
            assert read(path, None) == expected, (name, reader)
    path = Path(session.log("v_twice").location)
    oracle().run(f"UPDATE delta.`{path}` SET p = 'spark' WHERE a = 2", f"DELETE FROM delta.`{path}` WHERE a = 3")
    assert own_rows(session, "SELECT a, p FROM v_twice WHERE a < 4") == [[0, "q"], [2, "spark"]]
    assert own_rows(session, "SELECT count(*) FROM v_shallow") == [[7]]


def test_clones_of_parquet_files_are_read_by_others(session: deltasql.Session, tmp_path: Path) -> None:
    root = tmp_path / "raw ü"
    root.mkdir()
    for number in range(2):
        rows = {"a": pa.array([number, None], pa.int32()), "at": pa.array([0, 1], pa.timestamp("us", "UTC"))}
        pq.write_table(pa.table(rows), root / f"{number}.parquet")
    for kind in ("shallow", "deep"):
        session.sql(f"CREATE TABLE {kind}_clone {kind} CLONE parquet.`{root}`")
        expected = own_rows(session, f"SELECT * FROM {kind}_clone")
        assert len(expected) == 4
        path = Path(session.log(f"{kind}_clone").location)
        for reader, read in readers_of(path).items():
            assert read(path, None) == expected, (kind, reader)


def test_clones_of_delta_spark_are_cloned(session: deltasql.Session, tmp_path: Path) -> None:
    source, clone = (f"delta.`{tmp_path / name}`" for name in ("source", "clone"))
    oracle().run(
        f"CREATE TABLE {source} (a INT, p STRING) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        f"INSERT INTO {source} SELECT CAST(id AS INT), 'x y' FROM range(0, 9, 1, 1)",
        f"DELETE FROM {source} WHERE a = 1",
        f"CREATE TABLE {clone} SHALLOW CLONE {source}",
    )
    session.sql(f"CREATE TABLE deep CLONE {clone}")
    session.sql(f"CREATE TABLE shallow SHALLOW CLONE {clone}")
    for name in ("deep", "shallow"):
        assert own_rows(session, f"SELECT count(*), sum(a) FROM {name}") == [[8, 35]]
    (copied,) = session.sql(f"CREATE OR REPLACE TABLE deep CLONE {source}").collect()
    assert copied.num_copied_files == 0
