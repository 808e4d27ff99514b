"""A Spark session of the caller's that deltasql is installed in, and what stays Spark's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql import Session
from deltasql.base.errors import SchemaNotFoundError, TableNotFoundError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.tables import DeltaTable

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
    yield plain
    deltasql.uninstall(plain)


def test_a_job_of_pyspark_runs_as_it_is(spark: Any, tmp_path: Path) -> None:
    spark.sql("CREATE SCHEMA shop")
    rows = spark.range(1, 3).selectExpr("int(id) AS id", "if(id = 1, 'a', 'b') AS name")
    assert rows.write.format("delta").mode("overwrite").partitionBy("name").saveAsTable("shop.t") is None
    spark.sql("MERGE INTO shop.t USING (SELECT 2 AS id, 'c' AS name) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *")
    spark.table("shop.t").filter("id = 2").write.mode("append").insertInto("shop.t")
    rows.writeTo("shop.v2").using("delta").create()
    spark.table("shop.v2").writeTo("shop.v2").append()
    assert spark.sql("SELECT * FROM {t} WHERE name = {name}", t=spark.table("shop.t"), name="c").count() == 2
    assert spark.sql("SELECT id FROM shop.t WHERE id = :id", args={"id": 1}).collect() == [(1,)]
    assert spark.read.option("versionAsOf", 0).table("shop.t").count() == 2
    path = str(tmp_path / "at")
    rows.write.format("delta").save(path)
    rows.write.save(path, "delta", "append")
    assert spark.read.format("delta").load(path).count() == spark.read.load(path, format="delta").count() == 4
    assert spark.sql("DESCRIBE HISTORY shop.v2").select("operation").count() == 2
    assert spark.table("shop.v2").sparkSession is spark
    with pytest.raises(TableNotFoundError, match=r"shop\.v3"):
        spark.table("shop.v3")
    with pytest.raises(TableNotFoundError, match="no such"):
        spark.sql("SELECT * FROM `no such`")


def test_defaults_of_pyspark_may_be_given(spark: Any, tmp_path: Path) -> None:
    """None is what PySpark's own signatures have."""
    rows = spark.range(2).selectExpr("id", "id + 1 AS next")
    rows.write.saveAsTable("bare")
    rows.write.saveAsTable("named", format="delta", mode="error", partitionBy=None)
    rows.write.saveAsTable("placed", None, None, None)
    rows.write.saveAsTable("parted", None, "append", ["id"])
    rows.write.save(str(tmp_path / "at"), "delta", None, None, mergeSchema=None)
    assert spark.sql("DESCRIBE DETAIL parted").collect()[0]["partitionColumns"] == ["id"]
    assert [item.name for item in spark.catalog.listTables()] == ["bare", "named", "parted", "placed"]
    assert spark.read.format("delta").load(str(tmp_path / "at")).count() == 2


def test_the_catalog_makes_delta_tables(spark: Any, tmp_path: Path) -> None:
    rows = spark.sql("SELECT 1 AS id, named_struct('a', array(1.5)) AS more")
    made = spark.catalog.createTable("t", schema=rows.schema, description="it's new")
    assert made.schema == spark.table("t").schema
    assert (made.columns, made.count()) == (["id", "more"], 0)
    assert spark.catalog.getTable("t").description == "it's new"
    rows.write.format("delta").save(str(tmp_path / "at"))
    assert spark.catalog.createTable("u", str(tmp_path / "at"), "delta").count() == 1


