-- name: append by name
write("SELECT 1 AS id, 'a' AS v").saveAsTable("t");
write("SELECT 2 AS id").mode("append").saveAsTable("t");
write("SELECT 'z' AS v, 3 AS ID").mode("append").saveAsTable("t");
write("SELECT '7' AS id, 5 AS v").mode("append").saveAsTable("t");
write("SELECT 'x' AS id, 5 AS v").mode("append").saveAsTable("t");
SELECT * FROM t ORDER BY id;

-- name: modes of a table that is there
write("SELECT 1 AS id").saveAsTable("t");
write("SELECT 2 AS id").saveAsTable("t");
write("SELECT 2 AS id").mode("error").saveAsTable("t");
write("SELECT 2 AS id").mode("ignore").saveAsTable("t");
write("SELECT 3 AS id").mode("append").saveAsTable("t");
write("SELECT 4 AS id").mode("overwrite").saveAsTable("t");
SELECT * FROM t;

-- name: modes that make a table
write("SELECT 1 AS id").mode("append").saveAsTable("a");
write("SELECT 1 AS id").mode("overwrite").saveAsTable("b");
write("SELECT 1 AS id").mode("ignore").saveAsTable("c");
write("SELECT 1 AS id, 2 AS p").mode("append").partitionBy("p").option("delta.appendOnly", True).saveAsTable("d");

-- name: schema evolution
write("SELECT 1 AS id").saveAsTable("t");
write("SELECT 4 AS id, 5 AS x").mode("append").saveAsTable("t");
write("SELECT 4 AS id, 5 AS x").mode("append").option("mergeSchema", True).saveAsTable("t");
write("SELECT 5 AS id, 5 AS x, 6 AS y").mode("overwrite").option("mergeSchema", "true").saveAsTable("t");
write("SELECT 5 AS id").mode("append").option("mergeSchema", "maybe").saveAsTable("t");
SET spark.databricks.delta.schema.autoMerge.enabled = true;
write("SELECT 6 AS id, 5 AS z").mode("append").option("mergeSchema", False).saveAsTable("t");
write("SELECT 6 AS id, 5 AS z").mode("append").saveAsTable("t");
SELECT * FROM t ORDER BY id;

-- name: structs by name
write("SELECT named_struct('a', 1, 'b', 2) AS s").saveAsTable("t");
write("SELECT named_struct('b', 1, 'a', 2) AS s").mode("append").saveAsTable("t");
write("SELECT named_struct('b', 1) AS s").mode("append").saveAsTable("t");
write("SELECT named_struct('b', 1, 'c', 2) AS s").mode("append").saveAsTable("t");
write("SELECT named_struct('b', 1, 'c', 2) AS s").mode("append").option("mergeSchema", True).saveAsTable("t");
write("SELECT CAST(NULL AS STRUCT<a: INT>) AS s").mode("append").saveAsTable("t");
SELECT * FROM t;

-- name: overwriteSchema
CREATE TABLE t (a INT COMMENT 'first', b STRING NOT NULL) USING delta TBLPROPERTIES ('custom' = 'x');
INSERT INTO t VALUES (1, 'x');
write("SELECT 7 AS a, 3 AS c").mode("overwrite").saveAsTable("t");
write("SELECT 'p' AS a, 3 AS c").mode("overwrite").option("overwriteSchema", True).saveAsTable("t");
write("SELECT 'p' AS a, 3 AS c").mode("overwrite").option("overwriteSchema", True).partitionBy("a").saveAsTable("t");
write("SELECT 'q' AS a, 3 AS c").mode("append").partitionBy("a").saveAsTable("t");
write("SELECT 5 AS id").mode("overwrite").option("overwriteSchema", True).partitionBy("id").saveAsTable("t");
write("SELECT 'r' AS a").mode("append").option("overwriteSchema", True).saveAsTable("t");
write("SELECT 's' AS a, 6 AS n").mode("append").option("overwriteSchema", True).saveAsTable("t");
SELECT * FROM t;

-- name: overwriteSchema of mapped columns
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
write("SELECT 1 AS id, 2 AS v").mode("append").saveAsTable("t");
write("SELECT 1 AS id, 3 AS w").mode("overwrite").option("overwriteSchema", True).saveAsTable("t");
SELECT * FROM t;

