-- name: properties go, the protocol stays
CREATE TABLE t (a INT) USING delta COMMENT 'old' TBLPROPERTIES ('k' = 'v', 'delta.enableDeletionVectors' = 'true');
INSERT INTO t VALUES (1);
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta;
INSERT INTO t VALUES (2, 3);
SELECT * FROM t;
SELECT * FROM t VERSION AS OF 1;

-- name: mapped columns keep counting
CREATE TABLE t (a INT, b INT, c INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, 2, 3);
CREATE OR REPLACE TABLE t (b INT, d INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (4, 5);
SELECT * FROM t;
SELECT * FROM t VERSION AS OF 1;

-- name: mapped columns of another type
CREATE TABLE t (a INT, s STRUCT<x: INT, y: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
CREATE OR REPLACE TABLE t (a STRING, s STRUCT<y: INT, z: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');

-- name: mapping is dropped with its property
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1);
CREATE OR REPLACE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (2);
SELECT * FROM t;

-- name: from id to name
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
CREATE OR REPLACE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');

-- name: identity starts again
CREATE TABLE t (i BIGINT GENERATED ALWAYS AS IDENTITY, a INT) USING delta;
INSERT INTO t (a) VALUES (1);
INSERT INTO t (a) VALUES (2);
CREATE OR REPLACE TABLE t (i BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10), a INT) USING delta;
INSERT INTO t (a) VALUES (3);
SELECT * FROM t;

-- name: clustering goes
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a);
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta;
DESCRIBE DETAIL t;

-- name: clustering changes
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a);
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta CLUSTER BY (b);
DESCRIBE DETAIL t;

-- name: clustered, then partitioned
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a);
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta PARTITIONED BY (a);

-- name: partitioned, then clustered
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b INT) USING delta PARTITIONED BY (a);
INSERT INTO t VALUES (1, 2);
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta CLUSTER BY (a);
DESCRIBE DETAIL t;

-- name: constraints go
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0);
CREATE OR REPLACE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (-1);

-- name: an append-only table
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true');
INSERT INTO t VALUES (1);
CREATE OR REPLACE TABLE t (a INT) USING delta;

-- name: neither columns nor a query
CREATE TABLE t (a INT) USING delta;
CREATE OR REPLACE TABLE t USING delta;
REPLACE TABLE t USING delta;

-- name: a path
CREATE OR REPLACE TABLE delta.`{dir}/p` (a INT) USING delta;
-- differs: replace-path
CREATE OR REPLACE TABLE delta.`{dir}/p` (b INT) USING delta;
REPLACE TABLE delta.`{dir}/p` USING delta AS SELECT 1 AS c;
SELECT * FROM delta.`{dir}/p`;
-- state differs: replace-path

-- name: TRUNCATE
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
TRUNCATE TABLE t;
INSERT INTO t VALUES (1, 1), (2, 2);
TRUNCATE TABLE t;
SELECT * FROM t;
TRUNCATE TABLE t PARTITION (p = 1);
TRUNCATE TABLE nothing_here;

-- name: which properties stay
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.enableChangeDataFeed' = 'true', 'delta.enableTypeWidening' = 'true', 'delta.appendOnly' = 'false', 'delta.enableRowTracking' = 'true');
CREATE OR REPLACE TABLE t (a INT, b INT) USING delta;
-- state differs: physical-names

-- name: deletion vectors, told not to stay
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
CREATE OR REPLACE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false');
CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS a;
