CREATE TABLE t (id INT, name STRING, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue'), (3, 'c', NULL);
INSERT INTO t VALUES (4, 'd', 'mon'), (5, 'e', 'tue'), (6, 'f', NULL);
INSERT INTO t VALUES (7, 'g', 'mon');
-- name: one partition
OPTIMIZE t WHERE day = 'mon';
-- name: the rest, lower case, comments
optimize /* all */ `T` -- of it
;
-- name: nothing to do
OPTIMIZE t;
SELECT * FROM t ORDER BY id;
-- name: a predicate that only Spark understands
OPTIMIZE t WHERE soundex(day) = 'M500';
-- name: ZORDER BY takes every file
OPTIMIZE t ZORDER BY (id, name);
-- name: without parentheses, in one partition
OPTIMIZE t WHERE day IS NULL ZORDER BY Name;
SELECT * FROM t ORDER BY id;
-- name: by path
OPTIMIZE '${WAREHOUSE}/t';
-- name: by path, in back-ticks
OPTIMIZE delta.`${WAREHOUSE}/t`;
EXPLAIN OPTIMIZE t ZORDER BY (id);
-- name: columns without statistics
ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1');
OPTIMIZE t ZORDER BY (name);
SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false;
OPTIMIZE t WHERE day = 'tue' ZORDER BY (name);
-- name: nested columns, a name in quotes, several bins
CREATE TABLE n (`a b` INT, s STRUCT<x: INT, y: STRING>, v VOID, c CHAR(3)) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO n VALUES (1, named_struct('x', 1, 'y', 'z'), NULL, 'q'), (2, NULL, NULL, NULL);
INSERT INTO n VALUES (3, named_struct('x', NULL, 'y', 'z'), NULL, 'r');
INSERT INTO n VALUES (4, named_struct('x', 4, 'y', NULL), NULL, 's');
OPTIMIZE n;
INSERT INTO n VALUES (5, NULL, NULL, 't');
OPTIMIZE n ZORDER BY (`a b`, s.x);
SELECT * FROM n ORDER BY `a b`;
DELETE FROM n WHERE `a b` = 3;
-- name: an append-only table: its rows stay
ALTER TABLE n SET TBLPROPERTIES ('delta.appendOnly' = 'true');
INSERT INTO n VALUES (6, NULL, NULL, 'u');
OPTIMIZE n;
SELECT * FROM n ORDER BY `a b`;