-- name: overwriteSchema of generated, default and checked columns
CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY, a INT, b INT GENERATED ALWAYS AS (a * 2), c INT NOT NULL) USING delta;
write("SELECT 1 AS a, 2 AS c").mode("append").saveAsTable("t");
write("SELECT 1 AS a").mode("append").saveAsTable("t");
write("SELECT 1 AS a, 3 AS b, 2 AS c").mode("append").saveAsTable("t");
write("SELECT 9L AS id, 1 AS a, 2 AS c").mode("append").saveAsTable("t");
write("SELECT 1 AS a, CAST(NULL AS INT) AS c").mode("append").saveAsTable("t");
SELECT * FROM t;
ALTER TABLE t ADD CONSTRAINT cc CHECK (c > 0);
write("SELECT 1 AS a, -2 AS c").mode("append").saveAsTable("t");
write("SELECT 1 AS a, -2 AS c").mode("overwrite").option("overwriteSchema", True).saveAsTable("t");
write("SELECT 1 AS a, 2 AS c").mode("overwrite").option("overwriteSchema", True).saveAsTable("t");
SELECT * FROM t;

-- name: paths
write("SELECT 1 AS id, 'a' AS v").save("{dir}/t");
write("SELECT 2 AS id").mode("append").save("{dir}/t");
write("SELECT 4 AS id, 'b' AS v, 5 AS x").mode("append").save("{dir}/t");
write("SELECT 4 AS id, 'b' AS v, 5 AS x").mode("append").option("mergeSchema", True).save("{dir}/t");
write("SELECT 1 AS id").save("{dir}/t");
write("SELECT 1 AS id").mode("ignore").save("{dir}/t");
write("SELECT 8 AS id").mode("overwrite").save("{dir}/t");
write("SELECT 8 AS other").mode("overwrite").save("{dir}/t");
write("SELECT 8 AS other").mode("overwrite").option("overwriteSchema", True).save("{dir}/t");
SELECT * FROM delta.`{dir}/t`;

-- name: paths are partitioned
write("SELECT 1 AS id, 'a' AS v").partitionBy("v").mode("overwrite").save("{dir}/t");
write("SELECT 2 AS id, 'b' AS v").partitionBy("v").mode("append").save("{dir}/t");
write("SELECT 3 AS id, 'b' AS v").mode("append").save("{dir}/t");
write("SELECT 4 AS id, 'b' AS v").mode("append").partitionBy("id").save("{dir}/t");
write("SELECT 5 AS id, 'a' AS v").mode("overwrite").option("partitionOverwriteMode", "dynamic").save("{dir}/t");
SELECT * FROM delta.`{dir}/t` ORDER BY id;

-- name: types of paths
write("SELECT 1 AS id").save("{dir}/t");
-- differs: frame-casts
write("SELECT 9L AS id").mode("append").save("{dir}/t");
-- state differs: frame-casts

-- name: partitions and predicates
write("SELECT 1 AS id, 1 AS p").partitionBy("p").saveAsTable("t");
write("SELECT 2 AS id, 2 AS p").mode("append").saveAsTable("t");
write("SELECT 3 AS id, 2 AS p").mode("overwrite").option("partitionOverwriteMode", "dynamic").saveAsTable("t");
SELECT * FROM t ORDER BY id;
write("SELECT 4 AS id, 2 AS p").mode("overwrite").option("replaceWhere", "p = 2").saveAsTable("t");
SELECT * FROM t ORDER BY id;
write("SELECT 5 AS id, 1 AS p").mode("overwrite").option("replaceWhere", "id = 1 OR id = 5").saveAsTable("t");
write("SELECT 4 AS id, 3 AS p").mode("overwrite").option("replaceWhere", "p = 2").saveAsTable("t");
write("SELECT 4 AS id, 2 AS p").mode("overwrite").option("replaceWhere", "p = 2").option("partitionOverwriteMode", "dynamic").saveAsTable("t");
write("SELECT 4 AS id, 2 AS p, 7 AS z").mode("overwrite").option("replaceWhere", "p = 2").option("overwriteSchema", True).saveAsTable("t");
SELECT * FROM t ORDER BY id;

-- name: dynamic overwrite of all columns
write("SELECT 1 AS id, 1 AS p").partitionBy("p").saveAsTable("t");
-- differs: dynamic-with-schema DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE
write("SELECT 4 AS id, 1 AS p").mode("overwrite").option("overwriteSchema", True).option("partitionOverwriteMode", "dynamic").saveAsTable("t");
-- state differs: dynamic-with-schema


