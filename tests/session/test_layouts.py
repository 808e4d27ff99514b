"""OPTIMIZE and REORG on Spark: what the new files hold, and in which order."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from deltasql import Session
from deltasql.base.errors import ConcurrentDeleteDeleteError, ConcurrentDeleteReadError
from deltasql.log.actions.actions import AddFile

pytestmark = pytest.mark.spark


def live(session: Session, table: str) -> list[AddFile]:
    snapshot = session.log(table).snapshot()
    return snapshot.add_files(snapshot.files(("path",)).column("path").to_pylist())


def stored(session: Session, table: str, file: AddFile, column: str) -> list[Any]:
    """A column of a data file, in the file's order."""
    values: list[Any] = pq.read_table(Path(session.log(table).location) / file.path).column(column).to_pylist()
    return values


def test_rows_keep_their_order_and_the_tag_tells_where_they_were(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT, p INT) PARTITIONED BY (p)")
    for start in (7000, 0, 3000):
        session.sql(f"INSERT INTO t SELECT /*+ COALESCE(1) */ {start} + id, id % 3 FROM range(1000)")
    before = {file.path: stored(session, "t", file, "id") for file in live(session, "t")}
    result = session.sql("OPTIMIZE t")
    assert result.metrics["numAddedFiles"] == 3
    after = live(session, "t")
    assert sorted(file.partition_values["p"] or "" for file in after) == ["0", "1", "2"]
    for file in after:
        assert file.tags is not None
        assert not file.data_change
        sources = json.loads(file.tags["deltasql.src"] or "")
        assert [(path, None, len(before[path])) for path, _, _ in sources] == [tuple(item) for item in sources]
        assert stored(session, "t", file, "id") == [row for path, _, _ in sources for row in before[path]]


def test_many_bins_are_one_job(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT, p BIGINT) PARTITIONED BY (p)")
    for _ in range(2):
        session.sql("INSERT INTO t SELECT id, id % 100 FROM range(1000)")
    spark = session.sql("SELECT 1").df.sparkSession
    spark.sparkContext.setJobGroup("optimize", "")
    (row,) = session.sql("OPTIMIZE t").collect()
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup("optimize")
    assert (row.metrics.numBins, row.metrics.numFilesAdded, row.metrics.partitionsOptimized) == (100, 100, 100)
    assert len(jobs) <= 3
    assert session.sql("SELECT count(*), count(DISTINCT id), sum(p) FROM t").collect() == [(2000, 1000, 99000)]


@pytest.mark.parametrize("size", [None, 4000])
def test_z_order_makes_files_that_queries_skip(session: Session, size: int | None) -> None:
    session.sql("CREATE TABLE t (x INT, y STRING, n INT)")
    rows = "SELECT CAST(id % 97 AS INT), CAST(id * 31 % 89 AS STRING), CAST(id AS INT) FROM range(20000)"
    for _ in range(3):
        session.sql(f"INSERT INTO t {rows}")
    total = sum(file.size for file in live(session, "t"))
    files = 16 if size is None else total // size
    session.sql(f"SET spark.databricks.delta.optimize.maxFileSize = {total // files}")
    (row,) = session.sql("OPTIMIZE t ZORDER BY (x, y)").collect()
    assert row.metrics.zOrderStats.numOutputCubes == 1
    assert abs(row.metrics.numFilesAdded - files) <= 1
    counts = [json.loads(file.stats or "")["numRecords"] for file in live(session, "t")]
    assert sum(counts) == 60000
    assert max(counts) < 2 * 60000 / len(counts)
    for condition in ("x = 11", "y = '40'"):
        plan = session.sql(f"EXPLAIN SELECT * FROM t WHERE {condition}").collect()[0].plan
        read = int(plan.split("files: ")[1].split(" read")[0])
        assert read <= len(counts) / 2, plan
    assert session.sql("SELECT count(*), sum(x), sum(n) FROM t").collect() == [(60000, 2877867, 599970000)]