def test_the_catalog_tells_of_our_tables(spark: Any) -> None:
    catalog = spark.catalog
    spark.sql("CREATE SCHEMA shop COMMENT 'all'")
    catalog.setCurrentDatabase("shop")
    spark.sql("CREATE TABLE t (id INT COMMENT 'number', day DATE) PARTITIONED BY (day) COMMENT 'rows'")
    spark.range(3).createOrReplaceTempView("numbers")
    assert (catalog.currentDatabase(), catalog.databaseExists("shop"), catalog.databaseExists("none")) == (
        "shop",
        True,
        False,
    )
    assert [item.name for item in catalog.listDatabases()] == ["default", "shop"]
    assert [catalog.tableExists(name) for name in ("t", "shop.t", "numbers", "none")] == [True, True, True, False]
    assert catalog.tableExists("t", "shop")
    table = catalog.getTable("shop.t")
    assert (table.name, table.database, table.description, table.tableType) == ("t", "shop", "rows", "MANAGED")
    assert [(item.name, item.isTemporary) for item in catalog.listTables()] == [("t", False), ("numbers", True)]
    assert [item.name for item in catalog.listTables("shop", "T*")] == ["t"]
    assert [(item.name, item.dataType, item.isPartition) for item in catalog.listColumns("t")] == [
        ("id", "int", False),
        ("day", "date", True),
    ]
    assert spark.sql("SELECT sum(id) FROM numbers").collect() == [(3,)]
    assert catalog.dropTempView("numbers")


def test_the_catalog_changes_our_tables(spark: Any) -> None:
    """The methods that PySpark 4.2 has added to those of its catalog, which are statements otherwise."""
    catalog = spark.catalog
    catalog.createDatabase("Shop", properties={"comment": "it's all", "of": "ann"})
    catalog.createDatabase("shop", ifNotExists=True)
    with pytest.raises(DeltaSqlError, match="SCHEMA_ALREADY_EXISTS"):
        catalog.createDatabase("shop")
    assert catalog.getDatabase("shop").description == "it's all"
    spark.sql(
        "CREATE TABLE shop.t (id INT, `the day` INT) PARTITIONED BY (`the day`) "
        "TBLPROPERTIES ('of' = 'ann', 'delta.columnMapping.mode' = 'name')"
    )
    spark.sql("INSERT INTO shop.t VALUES (1, 5), (2, NULL)")
    spark.sql("CREATE VIEW shop.v AS SELECT id FROM shop.t")
    assert sorted(item.partition for item in catalog.listPartitions("shop.t")) == ["the day=5", "the day=None"]
    assert catalog.getTableProperties("shop.t")["of"] == "ann"
    assert catalog.getCreateTableString("shop.t").startswith("CREATE TABLE spark_catalog.shop.t")
    assert [item.name for item in catalog.listViews("shop")] == ["v"]
    assert catalog.listViews("shop", "w*") == []
    catalog.analyzeTable("shop.t", noScan=True)
    catalog.cacheTable("shop.t")
    assert not catalog.isCached("shop.t")
    catalog.uncacheTable("shop.t")
    for call in (
        catalog.cacheTable,
        catalog.isCached,
        catalog.truncateTable,
        catalog.dropTable,
        catalog.listPartitions,
    ):
        with pytest.raises(TableNotFoundError, match=r"shop\.none"):
            call("shop.none")
    catalog.truncateTable("shop.t")
    assert spark.table("shop.t").count() == 0
    with pytest.raises(DeltaSqlError, match="SCHEMA_NOT_EMPTY"):
        catalog.dropDatabase("shop")
    catalog.dropView("shop.v")
    catalog.dropView("shop.v", ifExists=True)
    catalog.dropTable("shop.t", purge=True)
    catalog.dropTable("shop.t", ifExists=True)
    assert catalog.listTables("shop") == []
    catalog.dropDatabase("shop", cascade=True)
    catalog.dropDatabase("shop", ifExists=True)
    assert not catalog.databaseExists("shop")
    with pytest.raises(SchemaNotFoundError):
        catalog.getDatabase("shop")


