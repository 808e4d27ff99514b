CREATE TABLE t (id INT, secret STRING, s STRUCT<x: INT, y: INT>, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, 'a', named_struct('x', 1, 'y', 2), 'mon'), (2, 'b', NULL, 'tue');
INSERT INTO t VALUES (3, 'c', named_struct('x', 3, 'y', 4), 'mon');
-- name: nothing was dropped
REORG TABLE t APPLY (PURGE);
ALTER TABLE t DROP COLUMN secret;
INSERT INTO t VALUES (4, NULL, 'wed');
-- name: one partition
REORG TABLE t WHERE day = 'tue' APPLY (PURGE);
-- name: the rest, lower case
reorg table `t` apply (purge);
-- name: nothing is left to do
REORG TABLE t APPLY (PURGE);
SELECT * FROM t ORDER BY id;
-- name: a nested field
ALTER TABLE t DROP COLUMN s.y;
REORG TABLE t APPLY (PURGE);
SELECT * FROM t ORDER BY id;
DESCRIBE DETAIL t;
EXPLAIN REORG TABLE t APPLY (PURGE);
