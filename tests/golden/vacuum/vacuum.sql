-- expect: no jvm

CREATE TABLE t (a INT, p INT) PARTITIONED BY (p);
-- name: nothing to delete
VACUUM t;
-- name: all clauses, lower case, another order
vacuum `t` dry run full retain 200 hours;
-- name: a path as a string
VACUUM '${WAREHOUSE}/t' RETAIN 168.0 HOURS;
-- name: a path as a name
VACUUM delta.`${WAREHOUSE}/t` LITE -- comment
  DRY /* between */ RUN;
-- name: the table's own retention
ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 2 days');
VACUUM t RETAIN 48 HOURS DRY RUN;
VACUUM t RETAIN 47 HOURS;
-- name: without the check
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
VACUUM t RETAIN 0 HOURS;
-- name: without the two commits
SET spark.databricks.delta.vacuum.logging.enabled = false;
VACUUM t;
DESCRIBE HISTORY t LIMIT 1;
-- name: what it would do
EXPLAIN VACUUM t;
EXPLAIN VACUUM t LITE RETAIN 0.5 HOURS DRY RUN;
-- name: wrong, a setting
VACUUM t;
