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
-- name: from a query
CREATE OR REPLACE TABLE t CLUSTER BY (b) AS SELECT 1 AS a, 'x' AS b;
-- name: replaced without clustering
CREATE OR REPLACE TABLE t (a INT);
-- name: wrong, OPTIMIZE has no choice
CREATE TABLE u (a INT, b INT) CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: wrong, of a partitioned table
CREATE TABLE p (a INT, b INT) PARTITIONED BY (b);
