"""`deltasql.tables` on a Spark session that deltasql is installed in; mergeInto, and the package `delta` there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import deltasql
from deltasql import Session
from deltasql.base.errors import (
    ArgumentValueError,
    ConcurrentModificationError,
    DeltaPackagePresentError,
    ForeignColumnError,
    MergeUnresolvedError,
    UnsupportedColumnError,
)
from deltasql.clients import tables
from deltasql.clients.tables import DeltaTable
from deltasql.clients.tables.definition import runner_of

pytestmark = pytest.mark.spark


@pytest.fixture
def plain(session: Session) -> Any:
    """A Spark session that nothing is installed in."""
    other = session.sql("SELECT 1").df.sparkSession.newSession()
    other.conf.set("spark.sql.shuffle.partitions", "1")
    return other


@pytest.fixture
def spark(plain: Any, tmp_path: Path) -> Iterator[Any]:
    deltasql.install(plain, str(tmp_path / "installed"))
    plain.sql("CREATE TABLE t (id BIGINT, v STRING)")
    plain.sql("INSERT INTO t VALUES (0, 'v0'), (1, 'v1'), (2, 'v2')")
    yield plain
    deltasql.uninstall(plain)


def rows(spark: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.table("t").collect()))


def test_columns_of_the_source_and_of_the_target(spark: Any) -> None:
    from pyspark.sql import functions as F

    table = DeltaTable.forName(spark, "t")
    target, source = table.toDF(), spark.createDataFrame([(1, "s1"), (9, "s9")], "id long, v string")
    merge = table.merge(source, target.id == source.id).whenMatchedUpdate(source.v == "s1", {"v": source.v})
    result = merge.whenNotMatchedInsert(values={"id": source.id, "v": F.upper(source.v)}).execute()
    assert result.sparkSession is spark
    assert result.collect() == [(2, 1, 0, 1)]
    assert rows(spark) == [(0, "v0"), (1, "s1"), (2, "v2"), (9, "S9")]
    table.update(target.id == 9, {"v": F.concat(target.v, F.lit("'\\"))})
    table.alias("a").delete(F.col("a.id") < 2)
    assert rows(spark) == [(2, "v2"), (9, "S9'\\")]
    with pytest.raises(ForeignColumnError):
        table.update(source.id == 1, {"v": "'x'"})
    with pytest.raises(ForeignColumnError):
        table.merge(source.alias("s"), spark.range(1).id == F.col("s.id")).whenMatchedDelete().execute()
    with pytest.raises(ForeignColumnError, match="both"):
        table.merge(target.alias("s"), target.id == F.col("s.id")).whenMatchedDelete().execute()
    with pytest.raises(UnsupportedColumnError, match="rand"):
        table.delete(F.rand() > 2)
    with pytest.raises(MergeUnresolvedError, match="nothing"):
        table.merge(source, "nothing = 1").whenMatchedDelete().execute()
    assert len(rows(spark)) == 2


def test_a_source_under_an_alias(spark: Any) -> None:
    from pyspark.sql import functions as F

    source = spark.createDataFrame([(1, "s1")], "id long, v string")
    table = DeltaTable.forName(spark, "t").alias("t")
    table.merge(source.alias("s"), F.col("t.id") == source.id).whenMatchedUpdate(set={"v": "s.v"}).execute()
    assert rows(spark)[1] == (1, "s1")
    table.merge(table.toDF().alias("s"), "t.id = s.id").whenMatchedUpdate(set={"v": "s.v || '!'"}).execute()
    assert [row[1] for row in rows(spark)] == ["v0!", "s1!", "v2!"]


def test_a_source_that_reads_the_target_is_part_of_the_read_set(spark: Any, tmp_path: Path) -> None:
    spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    table = DeltaTable.forName(spark, "t").alias("t")
    on = "t.id = s.id AND t.id > 100"
    sql = f"MERGE INTO t USING `(DataFrame)` s ON {on} WHEN NOT MATCHED THEN INSERT *"
    own = table.toDF().selectExpr("id + 10 AS id", "v").alias("s")
    session = runner_of(spark).session
    with deltasql.connect(str(tmp_path / "installed")) as other:
        for source, conflicts in ((own, True), (spark.range(1).selectExpr("id", "'x' AS v"), False)):
            # Another writer commits between the two phases of the statement.
            with runner_of(spark).supplied(source):
                pending = session.begin(sql)
                other.sql("UPDATE t SET v = v || '!' WHERE id = 2")
                with pytest.raises(ConcurrentModificationError) if conflicts else nullcontext():
                    pending.commit()
    table.merge(own, on).whenNotMatchedInsertAll().execute()
    assert len(rows(spark)) == 7


def test_rows_of_methods_are_dataframes_of_the_session(spark: Any) -> None:
    table = DeltaTable.forName(spark, "t")
    for frame in (table.history(), table.detail(), table.toDF(), table.optimize().executeCompaction()):
        assert frame.sparkSession is spark
    assert table.history(1).select("operation").collect() == [("WRITE",)]
    assert table.optimize().executeZOrderBy("id").count() == 1
    assert table.vacuum().sparkSession is spark
    assert table.vacuum().collect() == []


def test_schemas_of_pyspark(spark: Any) -> None:
    from pyspark.sql import types as T

    fields = [T.StructField("a", T.LongType(), False, {"comment": "c"}), T.StructField("s", T.ArrayType(T.DateType()))]
    made = DeltaTable.create().tableName("made").addColumns(T.StructType(fields)).addColumns([fields[0]][:0])
    assert made.addColumn("d", T.DecimalType(5, 2)).execute().toDF().dtypes == [
        ("a", "bigint"),
        ("s", "array<date>"),
        ("d", "decimal(5,2)"),
    ]
    with pytest.raises(ArgumentValueError, match="other"):
        DeltaTable.create(spark).tableName("m").addColumns([T.StructField("a", T.LongType(), True, {"other": "c"})])


def test_merge_into(spark: Any) -> None:
    from pyspark.sql import functions as F

    source = spark.createDataFrame([(1, "s1"), (9, "s9")], "id long, v string").alias("s")
    merge = source.mergeInto("t", F.col("t.id") == F.col("s.id"))
    merge = merge.whenMatched(F.col("s.id") > 5).delete().whenMatched().update({"v": F.col("s.v")})
    merge = merge.whenNotMatched().insertAll().whenNotMatchedBySource(F.col("t.id") == 0).delete()
    assert merge.whenNotMatchedBySource().update({"v": F.lit("left")}).merge() is None
    assert rows(spark) == [(1, "s1"), (2, "left"), (9, "s9")]
    wider = source.withColumn("more", F.lit(1)).alias("s")
    again = wider.mergeInto("t", F.expr("t.id = s.id")).withSchemaEvolution().whenMatched().updateAll()
    again.whenNotMatched().insert({"id": F.col("s.id")}).merge()
    assert rows(spark)[0] == (1, "s1", 1)
    with pytest.raises(ArgumentValueError, match="updateAll"):
        source.mergeInto("t", F.expr("t.id = s.id")).whenNotMatchedBySource().updateAll()


def test_a_batch_of_a_stream(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"id": 2, "v": "new"}\n{"id": 5, "v": "five"}\n')
    table = DeltaTable.forName(spark, "t").alias("t")

    def upsert(batch: Any, _: int) -> None:
        merge = table.merge(batch.alias("s"), "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll()
        merge.execute()
        assert DeltaTable.forName(batch.sparkSession, "t").toDF().count() == 4

    stream = spark.readStream.schema("id BIGINT, v STRING").json(str(tmp_path / "in"))
    writer = stream.writeStream.foreachBatch(upsert).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert rows(spark)[2:] == [(2, "new"), (5, "five")]


def test_a_job_that_imports_delta(plain: Any, tmp_path: Path) -> None:
    deltasql.install(plain, str(tmp_path / "installed"), delta=True)
    try:
        delta, names = import_module("delta"), vars(import_module("delta.tables"))
        assert delta.DeltaTable is names["DeltaTable"] is DeltaTable
        of_pyspark = {"Column", "DataFrame", "SparkSession", "functions", "DataType", "StructField", "StructType"}
        assert set(names["__all__"]) == {*tables.__all__, *of_pyspark}
        assert issubclass(import_module("delta.exceptions").ConcurrentAppendException, ConcurrentModificationError)
        builder = type(plain).Builder() if hasattr(type(plain), "Builder") else plain.builder
        assert delta.configure_spark_with_delta_pip(builder) is builder
        assert delta.configure_spark_with_delta_pip(builder, ["a:b:1"]) is builder
        names["DeltaTable"].create(plain).tableName("made").addColumn("id", "INT").execute()
        # Installed again, for another warehouse.
        deltasql.install(plain, str(tmp_path / "other"), delta=True)
        assert import_module("delta").DeltaTable is DeltaTable
    finally:
        deltasql.uninstall(plain)
    assert not [name for name in sys.modules if name == "delta" or name.startswith("delta.")]


def test_another_package_delta_is_not_replaced(plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deltasql.install(plain, str(tmp_path / "installed"))
    other = ModuleType("delta")
    monkeypatch.setitem(sys.modules, "delta", other)
    with pytest.raises(DeltaPackagePresentError):
        deltasql.install(plain, str(tmp_path / "installed"), delta=True)
    assert sys.modules["delta"] is other
    # The installation before is left as it was.
    assert plain.catalog.listTables() == []
    deltasql.uninstall(plain)
    monkeypatch.delitem(sys.modules, "delta")
    (tmp_path / "delta").mkdir()
    (tmp_path / "delta" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DeltaPackagePresentError, match="__init__"):
        deltasql.install(plain, str(tmp_path / "installed"), delta=True)