-- name: other partitioning
write("SELECT 1 AS id, 1 AS p").partitionBy("p").saveAsTable("t");
-- differs: frame-partitioning DELTA_METADATA_MISMATCH.PARTITIONING_MISMATCH
write("SELECT 3 AS id, 2 AS p").mode("append").partitionBy("id").saveAsTable("t");
SELECT * FROM t;

-- name: idempotent writes
write("SELECT 1 AS id").saveAsTable("t");
write("SELECT 1 AS id").mode("append").option("txnAppId", "a").saveAsTable("t");
write("SELECT 1 AS id").mode("append").option("txnVersion", 1).saveAsTable("t");
write("SELECT 1 AS id").mode("append").option("txnAppId", "a").option("txnVersion", -1).saveAsTable("t");
write("SELECT 1 AS id").mode("append").option("txnAppId", "a").option("txnVersion", "x").saveAsTable("t");
write("SELECT 2 AS id").mode("append").option("txnAppId", "a").option("txnVersion", 1).saveAsTable("t");
write("SELECT 3 AS id").mode("append").option("txnAppId", "a").option("txnVersion", 1).saveAsTable("t");
write("SELECT 3 AS id").mode("append").option("txnAppId", "a").option("txnVersion", 0).saveAsTable("t");
write("SELECT 4 AS id").mode("append").option("txnAppId", "b").option("txnVersion", 0).saveAsTable("t");
write("SELECT 5 AS id").mode("overwrite").option("txnAppId", "a").option("txnVersion", 2).saveAsTable("t");
write("SELECT 6 AS id").mode("overwrite").option("txnAppId", "a").option("txnVersion", 2).saveAsTable("t");
SELECT * FROM t;

-- name: other options
write("SELECT 1 AS id").saveAsTable("t");
write("SELECT 5 AS id").mode("append").option("dataChange", False).saveAsTable("t");
write("SELECT 5 AS id, 6 AS x").mode("append").option("mergeSchema", True).option("dataChange", False).saveAsTable("t");
write("SELECT 5 AS id WHERE false").mode("append").saveAsTable("t");
write("SELECT 5 AS id, 6 AS id").mode("append").saveAsTable("t");
write("SELECT 6 AS id").mode("append").option("userMetadata", "why").option("nonsense", "x").saveAsTable("t");
DESCRIBE HISTORY t;
SELECT * FROM t ORDER BY id;

-- name: insertInto
write("SELECT 1 AS id, 'x' AS v").saveAsTable("t");
write("SELECT 9 AS v, 'y' AS id").insertInto("t");
write("SELECT 9 AS other, 'z' AS another").mode("append").insertInto("t");
write("SELECT 10 AS other, 'o' AS v").mode("overwrite").insertInto("t");
write("SELECT 10 AS other").insertInto("t");
SELECT * FROM t;

-- name: append-only
CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true');
write("SELECT 1 AS id").mode("append").saveAsTable("t");
write("SELECT 1 AS id").mode("overwrite").saveAsTable("t");

-- name: writeTo
writeTo("SELECT 1 AS id, 1 AS p", "t").partitionedBy("p").create();
writeTo("SELECT 1 AS id, 1 AS p", "t").create();
writeTo("SELECT 2 AS id, 2 AS p", "t").append();
writeTo("SELECT 2 AS id, 2 AS p, 3 AS x", "t").append();
writeTo("SELECT 2 AS id, 2 AS p, 3 AS x", "t").option("mergeSchema", True).append();
writeTo("SELECT 7 AS id", "t").append();
writeTo("SELECT 8 AS id, 1 AS p, 0 AS x", "t").overwritePartitions();
SELECT * FROM t ORDER BY id, x;
writeTo("SELECT 8 AS id", "t").replace();
writeTo("SELECT 8 AS id, 3 AS z", "t").createOrReplace();
SELECT * FROM t;
writeTo("SELECT 8 AS id", "nope").append();
writeTo("SELECT 8 AS id", "nope").replace();
writeTo("SELECT 8 AS id", "fresh").createOrReplace();

-- name: nothing to write
write("SELECT 1 AS id WHERE false").saveAsTable("t");
write("SELECT 1 AS id").mode("append").saveAsTable("t");
write("SELECT 1 AS id WHERE false").mode("append").option("txnAppId", "a").option("txnVersion", 1).saveAsTable("t");
write("SELECT 1 AS id WHERE false").mode("overwrite").saveAsTable("t");
SELECT * FROM t;

