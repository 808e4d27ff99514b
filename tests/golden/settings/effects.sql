-- expect: no jvm
-- Settings of Delta that are read where statements run.

-- name: no commit yet
SET spark.databricks.delta.lastCommitVersionInSession;
CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p);
SET spark.databricks.delta.lastCommitVersionInSession;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (3, 'a'), (4, 'b');
-- name: the version of the last commit
SET spark.databricks.delta.lastCommitVersionInSession;
-- name: that of another table
CREATE TABLE u (id INT);
SET spark.databricks.delta.lastCommitVersionInSession;
-- name: a query commits nothing
SELECT count(*) FROM t;
SET spark.databricks.delta.lastCommitVersionInSession;

-- name: statistics leave files out
EXPLAIN SELECT * FROM t WHERE id = 3 AND p = 'a';
SET spark.databricks.delta.stats.skipping = false;
-- name: only partitions do
EXPLAIN SELECT * FROM t WHERE id = 3 AND p = 'a';
SELECT * FROM t WHERE id = 3 AND p = 'a';
SELECT * FROM t ORDER BY id LIMIT 1;
DELETE FROM t WHERE id = 4;
SELECT * FROM t ORDER BY id;

-- name: files without statistics of columns
SET spark.databricks.delta.stats.collect = false;
CREATE TABLE plain (id INT) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id');
INSERT INTO plain VALUES (1), (2);
INSERT INTO plain VALUES (3);
SET spark.databricks.delta.stats.skipping = true;
EXPLAIN SELECT * FROM plain WHERE id = 3;
RESET spark.databricks.delta.stats.collect;
INSERT INTO plain VALUES (4);
EXPLAIN SELECT * FROM plain WHERE id = 3;
SELECT count(*) FROM plain;

-- name: a history without counts
SET spark.databricks.delta.history.metricsEnabled = false;
INSERT INTO plain VALUES (5);
RESET spark.databricks.delta.history.metricsEnabled;

-- name: a setting that deltasql does not read
SET spark.databricks.delta.merge.materializeSource = none;
SET spark.databricks.delta.merge.materializeSource;
SET spark.databricks.io.cache.enabled = true;
-- name: this one is as it says
SET spark.databricks.delta.rowLevelConcurrencyPreview = true;
-- name: these are read where tables are made
SET spark.databricks.delta.properties.defaults.checkpointInterval = 20;
