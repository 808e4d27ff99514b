"""CLUSTER BY in CREATE and ALTER, what keeps clustering columns in place, and what OPTIMIZE then takes. No Spark."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    ClusterAndPartitionError,
    ClusteringColumnCountError,
    ClusteringTypeError,
    ClusteringWithoutStatsError,
    ClusteringWithPredicateError,
    ClusteringWithZOrderError,
    ClusterPartitionedTableError,
    ColumnNotFoundError,
    CreatedClusteringDiffersError,
    DropClusteringColumnError,
    DuplicateColumnsError,
    OptimizeFullError,
    ReplaceClusteredError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.stream_source import clustering_columns
from deltasql.plan.operators import Curve
from deltasql.planner.changes import Answer, LayoutChange
from tests.unit.planner.lab import Lab

Fails = Callable[..., Any]
COLUMNS = "a INT, b STRING, s STRUCT<x: INT, y: BOOLEAN>, l ARRAY<INT>"


def domain(lab: Lab, table: str = "t") -> Any:
    return json.loads(lab.snapshot(table).domains["delta.clustering"])["clusteringColumns"]


def show(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    answer = lab.plan(sql)
    assert isinstance(answer, Answer)
    return list(answer.rows)


def test_create_writes_the_domain_and_the_features(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (A, s.X)")
    snapshot = lab.snapshot("t")
    assert domain(lab) == [["a"], ["s", "x"]]
    assert clustering_columns(snapshot) == (("a",), ("s", "x"))
    assert {"clustering", "domainMetadata"} <= snapshot.protocol.features
    assert snapshot.protocol.min_writer_version == 7
    info = snapshot.commit_info()
    assert info is not None
    assert info.values["operationParameters"]["clusterBy"] == '["a","s.x"]'


def test_physical_names_survive_a_rename(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a, s.x) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    before = domain(lab)
    assert all(name.startswith("col-") for path in before for name in path)
    lab.run("ALTER TABLE t RENAME COLUMN a TO z", "ALTER TABLE t RENAME COLUMN s TO `q r`")
    assert domain(lab) == before
    assert clustering_columns(lab.snapshot("t")) == (("z",), ("q r", "x"))
    assert "CLUSTER BY (z, `q r`.x)" in show(lab, "SHOW CREATE TABLE t")[0][0]
    assert show(lab, "DESCRIBE DETAIL t")[0][8] == ["z", "`q r`.x"]


def test_alter(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS})")
    assert isinstance(lab.plan("ALTER TABLE t CLUSTER BY NONE"), Answer)
    lab.run("ALTER TABLE t CLUSTER BY (b)", "ALTER TABLE t CLUSTER BY (s.x, a)")
    assert domain(lab) == [["s", "x"], ["a"]]
    info = lab.snapshot("t").commit_info()
    assert info is not None
    assert info.values["operationParameters"] == {"oldClusteringColumns": "b", "newClusteringColumns": "s.x,a"}
    lab.run("ALTER TABLE t CLUSTER BY AUTO")
    assert lab.snapshot("t").configuration["clusterByAuto"] == "true"
    assert domain(lab) == [["s", "x"], ["a"]]
    assert "CLUSTER BY AUTO" in show(lab, "SHOW CREATE TABLE t")[0][0]
    lab.run("ALTER TABLE t CLUSTER BY NONE")
    assert (domain(lab), lab.snapshot("t").configuration) == ([], {})
    assert "clustering" in lab.snapshot("t").protocol.features


def test_auto_and_none_in_create(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY AUTO", f"CREATE TABLE u ({COLUMNS}) CLUSTER BY NONE")
    assert domain(lab) == []
    assert lab.snapshot("t").configuration["clusterByAuto"] == "true"
    assert lab.snapshot("u").protocol.min_writer_version == 2


def test_replace_ends_the_clustering(lab: Lab, fails: Fails) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a)", "CREATE OR REPLACE TABLE t (c INT, d INT) CLUSTER BY (d)")
    assert domain(lab) == [["d"]]
    fails("CREATE OR REPLACE TABLE t (c INT, d INT) PARTITIONED BY (d)", ReplaceClusteredError, "t")
    lab.run("CREATE OR REPLACE TABLE t (c INT)")
    assert domain(lab) == []


def test_what_is_looked_at(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (b, s.x)")
    rows = show(lab, "DESCRIBE t")
    assert rows[4:] == [
        ("# Clustering Information", "", ""),
        ("# col_name", "data_type", "comment"),
        ("b", "string", None),
        ("s.x", "int", None),
    ]
    assert ("clusteringColumns", '[["b"],["s","x"]]') in show(lab, "SHOW TBLPROPERTIES t")
    text = show(lab, "SHOW CREATE TABLE t")[0][0]
    assert "delta.feature.clustering" not in text
    lab.run(text.replace("TABLE spark_catalog.default.t", "TABLE u").replace("default.t ", "default.u "))


@pytest.mark.parametrize(
    ("clause", "kind", "at"),
    [
        ("CLUSTER BY (nope)", ColumnNotFoundError, "nope"),
        ("CLUSTER BY (a, l)", ClusteringTypeError, "l"),
        ("CLUSTER BY (s)", ClusteringTypeError, "s"),
        ("CLUSTER BY (s.y)", ClusteringTypeError, "s.y"),
        ("CLUSTER BY (l.element)", ClusteringTypeError, "l.element"),
        ("CLUSTER BY (b, B)", DuplicateColumnsError, "B"),
        ("CLUSTER BY (c1, c2, c3, c4, c5)", ClusteringColumnCountError, None),
        ("CLUSTER BY (b) TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')", ClusteringWithoutStatsError, None),
        ("PARTITIONED BY (b) CLUSTER BY (a)", ClusterAndPartitionError, None),
    ],
)
def test_columns_that_cannot_be_clustered_by(
    clause: str, kind: type[Exception], at: str | None, lab: Lab, fails: Fails
) -> None:
    more = ", c1 INT, c2 INT, c3 INT, c4 INT, c5 INT"
    fails(f"CREATE TABLE t ({COLUMNS}{more}) {clause}", kind, at)
    if "PROPERTIES" not in clause and "PARTITIONED" not in clause:
        lab.run(f"CREATE TABLE t ({COLUMNS}{more})")
        fails(f"ALTER TABLE t {clause}", kind, at)


def test_a_clustering_column_stays_and_keeps_its_statistics(lab: Lab, fails: Fails) -> None:
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingNumIndexedCols' = '3')"
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a, s.x) {mapped}")
    fails("ALTER TABLE t DROP COLUMN a", DropClusteringColumnError, "a")
    fails("ALTER TABLE t DROP COLUMN s", DropClusteringColumnError, "s")
    fails("ALTER TABLE t DROP COLUMN s.x", DropClusteringColumnError, "s.x")
    fails("ALTER TABLE t ADD COLUMN z INT FIRST", ClusteringWithoutStatsError)
    fails("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '2')", ClusteringWithoutStatsError)
    fails("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'a')", ClusteringWithoutStatsError)
    lab.run("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 's,a')")
    lab.run("ALTER TABLE t ADD COLUMN z INT FIRST", "ALTER TABLE t DROP COLUMN s.y")


def test_a_partitioned_table(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)")
    fails("ALTER TABLE t CLUSTER BY (a)", ClusterPartitionedTableError, "t")
    fails("ALTER TABLE t CLUSTER BY NONE", ClusterPartitionedTableError, "t")


def test_a_name_for_a_clustered_table(lab: Lab, fails: Fails) -> None:
    place = lab.warehouse / "place"
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a) LOCATION '{place}'")
    fails(f"CREATE TABLE u CLUSTER BY (b) LOCATION '{place}'", CreatedClusteringDiffersError)
    lab.run(f"CREATE TABLE u CLUSTER BY (A) LOCATION '{place}'", f"CREATE TABLE v LOCATION '{place}'")


def cube(name: str, columns: str = '["a"]') -> dict[str, str | None]:
    return {"ZCUBE_ID": name, "ZCUBE_ZORDER_BY": columns, "ZCUBE_ZORDER_CURVE": "hilbert"}


def taken(lab: Lab, sql: str, *files: tuple[str, int, dict[str, str | None] | None]) -> tuple[set[str], Any]:
    """The paths that OPTIMIZE takes, and the statistics of its result or plan."""
    lab.run(f"CREATE OR REPLACE TABLE t ({COLUMNS}) CLUSTER BY (a)")
    log = lab._at("t")
    Transaction(log, log.snapshot()).commit(
        operations.WRITE, {}, [AddFile(path, {}, size, 1, tags=tags) for path, size, tags in files]
    )
    lab.run("SET spark.databricks.delta.optimize.maxFileSize = 10")
    change = lab.plan(sql)
    if isinstance(change, Answer):
        return set(), change.rows[0][1][6]
    assert isinstance(change, LayoutChange)
    assert change.operator.curve is Curve.HILBERT
    assert change.commit.parameters["isFull"] is sql.endswith("FULL")
    return set(change.operator.target.files.column("path").to_pylist()), change.considered.cubes


def test_optimize_takes_what_is_in_no_full_cube(lab: Lab) -> None:
    other = ("other", 5, cube("3", '["b"]'))
    full, small, new = ("full", 1000, cube("1")), ("small", 999, cube("2")), ("new", 7, None)
    assert taken(lab, "OPTIMIZE t", full, small, new, other)[0] == {"small", "new"}
    assert taken(lab, "OPTIMIZE t", full, small, other)[0] == set()
    assert taken(lab, "OPTIMIZE t", small, ("small too", 5, cube("4")))[0] == {"small", "small too"}
    assert taken(lab, "OPTIMIZE t", full, new)[0] == {"new"}
    _, cubes = taken(lab, "OPTIMIZE t", full, small, new)
    assert (cubes.files, cubes.others, cubes.number) == ((2, 1999), (1, 7), 2)


def test_full_takes_all_but_one_cube_of_the_present_columns(lab: Lab) -> None:
    other, full = ("other", 5, cube("3", '["b"]')), ("full", 1000, cube("1"))
    assert taken(lab, "OPTIMIZE t FULL", full, other)[0] == {"full", "other"}
    assert taken(lab, "OPTIMIZE t FULL", full)[0] == set()
    assert taken(lab, "OPTIMIZE t FULL", other)[0] == {"other"}
    assert taken(lab, "OPTIMIZE t FULL") == (set(), ((0, 0), (0, 0), 0, (0, 0), 0))


def test_optimize_of_a_clustered_table_has_no_choice_of_files(lab: Lab, fails: Fails) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a)")
    fails("OPTIMIZE t WHERE a = 1", ClusteringWithPredicateError, "a = 1")
    fails("OPTIMIZE t ZORDER BY (a, b)", ClusteringWithZOrderError, "a, b")
    lab.run("ALTER TABLE t CLUSTER BY NONE")
    fails("OPTIMIZE t FULL", OptimizeFullError)


def test_a_purged_file_stays_in_its_cube(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.run(f"CREATE TABLE t ({COLUMNS}) CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    log = lab._at("t")
    files = [AddFile("1", {}, 1, 1, tags=cube("x")), AddFile("2", {}, 1, 1, tags=cube("y")), AddFile("3", {}, 1, 1)]
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, files)
    lab.run("ALTER TABLE t DROP COLUMN b")
    monkeypatch.setattr("deltasql.files.foreign_columns", lambda *_: [True] * 3)
    change = lab.plan("REORG TABLE t APPLY (PURGE)")
    assert isinstance(change, LayoutChange)
    assert change.operator.bins.to_pylist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CLUSTER BY (a)", "true"),
        ("CLUSTER BY AUTO", "true"),
        ("CLUSTER BY NONE", None),
        ("", None),
        ("CLUSTER BY (a) TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')", "false"),
        (
            "CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'id', 'delta.enableIcebergCompatV1' = 'true')",
            None,
        ),
    ],
)
def test_rows_of_clustered_tables_are_told_apart(lab: Lab, text: str, expected: str | None) -> None:
    lab.run(f"CREATE TABLE t (a INT) {text}")
    assert lab.snapshot("t").configuration.get("delta.enableDeletionVectors") == expected
    assert ("deletionVectors" in lab.snapshot("t").protocol.features) == (expected == "true")


def test_a_default_of_the_session_disables_vectors_of_clustered_tables(lab: Lab) -> None:
    lab.run("SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false")
    lab.run("CREATE OR REPLACE TABLE t (a INT) CLUSTER BY (a)")
    assert lab.snapshot("t").configuration["delta.enableDeletionVectors"] == "false"
