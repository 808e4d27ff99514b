-- expect: no jvm
-- Versions whose files VACUUM has removed are named as such, and nothing is committed from them.
CREATE TABLE t (k INT, v STRING) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'false');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT OVERWRITE t VALUES (1, 'c'), (2, 'b');
INSERT INTO t VALUES (3, 'x');
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
VACUUM t RETAIN 0 HOURS;
-- name: from the log
SELECT count(*) FROM t VERSION AS OF 1;
-- name: rows
-- mask: /part-[^ ]*|[0-9a-f]{32}/
SELECT * FROM t VERSION AS OF 1;
-- name: the short form
-- mask: /part-[^ ]*|[0-9a-f]{32}/
SELECT * FROM t@v1;
-- name: a shallow clone
-- mask: /part-[^ ]*|[0-9a-f]{32}/
CREATE TABLE c SHALLOW CLONE t VERSION AS OF 1;
-- name: a deep clone
-- mask: /part-[^ ]*|[0-9a-f]{32}/
CREATE TABLE c DEEP CLONE t VERSION AS OF 1;
-- name: none was made
SHOW TABLES LIKE 'c';
-- name: restored
-- mask: /part-[^ ]*|[0-9a-f]{32}/
RESTORE TABLE t TO VERSION AS OF 1;
-- name: copied
-- mask: /part-[^ ]*|[0-9a-f]{32}/
INSERT INTO t SELECT * FROM t VERSION AS OF 1;
-- name: a clone of a version that is there
CREATE TABLE c SHALLOW CLONE t VERSION AS OF 3;
-- name: the table is as it was
SELECT * FROM t ORDER BY k;
