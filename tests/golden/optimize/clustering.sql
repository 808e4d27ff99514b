CREATE TABLE t (id INT, name STRING, s STRUCT<x: INT, y: BOOLEAN>) CLUSTER BY (id, s.x);
INSERT INTO t VALUES (1, 'a', named_struct('x', 9, 'y', true)), (2, 'b', NULL);
INSERT INTO t VALUES (3, 'c', named_struct('x', 7, 'y', false)), (NULL, NULL, NULL);
-- name: all files are new
OPTIMIZE t;
-- name: nothing is new
OPTIMIZE t;
INSERT INTO t VALUES (4, 'd', NULL);
-- name: a small cube is ordered with what is new
optimize t;
SELECT * FROM t ORDER BY id;
-- name: other columns
ALTER TABLE t CLUSTER BY (`name`);
-- name: what was ordered by others stays
OPTIMIZE t;
-- name: FULL orders it anew
OPTIMIZE t FULL;
UPDATE t SET name = 'u' WHERE id = 3;
DELETE FROM t WHERE id = 1;
OPTIMIZE t;
SELECT * FROM t ORDER BY id;
DESCRIBE TABLE EXTENDED t;
DESCRIBE DETAIL t;
SHOW TBLPROPERTIES t;
SHOW CREATE TABLE t;
EXPLAIN OPTIMIZE t FULL;
-- name: automatic
ALTER TABLE t CLUSTER BY AUTO;
-- name: none any more
ALTER TABLE t CLUSTER BY NONE;
-- name: wrong, FULL without columns
OPTIMIZE t FULL;
-- name: from a query
CREATE OR REPLACE TABLE t CLUSTER BY (b) AS SELECT 1 AS a, 'x' AS b;
-- name: replaced without clustering
CREATE OR REPLACE TABLE t (a INT);
-- name: wrong, no such column
CREATE TABLE u (a INT) CLUSTER BY (a, b);
-- name: wrong, a type without bounds
CREATE TABLE u (a INT, b BINARY) CLUSTER BY (b);
-- name: wrong, five columns
CREATE TABLE u (a INT, b INT, c INT, d INT, e INT) CLUSTER BY (a, b, c, d, e);
-- name: wrong, one twice
CREATE TABLE u (a INT) CLUSTER BY (a, A);
-- name: wrong, no statistics
CREATE TABLE u (a INT, b INT) CLUSTER BY (b) TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1');
-- name: wrong, partitioned as well
CREATE TABLE u (a INT, b INT) PARTITIONED BY (b) CLUSTER BY (a);
-- name: wrong, OPTIMIZE has no choice
CREATE TABLE u (a INT, b INT) CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
OPTIMIZE u WHERE a = 1;
OPTIMIZE u ZORDER BY (a, b);
-- name: wrong, a clustering column goes
ALTER TABLE u DROP COLUMN a;
-- name: wrong, replaced with partitions
CREATE OR REPLACE TABLE u (a INT, b INT) PARTITIONED BY (b);
-- name: wrong, of a partitioned table
CREATE TABLE p (a INT, b INT) PARTITIONED BY (b);
ALTER TABLE p CLUSTER BY (a);