def test_the_catalog_has_our_catalogs_and_functions(spark: Any) -> None:
    catalog = spark.catalog
    spark.sql("CREATE CATALOG other")
    names = ["hive_metastore", "main", "other", "samples", "spark_catalog", "system"]
    assert [item.name for item in catalog.listCatalogs()] == names
    assert [item.name for item in catalog.listCatalogs("o*")] == ["other"]
    catalog.setCurrentCatalog("other")
    assert (catalog.currentCatalog(), catalog.currentDatabase()) == ("other", "default")
    spark.sql("CREATE FUNCTION twice(a INT) RETURNS INT RETURN a * 2")
    assert [catalog.functionExists(name) for name in ("twice", "other.default.Twice", "abs", "thrice")] == [
        True,
        True,
        True,
        False,
    ]
    with pytest.raises(DeltaSqlError, match="CATALOG_NOT_FOUND"):
        catalog.setCurrentCatalog("none")


def test_what_is_no_delta_table_stays_sparks(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "plain")
    spark.range(2).write.mode("overwrite").option("compression", "none").parquet(path)
    assert spark.read.parquet(path).count() == spark.read.format("parquet").load(path).count() == 2
    name = f"other_{tmp_path.name}".replace("-", "_")
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING parquet LOCATION '{path}'")
    try:
        assert spark.catalog.tableExists(name)
        spark.range(3).write.insertInto(name)
        spark.sql(f"INSERT INTO {name} VALUES (7)")
        assert spark.table(name).count() == 6
    finally:
        spark.sql(f"DROP TABLE {name}")
    assert not spark.catalog.tableExists(name)


