-- name: columns, comments, partitions and properties
CREATE TABLE s (a INT NOT NULL COMMENT 'the a', b STRUCT<x: INT, y: ARRAY<STRING>>, p DATE) USING delta PARTITIONED BY (p) COMMENT 'the source' TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'true');
INSERT INTO s VALUES (1, NULL, DATE'2024-01-01');
CREATE TABLE t LIKE s;
SELECT * FROM t;
DESCRIBE t;
SHOW TBLPROPERTIES t;

-- name: properties of its own
CREATE TABLE s (a INT) USING delta TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'true');
CREATE TABLE t LIKE s TBLPROPERTIES ('k' = 'w', 'delta.enableChangeDataFeed' = 'true');

-- name: generated, identity and default columns
CREATE TABLE s (a INT, g INT GENERATED ALWAYS AS (a + 1), i BIGINT GENERATED ALWAYS AS IDENTITY, d INT DEFAULT 7) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO s (a) VALUES (1);
CREATE TABLE t LIKE s;
INSERT INTO t (a) VALUES (5);
SELECT a, g, d FROM t;

-- name: constraints
CREATE TABLE s (a INT) USING delta;
ALTER TABLE s ADD CONSTRAINT positive CHECK (a > 0);
CREATE TABLE t LIKE s;
INSERT INTO t VALUES (-1);

-- name: a clustered table
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE s (a INT, b INT) USING delta CLUSTER BY (a);
CREATE TABLE t LIKE s;

-- name: mapped columns
CREATE TABLE s (a INT, b STRUCT<x: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE s RENAME COLUMN a TO c;
ALTER TABLE s ADD COLUMN d INT;
ALTER TABLE s DROP COLUMN d;
CREATE TABLE t LIKE s;
INSERT INTO t VALUES (1, named_struct('x', 2));
SELECT * FROM t;

-- name: a protocol that was upgraded
CREATE TABLE s (a INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4');
CREATE TABLE t LIKE s;

-- name: table features
CREATE TABLE s (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableInCommitTimestamps' = 'true', 'delta.enableTypeWidening' = 'true');
CREATE TABLE t LIKE s;

-- name: rows that are tracked
CREATE TABLE s (a INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true');
INSERT INTO s VALUES (1);
CREATE TABLE t LIKE s;
-- state differs: physical-names

-- name: a table that is there
CREATE TABLE s (a INT) USING delta;
CREATE TABLE t (b INT) USING delta;
CREATE TABLE t LIKE s;
CREATE TABLE IF NOT EXISTS t LIKE s;
DESCRIBE t;

-- name: no source
CREATE TABLE t LIKE nothing_here;

-- name: at a place of its own
CREATE TABLE s (a INT) USING delta;
CREATE TABLE t LIKE s LOCATION '{dir}/like';
INSERT INTO t VALUES (1);
SELECT * FROM delta.`{dir}/like`;

-- name: with its provider
CREATE TABLE s (a INT) USING delta;
CREATE TABLE t LIKE s USING delta;

-- name: like a temporary view
CREATE TEMPORARY VIEW create_like_v AS SELECT 1 AS a, 'x' AS b;
CREATE TABLE t LIKE create_like_v USING delta;
DESCRIBE t;
-- state differs: like-view

-- name: like a path
CREATE TABLE delta.`{dir}/p` (a INT) USING delta;
CREATE TABLE t LIKE delta.`{dir}/p`;

-- name: char and varchar
CREATE TABLE s (a CHAR(3), b VARCHAR(5)) USING delta;
CREATE TABLE t LIKE s;
INSERT INTO t VALUES ('a', 'toolong');
