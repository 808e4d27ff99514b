-- name: CREATE and OPTIMIZE
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT>) USING delta CLUSTER BY (a, s.x);
OPTIMIZE t;
INSERT INTO t VALUES (1, 'x', named_struct('x', 5));
INSERT INTO t VALUES (2, NULL, NULL);
INSERT INTO t VALUES (NULL, 'y', named_struct('x', NULL));
OPTIMIZE t;
OPTIMIZE t;
OPTIMIZE t FULL;
INSERT INTO t VALUES (4, 'z', named_struct('x', 1));
OPTIMIZE t;
SELECT * FROM t;
DESCRIBE DETAIL t;
UPDATE t SET b = 'u' WHERE a = 2;
DELETE FROM t WHERE a = 1;
SELECT * FROM t;

-- name: with deletion vectors
-- state differs: clustered-vectors
CREATE TABLE t (a INT, b STRING) USING delta CLUSTER BY (a);
INSERT INTO t VALUES (1, 'x'), (2, 'y');
DELETE FROM t WHERE a = 1;
SELECT * FROM t;

-- name: other columns
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b STRING) USING delta CLUSTER BY (a);
INSERT INTO t VALUES (1, 'x');
INSERT INTO t VALUES (2, 'y');
OPTIMIZE t;
ALTER TABLE t CLUSTER BY (b);
OPTIMIZE t;
INSERT INTO t VALUES (3, 'z');
OPTIMIZE t;
OPTIMIZE t FULL;
ALTER TABLE t CLUSTER BY NONE;
INSERT INTO t VALUES (4, 'z');
OPTIMIZE t;
SELECT * FROM t;
DESCRIBE DETAIL t;

-- name: an existing table
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t CLUSTER BY NONE;
ALTER TABLE t CLUSTER BY (a, b);
ALTER TABLE t CLUSTER BY (b);
OPTIMIZE t;
SELECT * FROM t;

-- name: from a query, and replaced
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t USING delta CLUSTER BY (b) AS SELECT 1 AS a, 'x' AS b;
CREATE OR REPLACE TABLE t (a INT, c INT) USING delta CLUSTER BY (c);
CREATE OR REPLACE TABLE t (a INT, c INT) USING delta PARTITIONED BY (c);
DESCRIBE DETAIL t;

-- name: wrong columns
CREATE TABLE t (a INT, b BOOLEAN, c BINARY, d ARRAY<INT>, s STRUCT<x: INT>) USING delta;
ALTER TABLE t CLUSTER BY (b);
ALTER TABLE t CLUSTER BY (c);
ALTER TABLE t CLUSTER BY (d);
ALTER TABLE t CLUSTER BY (s);
ALTER TABLE t CLUSTER BY (nope);
ALTER TABLE t CLUSTER BY (a, A);
CREATE TABLE u (a INT, b INT, c INT, d INT, e INT) USING delta;
ALTER TABLE u CLUSTER BY (a, b, c, d, e);
ALTER TABLE u SET TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '2');
ALTER TABLE u CLUSTER BY (a, c);
CREATE TABLE p (a INT, b INT) USING delta PARTITIONED BY (b);
ALTER TABLE p CLUSTER BY (a);
ALTER TABLE p CLUSTER BY NONE;
OPTIMIZE p FULL;

-- name: what a clustered table refuses
SET spark.databricks.delta.properties.defaults.enableDeletionVectors = false;
CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a);
OPTIMIZE t WHERE a = 1;
OPTIMIZE t ZORDER BY (b);
ALTER TABLE t SET TBLPROPERTIES ('clusteringColumns' = 'b');