def test_streams(spark: Any, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE a (id INT)")
    spark.sql("INSERT INTO a VALUES (1), (2)")
    stream = spark.readStream.format("delta").table("a")
    query = (
        stream.writeStream.format("delta")
        .trigger(availableNow=True)
        .toTable("b", checkpointLocation=str(tmp_path / "checkpoint"))
    )
    query.awaitTermination(60)
    assert spark.table("b").count() == 2


def test_others_are_left_alone_and_uninstall_puts_everything_back(spark: Any, session: Session) -> None:
    spark.sql("CREATE TABLE t (id INT)")
    kind: Any = type(spark).__mro__[2]
    other = spark.newSession()
    rows = type(other.range(1))
    assert type(other) is kind
    assert not other.catalog.tableExists("t")
    assert "RecordedCalls" not in type(other.range(1).write).__name__
    changed = vars(rows)["write"]
    deltasql.uninstall(spark)
    assert type(spark) is kind
    assert not spark.catalog.tableExists("t")
    assert vars(rows)["write"] is not changed
    assert vars(rows)["write"].fget.__module__ == rows.__module__
    deltasql.uninstall(spark)


def test_a_closed_session_is_uninstalled(plain: Any, tmp_path: Path) -> None:
    """Else each later statement of the Spark session would fail."""
    with deltasql.install(plain, str(tmp_path / "installed")) as session:
        plain.sql("CREATE TABLE t (id INT)")
        assert session.sql("SHOW TABLES").collect() == [("default", "t", False)]
    assert plain.sql("SELECT 1").collect() == [(1,)]
    assert not plain.catalog.tableExists("t")
    again = deltasql.install(plain, str(tmp_path / "installed"))
    other = deltasql.install(plain, str(tmp_path / "other"))
    again.close()
    assert plain.sql("SHOW TABLES").count() == 0
    other.close()
    other.close()
    deltasql.uninstall(plain)


def _nullable(schema: Any) -> dict[str, bool]:
    """Whether each column may be NULL, and each field of its structs."""
    found = {}
    for field in schema.fields:
        found[field.name] = field.nullable
        if hasattr(field.dataType, "fields"):
            found |= {f"{field.name}.{name}": flag for name, flag in _nullable(field.dataType).items()}
    return found


def test_columns_that_are_not_null_say_so(spark: Any, tmp_path: Path) -> None:
    """As on delta-spark 4.4.0, by name and by path, with and without rows and column mapping."""
    columns = "k INT NOT NULL, v STRING, s STRUCT<a: INT NOT NULL, b: INT> NOT NULL, p DECIMAL(4, 2) NOT NULL"
    due = {"k": False, "v": True, "s": False, "s.a": False, "s.b": True, "p": False}
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')"
    for name, properties in (("t", ""), ("m", mapped)):
        path = str(tmp_path / name)
        spark.sql(f"CREATE TABLE {name} ({columns}) USING delta PARTITIONED BY (p) {properties} LOCATION '{path}'")
        for values in (
            None,
            "(1, NULL, named_struct('a', 1, 'b', NULL), 1)",
            "(2, 'x', named_struct('a', 1, 'b', 2), 2)",
        ):
            if values is not None:
                spark.sql(f"INSERT INTO {name} VALUES {values}, {values.replace('(', '(1', 1)}")
                spark.sql(f"DELETE FROM {name} WHERE k > 10")
            frames = (
                spark.table(name),
                spark.read.format("delta").load(path),
                spark.sql(f"SELECT * FROM delta.`{path}`"),
                DeltaTable.forName(spark, name).toDF(),
                DeltaTable.forPath(spark, path).toDF(),
                spark.sql(f"SELECT * FROM (SELECT * FROM {name}) WHERE v IS NULL ORDER BY k"),
            )
            assert [_nullable(frame.schema) for frame in frames] == [due] * len(frames), (name, values)
        assert sorted((row.k, row.p) for row in spark.table(name).collect()) == [(1, 1), (2, 2)]
        assert {column.name: column.nullable for column in spark.catalog.listColumns(name)} == {
            name: flag for name, flag in due.items() if "." not in name
        }
    spark.sql("ALTER TABLE t ALTER COLUMN k DROP NOT NULL")
    spark.sql("DELETE FROM t WHERE v IS NULL")
    spark.sql("ALTER TABLE t ALTER COLUMN v SET NOT NULL")
    assert _nullable(spark.table("t").schema) == {**due, "k": True, "v": False}
    DeltaTable.createOrReplace(spark).tableName("t").addColumn("z", "INT", nullable=False).addColumn(
        "y", "INT"
    ).execute()
    assert _nullable(spark.table("t").schema) == {"z": False, "y": True}


def test_the_metadata_of_files_is_a_column_of_dataframes(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    properties = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')"
    spark.sql(f"CREATE TABLE t (k INT, p INT) USING delta PARTITIONED BY (p) {properties} LOCATION '{path}'")
    for rows in ("(1, 1), (2, 1)", "(3, 2)"):
        spark.sql(f"INSERT INTO t VALUES {rows}")
        read = spark.read.format("delta").load(path)
        frames = (read, spark.table("t"), spark.read.table("t"))
        for frame in (*frames, DeltaTable.forPath(spark, path).toDF(), DeltaTable.forName(spark, "t").toDF()):
            assert frame.columns == ["k", "p"]
            found = frame.select("k", "_metadata.file_path", "_metadata.row_index", "_metadata").collect()
            assert all(row.file_path.startswith(f"file:{path}/") for row in found)
            assert all(row.file_path == row._metadata.file_path for row in found)
            assert {row.k: row.row_index for row in found}[2] == 1
            assert frame.where("_metadata.file_size > 0 AND k = 2").select("p").collect() == [(1,)]
    spark.sql("DELETE FROM t WHERE k = 1")
    found = spark.table("t").select("t.k", "_metadata.row_index", "_metadata.file_name").orderBy("k").collect()
    assert [(row.k, row.row_index) for row in found] == [(2, 1), (3, 0)]
    assert (
        spark.read.format("delta").option("versionAsOf", 1).load(path).select("_metadata.file_name").distinct().count()
        == 1
    )
    both = spark.table("t").alias("a").join(spark.table("t").alias("b"), "k")
    assert both.select("a.p", "b.p").count() == 2
