"""OPTIMIZE and REORG: which files are taken, what is refused. No Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    InvalidSettingError,
    NonPartitionPredicateError,
    OptimizeFullError,
    PartitionPredicateError,
    WriteIntoViewError,
    ZOrderColumnNotFoundError,
    ZOrderPartitionColumnError,
    ZOrderWithoutStatsError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.commit.transaction import Transaction
from deltasql.plan.operators import Curve, Reads
from deltasql.planner.changes import Answer, LayoutChange
from tests.unit.planner.lab import Lab

Fails = Callable[..., Any]


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT, s STRUCT<x: INT>, note STRING, p STRING) PARTITIONED BY (p)")
    return lab


def planned(lab: Lab, sql: str) -> LayoutChange:
    change = lab.plan(sql)
    assert isinstance(change, LayoutChange)
    return change


def bins(change: LayoutChange) -> list[set[str]]:
    paths, numbers = change.operator.target.files.column("path").to_pylist(), change.operator.bins.to_pylist()
    found: dict[int, set[str]] = {}
    for path, number in zip(paths, numbers, strict=True):
        found.setdefault(number, set()).add(path)
    return [found[number] for number in sorted(found)]


def metrics(change: Any) -> dict[str, Any]:
    assert isinstance(change, Answer)
    _, row = change.rows[0]
    return dict(zip(change.schema.fields[1].type.names, row, strict=True))  # type: ignore[union-attr]


def commit(lab: Lab, table: str, *adds: AddFile) -> None:
    log = lab._at(table)
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, list(adds))


def read(change: LayoutChange) -> Reads:
    assert change.commit.reads is not None
    return change.commit.reads


def test_small_files_are_joined_partition_by_partition(table: Lab) -> None:
    a1, b1, a2, b2, c1 = table.append("t", {"p": "a"}, {"p": "b"}, {"p": "a"}, {"p": "b"}, {"p": None})
    change = planned(table, "OPTIMIZE t")
    assert sorted(bins(change), key=str) == sorted([{a1, a2}, {b1, b2}], key=str)
    assert change.operator.curve is None
    assert change.commit.operation.name == "OPTIMIZE"
    assert change.commit.parameters == {"predicate": "[]", "zOrderBy": "[]", "clusterBy": "[]", "auto": False}
    assert set(read(change).files) == {a1, a2, b1, b2}
    assert (change.considered.files, change.considered.bytes) == (5, 50)
    assert c1 not in read(change).files


def test_where_takes_partitions(table: Lab) -> None:
    table.append("t", {"p": "a"}, {"p": "b"}, {"p": "a"}, {"p": "b"})
    change = planned(table, "OPTIMIZE t WHERE P IN ('b', 'c')")
    assert change.commit.parameters["predicate"] == "[\"P IN ('b', 'c')\"]"
    assert len(bins(change)) == 1
    assert read(change).predicate == "P IN ('b', 'c')"


def test_spark_is_asked_for_what_only_it_understands(table: Lab) -> None:
    a1, _, a2 = table.append("t", {"p": "a'"}, {"p": "b"}, {"p": "a'"})
    asked = (
        "(SELECT collect_list(__deltasql_n) FROM VALUES "
        "(0, CAST(CAST(X'6127' AS STRING) AS STRING)), (1, CAST('b' AS STRING)) "
        "AS __deltasql_p(__deltasql_n, p) WHERE soundex(p) = 'A000')"
    )
    table.analyst.values[asked] = [0]
    assert bins(planned(table, "OPTIMIZE t WHERE soundex(p) = 'A000'")) == [{a1, a2}]


def test_nothing_to_do_is_an_answer_without_a_commit(table: Lab) -> None:
    table.append("t", {"p": "a"}, {"p": "b"})
    found = metrics(table.plan("OPTIMIZE t"))
    assert (found["numFilesAdded"], found["totalConsideredFiles"], found["totalFilesSkipped"]) == (0, 2, 2)
    assert found["filesAdded"] == (None, None, 0.0, 0, 0)
    assert metrics(table.plan("OPTIMIZE t WHERE p = 'z'"))["totalConsideredFiles"] == 0
    assert metrics(table.plan("REORG TABLE t APPLY (PURGE)"))["totalConsideredFiles"] == 2


@pytest.mark.parametrize(
    ("setting", "count"),
    [
        ("SET spark.databricks.delta.optimize.maxFileSize = 25", 2),
        ("SET spark.databricks.delta.optimize.minFileSize = 10", 0),
        ("ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '40')", 1),
        ("ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '10')", 0),
    ],
)
def test_sizes_come_from_settings_then_the_table(table: Lab, setting: str, count: int) -> None:
    table.append("t", *[{"p": "a"}] * 5)
    table.run(setting)
    change = table.plan("OPTIMIZE t")
    assert (len(bins(change)) if isinstance(change, LayoutChange) else 0) == count


@pytest.mark.parametrize(("key", "value"), [("minFileSize", "many"), ("maxDeletedRowsRatio", "1.5")])
def test_settings_must_be_sizes_and_shares(table: Lab, key: str, value: str, fails: Fails) -> None:
    fails(f"SET spark.databricks.delta.optimize.{key} = {value}", InvalidSettingError)
    table.settings.set(f"spark.databricks.delta.optimize.{key}", value)
    fails("OPTIMIZE t", InvalidSettingError)


def vector(cardinality: int) -> DeletionVector:
    return DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 34, cardinality)


def test_large_files_count_where_many_rows_are_deleted(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    rows = '{"numRecords":100}'
    commit(
        lab,
        "t",
        AddFile("large", {}, 2 << 30, 1, stats=rows),
        AddFile("few", {}, 1 << 30, 1, stats=rows, deletion_vector=vector(5)),
        AddFile("many", {}, 3 << 29, 1, stats=rows, deletion_vector=vector(6)),
        AddFile("unknown", {}, 3 << 29, 1, stats='{"numRecords":0}', deletion_vector=vector(6)),
    )
    lab.run("SET spark.databricks.delta.optimize.maxFileSize = 4g")
    assert bins(planned(lab, "OPTIMIZE t")) == [{"many", "unknown"}]
    assert bins(planned(lab, "REORG TABLE t APPLY (PURGE)")) == [{"few", "many", "unknown"}]
    lab.run("SET spark.databricks.delta.optimize.maxDeletedRowsRatio = 0.04")
    assert bins(planned(lab, "OPTIMIZE t")) == [{"few", "many", "unknown"}]


def test_reorg_asks_footers_only_after_a_drop(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.run("CREATE TABLE t (a INT, b INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    first, second = lab.append("t", {}, {})
    monkeypatch.setattr("deltasql.files.foreign_columns", lambda *_: [True, False])
    assert isinstance(lab.plan("REORG TABLE t APPLY (PURGE)"), Answer)
    lab.run("ALTER TABLE t DROP COLUMN b")
    change = planned(lab, "REORG TABLE t APPLY (PURGE)")
    assert bins(change) == [{first}]
    assert second not in read(change).files
    assert (change.commit.operation.name, change.commit.parameters) == (
        "REORG",
        {"predicate": "[]", "applyPurge": True},
    )


def test_zorder_takes_all_files_of_a_partition(table: Lab) -> None:
    table.append("t", {"p": "a"}, {"p": "b"}, {"p": "a"})
    table.run("SET spark.databricks.delta.optimize.maxFileSize = 10")
    change = planned(table, "OPTIMIZE t ZORDER BY ID, s.X")
    assert (change.operator.curve, change.operator.columns) == (Curve.ZORDER, (("id",), ("s", "x")))
    assert change.operator.slices == (2, 1)
    assert change.commit.parameters["zOrderBy"] == '["id","s.x"]'
    assert change.considered.zorder


def test_refusals(table: Lab, fails: Fails) -> None:
    fails("OPTIMIZE t WHERE p = 'a' AND id = 1", NonPartitionPredicateError, "id")
    fails("OPTIMIZE t WHERE p = nope", NonPartitionPredicateError, "nope")
    fails("REORG TABLE t WHERE s.x = 1 APPLY (PURGE)", NonPartitionPredicateError, "s.x")
    fails("OPTIMIZE t WHERE p IN (SELECT 'a')", PartitionPredicateError, "p IN (SELECT 'a')")
    fails("OPTIMIZE t WHERE p = uuid()", PartitionPredicateError)
    fails("OPTIMIZE t FULL", OptimizeFullError, "t")
    fails("OPTIMIZE t ZORDER BY (id, nope)", ZOrderColumnNotFoundError, "nope")
    fails("OPTIMIZE t ZORDER BY (P)", ZOrderPartitionColumnError, "P")
    table.run("CREATE TEMP VIEW v AS SELECT 1 AS id")
    fails("OPTIMIZE v", WriteIntoViewError, "v")
    fails("OPTIMIZE nope", DeltaSqlError, "nope")
    fails("OPTIMIZE t@v0", DeltaSqlError)


def test_zorder_wants_statistics(table: Lab, fails: Fails) -> None:
    table.append("t", {"p": "a"}, {"p": "a"})
    table.run("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id')")
    fails("OPTIMIZE t ZORDER BY (id, note, s)", ZOrderWithoutStatsError)
    planned(table, "OPTIMIZE t ZORDER BY (id)")
    table.run("SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false")
    planned(table, "OPTIMIZE t ZORDER BY (id, note, s)")


def test_explain_tells_the_files_without_touching_them(table: Lab) -> None:
    table.append("t", {"p": "a"}, {"p": "a"}, {"p": "b"})
    answer = table.plan("EXPLAIN OPTIMIZE t")
    assert isinstance(answer, Answer)
    text = answer.rows[0][0]
    assert "Rearrange [rows in their order] bins: 1" in text
    assert "remove: 2 files" in text
