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
-- name: wrong
SET spark.databricks.delta.stats.skipping = no;
