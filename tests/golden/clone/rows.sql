-- log: off

SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE s (a INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true', 'delta.enableChangeDataFeed' = 'true');
INSERT INTO s SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'x y' FROM range(6);
INSERT INTO s VALUES (7, 'z%');
DELETE FROM s WHERE a = 1;
CREATE TABLE t SHALLOW CLONE s;
CREATE TABLE d CLONE t;
-- name: rows of both
SELECT 't' AS of, * FROM t UNION ALL SELECT 'd', * FROM d ORDER BY of, a;
-- name: rows that the source has marked stay marked; the source does not change
UPDATE t SET a = a + 100 WHERE a IN (0, 7);
DELETE FROM t WHERE a = 2;
MERGE INTO t USING (SELECT 3 AS a) n ON t.a = n.a WHEN MATCHED THEN UPDATE SET p = 'merged';
SELECT * FROM t ORDER BY a;
SELECT a, _change_type, _commit_version FROM table_changes('t', 1) ORDER BY _commit_version, a;
SELECT count(DISTINCT _metadata.row_id) AS ids, count(*) AS rows FROM t;
-- name: nothing of what follows touches the source
OPTIMIZE t;
RESTORE TABLE t TO VERSION AS OF 0;
VACUUM t RETAIN 0 HOURS;
FSCK REPAIR TABLE t;
DELETE FROM t;
VACUUM t LITE RETAIN 0 HOURS;
RESTORE TABLE t TO VERSION AS OF 0;
SELECT * FROM t ORDER BY a;
DROP TABLE t;
SELECT * FROM s ORDER BY a;
-- name: the clone is brought to what the source is now
CREATE TABLE t SHALLOW CLONE s;
UPDATE d SET a = -1 WHERE a = 0;
INSERT INTO s VALUES (8, NULL), (9, 'x y');
OPTIMIZE s;
CREATE OR REPLACE TABLE d DEEP CLONE s;
SELECT * FROM d ORDER BY a;
SELECT * FROM d@v0 ORDER BY a;
-- name: views are no tables
CREATE TEMPORARY VIEW v AS SELECT * FROM s;
-- name: a shallow clone ends with the files of its source
VACUUM s RETAIN 0 HOURS;
-- mask: /part-[^ ]*|[0-9a-f]{32}/
SELECT * FROM t;
SELECT count(*) FROM d;
