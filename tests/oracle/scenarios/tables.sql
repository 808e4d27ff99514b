-- name: create
DeltaTable.create().tableName("t").comment("it's").addColumn("id", "INT", nullable=False).addColumn("v", T.StringType(), comment="a 'v'").addColumn("day", "DATE").addColumn("y", "INT", generatedAlwaysAs="year(day)").partitionedBy("y").property("delta.appendOnly", "false").execute();
INSERT INTO t (id, v, day) VALUES (1, 'a', DATE '2020-01-02');
DeltaTable.create().tableName("t").addColumn("id", "INT").execute();
DeltaTable.createIfNotExists().tableName("t").addColumn("id", "INT").execute();
DeltaTable.replace().tableName("missing").addColumn("id", "INT").execute();
SELECT * FROM t ORDER BY id;
DeltaTable.createOrReplace().tableName("t").addColumns(T.StructType([T.StructField("a", T.LongType(), False), T.StructField("s", T.StructType([T.StructField("x", T.IntegerType())]))])).execute();
DeltaTable.replace().tableName("t").addColumn("n", "BIGINT", generatedByDefaultAs=IdentityGenerator(5, 2)).addColumn("v", "STRING").execute();
INSERT INTO t (v) VALUES ('x');
SELECT * FROM t;

-- name: create at a path
DeltaTable.create().location("{dir}").addColumn("id", "INT").execute();
DeltaTable.forPath("{dir}").update("id = 1", {"id": "2"});
DeltaTable.create().tableName("t").location("{dir}").execute();
DeltaTable.create().addColumn("id", "INT").execute();
DeltaTable.forPath("{dir}2").delete();
DeltaTable.forName("none").delete();

-- name: update and delete by texts
write("SELECT id, 'v' || id AS v, named_struct('x', id) AS s FROM range(5)").saveAsTable("t");
DeltaTable.forName("t").update("id = 1", {"v": "upper(v)", "s.x": "s.x + 10"});
DeltaTable.forName("t").update(set={"v": "v || '!'"});
DeltaTable.forName("t").alias("a").update("a.id > 2", {"v": "concat(a.v, 'it''s')"});
DeltaTable.forName("t").delete("id = 4");
DeltaTable.forName("t").update("id = 99", {"v": "'none'"});
DeltaTable.forName("t").update("nothing = 1", {"v": "'none'"});
DeltaTable.forName("t").update("id = 1", {"nothing": "1"});
DeltaTable.forName("t").update("id = 1", {"v": "1, 2"});
DeltaTable.forName("t").delete("id = = 1");
SELECT * FROM t ORDER BY id;
DeltaTable.forName("t").delete();
SELECT count(*) FROM t;

-- name: update and delete by Columns
write("SELECT id, 'v' || id AS v, named_struct('x', id) AS s FROM range(5)").saveAsTable("t");
DeltaTable.forName("t").update(col("id") == 1, {"v": lit("it's \\ \"x\""), "s.x": col("s.x") + 1});
DeltaTable.forName("t").update(col("v").like("v%") & ~col("id").isin(0, 2), {"v": F.when(col("id") > 3, F.upper("v")).otherwise(lit(None))});
DeltaTable.forName("t").alias("a").delete((col("a.id") < 1) | col("a.v").isNull());
SELECT * FROM t ORDER BY id;

-- name: merge by texts
write("SELECT id, 'v' || id AS v FROM range(5)").saveAsTable("t");
DeltaTable.forName("t").alias("t").merge(query("SELECT id, 's' || id AS v FROM range(3, 8)").alias("s"), "t.id = s.id").whenMatchedUpdate("s.id = 3", {"v": "s.v || t.v"}).whenMatchedDelete().whenNotMatchedInsert("s.id > 5", {"id": "s.id", "v": "s.v"}).whenNotMatchedInsertAll("s.id = 5").whenNotMatchedBySourceUpdate("t.id = 0", {"v": "'gone'"}).whenNotMatchedBySourceDelete("t.id = 1").execute();
SELECT * FROM t ORDER BY id;
DeltaTable.forName("t").alias("t").merge(query("SELECT 2L AS id, 'x' AS v").alias("s"), "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute();
DeltaTable.forName("t").alias("t").merge(query("SELECT 2L AS id, 'x' AS v").alias("s"), "t.id = s.id").execute();
DeltaTable.forName("t").alias("t").merge(query("SELECT 2L AS id, 'x' AS v").alias("s"), "t.id = s.id").whenMatchedUpdateAll().whenMatchedDelete().execute();
DeltaTable.forName("t").alias("t").merge(query("SELECT 2L AS id UNION ALL SELECT 2L").alias("s"), "t.id = s.id").whenMatchedUpdate(set={"v": "'twice'"}).execute();
DeltaTable.forName("t").alias("t").merge(query("SELECT 2L AS id").alias("s"), "t.id = s.id").whenMatchedUpdate(set={"v": "s.nothing"}).execute();
SELECT * FROM t ORDER BY id;

-- name: merge by Columns
write("SELECT id, 'v' || id AS v FROM range(5)").saveAsTable("t");
DeltaTable.forName("t").alias("t").merge(query("SELECT id, 's' || id AS v FROM range(3, 8)").alias("s"), col("t.id") == col("s.id")).whenMatchedUpdate(col("s.id") == 3, {"v": F.concat(col("s.v"), lit("'"), col("t.v"))}).whenMatchedDelete(col("t.v").startswith("v")).whenNotMatchedInsert(col("s.id").between(6, 7), {"id": col("s.id"), "v": lit("x")}).whenNotMatchedBySourceDelete(col("t.id") == 1).execute();
SELECT * FROM t ORDER BY id;

-- name: merge with schema evolution
write("SELECT id, 'v' || id AS v FROM range(2)").saveAsTable("t");
DeltaTable.forName("t").alias("t").merge(query("SELECT 1L AS id, 'n' AS v, 5 AS extra UNION ALL SELECT 7L, 'm', 6").alias("s"), "t.id = s.id").withSchemaEvolution().whenMatchedUpdateAll().whenNotMatchedInsertAll().execute();
SELECT * FROM t ORDER BY id;

-- name: history, restore and upkeep
write("SELECT id, id % 2 AS p FROM range(4)").partitionBy("p").saveAsTable("t");
write("SELECT id, id % 2 AS p FROM range(4, 8)").mode("append").saveAsTable("t");
done(DeltaTable.forName("t").optimize().where("p = 1").executeCompaction());
DeltaTable.forName("t").delete("id = 0");
done(DeltaTable.forName("t").restoreToVersion(1));
DeltaTable.forName("t").restoreToVersion(77);
DeltaTable.forName("t").generate("symlink_format_manifest");
DeltaTable.forName("t").upgradeTableProtocol(1, 4);
DeltaTable.forName("t").addFeatureSupport("deletionVectors");
DeltaTable.forName("t").addFeatureSupport("nothing");
DeltaTable.forName("t").dropFeatureSupport("nothing");
DeltaTable.forName("t").optimize().where("id = 1").executeCompaction();
SELECT * FROM t ORDER BY id;

-- name: a shallow clone
write("SELECT id FROM range(4)").saveAsTable("t");
DeltaTable.forName("t").delete("id = 0");
DeltaTable.forName("t").cloneAtVersion(0, "c", True, False, {"delta.appendOnly": "true"});
SELECT * FROM c ORDER BY id;
