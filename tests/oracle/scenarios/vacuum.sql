-- name: files that nobody needs
SET deltasql.io.mode = EXECUTORS;
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2);
DELETE FROM t WHERE a = 1;
INSERT OVERWRITE t VALUES (3, 3);
-- differs: vacuum-leaves
VACUUM t RETAIN 0 HOURS DRY RUN;
VACUUM t RETAIN 0 HOURS;
-- differs: vacuum-leaves
VACUUM t RETAIN 0 HOURS DRY RUN;
SELECT * FROM t;

-- name: nothing to delete
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
VACUUM t;
VACUUM t DRY RUN;
VACUUM t RETAIN 200 HOURS;
-- state differs: vacuum-retention

-- name: less than the retention
CREATE TABLE t (a INT) USING delta;
VACUUM t RETAIN 0 HOURS;
-- differs: vacuum-retention DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE
VACUUM t RETAIN -1 HOURS;
VACUUM nothing_here;
-- state differs: vacuum-retention

-- name: a shorter retention by property
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 0 hours');
INSERT INTO t VALUES (1);
TRUNCATE TABLE t;
VACUUM t RETAIN 0 HOURS DRY RUN;

-- name: without a record
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
SET spark.databricks.delta.vacuum.logging.enabled = false;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
VACUUM t;

-- name: LITE
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
UPDATE t SET a = 3 WHERE a = 1;
VACUUM t LITE RETAIN 0 HOURS DRY RUN;
VACUUM t LITE RETAIN 0 HOURS;
SELECT * FROM t;

-- name: deletion vectors
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT id FROM range(0, 10, 1, 1);
DELETE FROM t WHERE a = 1;
REORG TABLE t APPLY (PURGE);
VACUUM t RETAIN 0 HOURS DRY RUN;
VACUUM t RETAIN 0 HOURS;
SELECT count(*) FROM t;

-- name: a dropped column out of the files
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE t (a INT, b STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t SELECT id, 'x' FROM range(0, 2, 1, 1);
ALTER TABLE t DROP COLUMN b;
REORG TABLE t APPLY (PURGE);
VACUUM t RETAIN 0 HOURS;
SELECT * FROM t;

-- name: a path
SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 2;
CREATE TABLE delta.`{dir}/p` (a INT) USING delta;
VACUUM '{dir}/p';
VACUUM delta.`{dir}/p` DRY RUN;
VACUUM '{dir}/nothing';
