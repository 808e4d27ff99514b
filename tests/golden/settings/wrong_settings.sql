-- expect: no jvm
-- log: off

-- name: values
SET deltasql.retry.maxAttempts = many;
SET deltasql.retry.statements = some;
SET deltasql.rowLevelConcurrency.maxBytes = big;
SET deltasql.rowLevelConcurrency.enabled = 1;
SET spark.databricks.delta.schema.autoMerge.enabled = yes;
SET spark.databricks.delta.schema.autoMerge.enabled = 'true';
SET spark.databricks.delta.optimize.maxDeletedRowsRatio = 5;
SET spark.sql.sources.partitionOverwriteMode = sometimes;
SET spark.sql.session.timeZone = 'UTC';
-- name: keys
SET deltasql.retry.maxAttemptz = 3;
SET deltasql.nothing.like.it = 3;
SET spark.databricks.delta.schema.autoMerg.enabled = true;
SET spark.databricks.delta.schema.automerge.enabled = true;
SET staging_allowed_local_path = '/tmp';
-- name: nothing of that is kept
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
-- name: right ones, and keys of others
SET deltasql.retry.maxAttempts = 3;
SET spark.databricks.delta.schema.autoMerge.enabled = TRUE;
SET spark.databricks.delta.properties.defaults.apendOnly = true;
SET spark.databricks.delta.something.else = 1;
SET my.own.key = 'x';