def test_every_type_can_be_ordered_by(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (a BOOLEAN, b TINYINT, c BIGINT, d FLOAT, e DOUBLE, f DECIMAL(38,10), g STRING, h BINARY, "
        "i DATE, j TIMESTAMP, k TIMESTAMP_NTZ, l STRUCT<x: INT, y: STRING>, m ARRAY<INT>, n MAP<STRING, INT>)"
    )
    session.sql(
        "INSERT INTO t VALUES (true, 1, 9223372036854775807, float('NaN'), double('-Infinity'), 1.5, 'é\\'`\"', "
        "X'00ff', DATE'0001-01-01', TIMESTAMP'9999-12-31 23:59:59.999999', TIMESTAMP_NTZ'2024-03-31 02:30:00', "
        "named_struct('x', 1, 'y', 'z'), array(1, NULL), map('k', 1))"
    )
    session.sql(
        "INSERT INTO t SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
    )
    session.sql("SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false")
    before = session.sql("SELECT to_json(struct(*)) AS row FROM t ORDER BY row").collect()
    for column in session.log("t").snapshot().schema.names:
        assert session.sql(f"OPTIMIZE t ZORDER BY ({column})").collect()[0].metrics.numFilesRemoved >= 1
    session.sql("OPTIMIZE t ZORDER BY (a, b, c, d, e, f, g, h, i, j, k, l, m, n)")
    assert session.sql("SELECT to_json(struct(*)) AS row FROM t ORDER BY row").collect() == before


def test_a_purge_leaves_no_trace_of_a_dropped_column(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id INT, secret STRING, p INT) PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    session.sql("INSERT INTO t VALUES (1, 'hidden', 1), (2, 'hidden too', 2)")
    session.sql("ALTER TABLE t DROP COLUMN secret")
    session.sql("INSERT INTO t VALUES (3, 1)")
    kept = live(session, "t")[-1].path
    root = Path(session.log("t").location)
    assert any("hidden" in str(pq.read_table(root / file.path).to_pylist()) for file in live(session, "t"))
    session.sql("REORG TABLE t APPLY (PURGE)")
    files = live(session, "t")
    assert kept in {file.path for file in files}
    assert [pq.read_schema(root / file.path).names for file in files] == [pq.read_schema(root / kept).names] * 3
    assert session.sql("SELECT * FROM t ORDER BY id").collect() == [(1, 1), (2, 2), (3, 1)]


def test_a_conflict_takes_the_new_files_away(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT INTO t VALUES ({number})")
    log = session.log("t")
    old = log.snapshot()
    session.sql("DELETE FROM t WHERE id = 1")
    before = set(Path(log.location).rglob("*.parquet"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(log), "snapshot", lambda self, version=None: old)
        with pytest.raises((ConcurrentDeleteReadError, ConcurrentDeleteDeleteError)):
            session.sql("OPTIMIZE t")
    assert set(Path(log.location).rglob("*.parquet")) == before
    assert session.sql("SELECT * FROM t ORDER BY id").collect() == [(0,), (2,)]


def test_an_append_in_between_does_not_matter(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT INTO t VALUES ({number})")
    log = session.log("t")
    old = log.snapshot()
    session.sql("INSERT INTO t VALUES (3)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(log), "snapshot", lambda self, version=None: old)
        assert session.sql("OPTIMIZE t").attempts == 2
    assert session.sql("SELECT * FROM t ORDER BY id").collect() == [(0,), (1,), (2,), (3,)]


def test_clustering_orders_along_hilberts_curve(session: Session) -> None:
    session.sql("CREATE TABLE t (x INT, y INT, z INT) CLUSTER BY (x, y)")
    session.sql("INSERT INTO t SELECT CAST(id % 64 AS INT), CAST(id DIV 64 AS INT), CAST(id AS INT) FROM range(4096)")
    session.sql("OPTIMIZE t")
    (file,) = live(session, "t")
    path = list(zip(stored(session, "t", file, "x"), stored(session, "t", file, "y"), strict=True))
    # 64 by 64 values are ranges of one each, so that the curve steps from neighbour to neighbour.
    assert {abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(path)} == {1}
    assert file.clustering_provider == "liquid"
    assert file.tags is not None
    assert (file.tags["ZCUBE_ZORDER_BY"], file.tags["ZCUBE_ZORDER_CURVE"]) == ('["x","y"]', "hilbert")


@pytest.mark.parametrize("columns", [["x"], ["x", "y", "z"], ["x", "y", "z", "t"]])
def test_clustered_files_are_skipped_by_every_column(session: Session, columns: list[str]) -> None:
    session.sql(f"CREATE TABLE t (x INT, y DATE, z STRING, t DECIMAL(9,2)) CLUSTER BY ({', '.join(columns)})")
    session.sql(
        "INSERT INTO t SELECT CAST(id % 31 AS INT), date_add(DATE'2020-01-01', CAST(id % 37 AS INT)), "
        "CAST(id % 41 AS STRING), CAST(id % 43 AS DECIMAL(9,2)) FROM range(20000)"
    )
    session.sql(f"SET spark.databricks.delta.optimize.maxFileSize = {live(session, 't')[0].size // 16}")
    session.sql("OPTIMIZE t")
    assert len(live(session, "t")) >= 12
    values = {"x": "3", "y": "DATE'2020-01-09'", "z": "'17'", "t": "5.00"}
    for column in columns:
        query = f"SELECT * FROM t WHERE {column} = {values[column]}"
        plan = session.sql(f"EXPLAIN {query}").collect()[0].plan
        assert int(plan.split("files: ")[1].split(" read")[0]) < len(live(session, "t")), plan
    assert session.sql("SELECT count(*), sum(x), count(DISTINCT z) FROM t").collect() == [(20000, 299935, 41)]


@pytest.mark.parametrize("order", ["", "ZORDER BY (id)"])
def test_rows_keep_their_ids(session: Session, order: str) -> None:
    session.sql(
        "CREATE TABLE t (id BIGINT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableRowTracking' = 'true')"
    )
    for start in (30, 0):
        session.sql(f"INSERT INTO t SELECT {start} + id, id % 2 FROM range(10)")
    session.sql("UPDATE t SET id = -id WHERE id IN (3, 34)")
    query = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t ORDER BY id"
    before = session.sql(query).collect()
    session.sql(f"OPTIMIZE t {order}")
    assert len(live(session, "t")) == 2
    assert session.sql(query).collect() == before
    info = session.log("t").snapshot().commit_info()
    assert info is not None
    assert info.values["tags"] == {"delta.rowTracking.preserved": "true"}


@pytest.mark.parametrize("statement", ["OPTIMIZE t", "REORG TABLE t APPLY (PURGE)", "OPTIMIZE t ZORDER BY (id)"])
def test_deleted_rows_are_left_out(session: Session, statement: str) -> None:
    session.sql("CREATE TABLE t (id BIGINT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    for start in (1000, 0):
        session.sql(f"INSERT INTO t SELECT /*+ COALESCE(1) */ {start} + id FROM range(1000)")
    session.sql("DELETE FROM t WHERE id % 7 = 0")
    expected = [row.id for row in session.sql("SELECT id FROM t").collect()]
    vectors = [file.deletion_vector for file in live(session, "t")]
    assert all(vectors)
    (row,) = session.sql(statement).collect()
    assert row.metrics.deletionVectorStats == (2, sum(vector.cardinality for vector in vectors if vector))
    (file,) = live(session, "t")
    assert (file.deletion_vector, row.metrics.numFilesRemoved) == (None, 2)
    kept = stored(session, "t", file, "id")
    assert sorted(kept) == sorted(expected)
    if "ZORDER" not in statement:
        assert kept == expected
        assert file.tags is not None
        sources = json.loads(file.tags["deltasql.src"] or "")
        assert [(vector, rows) for _, vector, rows in sources] == [
            (vector.unique_id, 1000 - vector.cardinality) for vector in vectors if vector
        ]