-- name: change data of an overwrite by predicate
CREATE TABLE t (id INT, v INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
write("SELECT 1 AS id, 1 AS v UNION ALL SELECT 2, 2").mode("append").saveAsTable("t");
write("SELECT 2 AS id, 5 AS v").mode("overwrite").option("replaceWhere", "id = 2").saveAsTable("t");
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 1) ORDER BY ALL;

-- name: clustered
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (id INT, v INT) USING delta CLUSTER BY (id);
write("SELECT 1 AS id, 1 AS v").mode("append").saveAsTable("t");
write("SELECT 2 AS id, 1 AS v").mode("overwrite").saveAsTable("t");
write("SELECT 2 AS id, 1 AS v, 3 AS w").mode("overwrite").option("overwriteSchema", True).saveAsTable("t");
SELECT * FROM t;

-- name: replace using columns
CREATE TABLE t (id INT, v STRING, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', 1), (NULL, 'd', 3);
write("SELECT * FROM VALUES (1, 'x', 9), (1, 'y', 1), (NULL, 'z', 3) AS s(id, v, p)").mode("overwrite").option("replaceUsing", "id").saveAsTable("t");
SELECT * FROM t ORDER BY id, v;
write("SELECT 3 AS P, 'w' AS v, 2 AS id").mode("overwrite").option("replaceUsing", "ID, p").saveAsTable("t");
write("SELECT 2 AS id, 'i' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").insertInto("t");
SELECT * FROM t ORDER BY id, v;
write("SELECT 'x' AS v, 1 AS id, 1 AS p").mode("overwrite").option("replaceUsing", "id").insertInto("t");
write("SELECT 1 AS a, 'x' AS b, 1 AS c").mode("overwrite").option("replaceUsing", "id").insertInto("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "nope").saveAsTable("t");
write("SELECT 1 AS id").mode("overwrite").option("replaceUsing", "v").saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id,,v").saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").option("replaceOn", "true").saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").option("replaceWhere", "true").saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").option("partitionOverwriteMode", "dynamic").saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").option("overwriteSchema", True).saveAsTable("t");
write("SELECT 1 AS id, 'x' AS v, 1 AS p").mode("overwrite").option("replaceUsing", "id").option("dataChange", False).saveAsTable("t");
writeTo("SELECT 1 AS id, 'x' AS v, 1 AS p", "t").option("replaceUsing", "id").overwritePartitions();
writeTo("SELECT 1 AS id, 'x' AS v, 1 AS p", "t").option("replaceUsing", "id").createOrReplace();
write("SELECT 1 AS id").mode("overwrite").option("replaceUsing", "id").saveAsTable("not_there");
write("SELECT 2 AS id, 'e' AS v, 1 AS p, 7 AS more").mode("overwrite").option("replaceUsing", "id").option("mergeSchema", True).saveAsTable("t");
SELECT * FROM t ORDER BY id, v;

-- name: replace on a condition
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (NULL, 'n');
write("SELECT 1 AS id, 'x' AS v UNION ALL SELECT NULL, 'y'", "s").mode("overwrite").option("replaceOn", "t.id <=> s.id").option("targetAlias", "t").saveAsTable("t");
SELECT * FROM t ORDER BY id, v;
SELECT id, v, _change_type FROM table_changes('t', 2) ORDER BY id, v, _change_type;
write("SELECT 2 AS id, 'x' AS v", "s").mode("overwrite").option("replaceOn", "id = s.id").saveAsTable("t");
write("SELECT 2 AS id, 'x' AS v", "s").mode("overwrite").option("replaceOn", "t.nope = s.id").option("targetAlias", "t").saveAsTable("t");
write("SELECT 2 AS id, 'r' AS v", "s").mode("overwrite").option("replaceOn", "t.id BETWEEN s.id - 1 AND s.id").option("targetAlias", "t").saveAsTable("t");
SELECT * FROM t ORDER BY id, v;
write("SELECT 2 AS id, 'x' AS v", "s").mode("overwrite").option("replaceOn", "true").saveAsTable("t");
SELECT * FROM t ORDER BY id, v;

-- name: a dynamic overwrite may leave partitions of NULL
CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, NULL);
write("SELECT 3 AS id, 1 AS p UNION ALL SELECT 4, NULL").mode("overwrite").option("partitionOverwriteMode", "dynamic").option("useNullIntolerantEqualityWithDPO", True).insertInto("t");
SELECT * FROM t ORDER BY id;
