-- name: SET and RESET
SET spark.sql.shuffle.partitions = 3;
SET spark.databricks.delta.no.such.key = 1;
RESET spark.sql.shuffle.partitions;

-- name: time zone of a session
SET spark.sql.session.timeZone = America/New_York;
CREATE TABLE t (a TIMESTAMP, p TIMESTAMP) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2024-07-01 00:00:00');
SELECT * FROM t WHERE p = TIMESTAMP'2024-07-01 00:00:00';
SELECT CAST(a AS STRING), CAST(p AS STRING) FROM t;
DELETE FROM t WHERE p < TIMESTAMP'2024-07-01 00:00:01';
SELECT * FROM t;

-- name: ANSI off
SET spark.sql.ansi.enabled = false;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
SELECT CAST('x' AS INT) FROM t;
UPDATE t SET a = CAST('x' AS INT);
SELECT * FROM t;

-- name: defaults of properties
SET spark.databricks.delta.properties.defaults.appendOnly = true;
CREATE TABLE t (a INT) USING delta;
CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'false');

-- name: user metadata
SET spark.databricks.delta.commitInfo.userMetadata = hello;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
DESCRIBE HISTORY t;

-- name: case of names
SET spark.sql.caseSensitive = true;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t (A) VALUES (1);
SELECT A FROM t;
