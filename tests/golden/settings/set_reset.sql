-- expect: no jvm

-- name: a setting of Spark
SET spark.sql.shuffle.partitions = 3;
SET spark.sql.shuffle.partitions;
-- name: lower case, quotes, no blanks
set `spark.sql.ansi.enabled`=false;
SET spark.sql.ansi.enabled;
-- name: one's own
SET my.own.key = some text with blanks;
SET my.own.key;
-- name: a setting of Delta
SET spark.databricks.delta.schema.autoMerge.enabled = true;
-- DELTASQL_TESTS_COMPUTE leaves the rows of all tests to an engine.
-- mask: /deltasql.compute \| \w+/
-- name: what was changed
SET;
-- name: one that was never set
SET no.such.key;
-- name: RESET of one
RESET my.own.key;
SET my.own.key;
-- name: RESET of all
RESET;
SET spark.sql.ansi.enabled;
-- name: wrong, a bad value is not kept
CREATE TABLE t (id INT);
INSERT INTO t VALUES (1);
