-- name: small files of each partition become one
CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRING>, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, named_struct('x', 1, 'y', 'a'), 'a'), (2, NULL, 'b'), (3, NULL, NULL);
INSERT INTO t VALUES (4, named_struct('x', 1, 'y', 'a'), 'a'), (5, NULL, 'b');
INSERT INTO t VALUES (6, named_struct('x', 1, 'y', NULL), 'a');
OPTIMIZE t WHERE p = 'a';
OPTIMIZE t WHERE p = 'nothing there';
OPTIMIZE t;
OPTIMIZE t;
SELECT * FROM t;
UPDATE t SET a = a + 10 WHERE p = 'a' AND a > 1;
DELETE FROM t WHERE a = 2;
MERGE INTO t USING (SELECT 3 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE;
SELECT * FROM t;

-- name: an empty table, and one of one file
CREATE TABLE t (a INT) USING delta;
OPTIMIZE t;
INSERT INTO t VALUES (1);
OPTIMIZE t;
REORG TABLE t APPLY (PURGE);
OPTIMIZE t WHERE true;

-- name: bins are not filled above the largest size
SET deltasql.io.mode = EXECUTORS;
SET spark.databricks.delta.optimize.maxFileSize = 1500;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t SELECT CAST(id AS INT) FROM range(1, 2);
INSERT INTO t SELECT CAST(id AS INT) FROM range(2, 3);
INSERT INTO t SELECT CAST(id AS INT) FROM range(3, 4);
INSERT INTO t SELECT CAST(id AS INT) FROM range(4, 5);
INSERT INTO t SELECT CAST(id AS INT) FROM range(5, 6);
OPTIMIZE t;
SET spark.databricks.delta.optimize.maxFileSize = 1073741824;
SET spark.databricks.delta.optimize.minFileSize = 500;
OPTIMIZE t;
SET spark.databricks.delta.optimize.minFileSize = 1073741824;
SELECT * FROM t;

-- name: Z-order
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT>, d DATE, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 'x', named_struct('x', 5), DATE'2024-01-01', 1);
INSERT INTO t VALUES (2, NULL, NULL, NULL, 1);
INSERT INTO t VALUES (9, 'z', named_struct('x', 1), DATE'2020-01-01', 2);
INSERT INTO t VALUES (3, 'y', named_struct('x', NULL), DATE'1999-12-31', 1);
OPTIMIZE t WHERE p = 1 ZORDER BY (a, b);
OPTIMIZE t ZORDER BY a, s.x, d;
OPTIMIZE t ZORDER BY (s.x);
OPTIMIZE t ZORDER BY (s);
SELECT * FROM t;
OPTIMIZE t ZORDER BY (nope);
OPTIMIZE t ZORDER BY (p);
OPTIMIZE t ZORDER BY (a, P);

-- name: Z-order of columns without statistics
CREATE TABLE t (a INT, b INT) USING delta TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1');
INSERT INTO t VALUES (1, 2);
OPTIMIZE t ZORDER BY (b);
OPTIMIZE t ZORDER BY (a);
SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false;
OPTIMIZE t ZORDER BY (b);

-- name: predicates
CREATE TABLE t (a INT, p INT, q DATE) USING delta PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, DATE'2024-01-01'), (2, 2, DATE'2024-01-02'), (3, NULL, NULL);
INSERT INTO t VALUES (4, 1, DATE'2024-01-01'), (5, 2, DATE'2024-01-02'), (6, NULL, NULL);
OPTIMIZE t WHERE a = 1;
OPTIMIZE t WHERE p = 1 AND a = 1;
OPTIMIZE t WHERE nope = 1;
OPTIMIZE t WHERE p % 2 = 1 AND year(q) = 2024;
OPTIMIZE t WHERE q > '2024-01-01';
OPTIMIZE t WHERE p IS NULL;
OPTIMIZE t FULL;
OPTIMIZE nope;
SELECT * FROM t;

-- name: purge of dropped columns
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT, y: INT>) USING delta;
INSERT INTO t VALUES (1, 'x', named_struct('x', 1, 'y', 2));
INSERT INTO t VALUES (3, 'y', named_struct('x', 3, 'y', 4));
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
REORG TABLE t APPLY (PURGE);
ALTER TABLE t DROP COLUMN b;
INSERT INTO t VALUES (4, named_struct('x', 5, 'y', 6));
REORG TABLE t APPLY (PURGE);
ALTER TABLE t DROP COLUMN s.y;
REORG TABLE t APPLY (PURGE);
REORG TABLE t APPLY (PURGE);
REORG TABLE t WHERE a = 1 APPLY (PURGE);
SELECT * FROM t;
