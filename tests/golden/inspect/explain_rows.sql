-- log: off

CREATE TABLE t (id INT, name STRING, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'a', 'mon');
INSERT INTO t VALUES (2, 'b', 'tue');
CREATE TABLE s AS SELECT 2 AS id, 'B' AS name, 'tue' AS day, 'x' AS extra;
-- name: a query: files pruned by partition and by statistics
EXPLAIN SELECT * FROM t WHERE day = 'mon';
EXPLAIN SELECT * FROM t WHERE id > 1;
-- name: INSERT
EXPLAIN INSERT INTO t SELECT id, name, 'wed' FROM s;
EXPLAIN INSERT OVERWRITE t PARTITION (day = 'mon') VALUES (5, 'x');
EXPLAIN INSERT INTO t REPLACE WHERE day = 'mon' VALUES (5, 'x', 'mon');
-- name: CREATE TABLE AS
EXPLAIN CREATE TABLE u PARTITIONED BY (day) AS SELECT * FROM t;
-- name: UPDATE
EXPLAIN UPDATE t SET name = 'z' WHERE id = 2;
-- name: DELETE of rows, and of a partition
EXPLAIN DELETE FROM t WHERE id = 2;
EXPLAIN DELETE FROM t WHERE day = 'mon';
-- name: MERGE, evolution off and on
EXPLAIN MERGE INTO t USING s ON t.id = s.id AND t.day = 'tue'
WHEN MATCHED AND s.name IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
EXPLAIN MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE;
-- name: a statement of Spark
EXPLAIN SHOW COLLATIONS;
-- name: nothing has happened
SELECT count(*) FROM t;
-- name: with Spark's own plan below
-- mask: /#\d+L?|plan_id=\d+|\[id=\d+\]|codegen id : \d+/
EXPLAIN FORMATTED SELECT id + 1 AS next FROM (VALUES (1), (2)) AS v(id);
-- mask: /#\d+L?|plan_id=\d+|\[id=\d+\]|codegen id : \d+|sizeInBytes=[^,)]*/
EXPLAIN COST INSERT INTO t SELECT id, 'x', 'wed' FROM (VALUES (1), (2)) AS v(id);
-- name: literals need no Spark
EXPLAIN EXTENDED INSERT INTO t VALUES (1, 'a', 'mon');
-- name: ANALYZE of a query and of changes, of which none is committed
-- mask: /#\d+L?|plan_id=\d+|\[id=\d+\]|codegen id : \d+/
EXPLAIN ANALYZE SELECT name FROM t WHERE day = 'mon' AND id > 0;
-- mask: /#\d+L?|plan_id=\d+|\[id=\d+\]|codegen id : \d+/
explain analyze insert into t select id + 1, 'c', 'wed' from s;
-- mask: /#\d+L?|plan_id=\d+|\[id=\d+\]|codegen id : \d+/
EXPLAIN ANALYZE MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
EXPLAIN ANALYZE DELETE FROM t WHERE id = 7;
-- name: wrong rows are told as the statement would tell them
EXPLAIN ANALYZE INSERT INTO t SELECT 'x', name, day FROM s;
-- name: two versions, as before
DESCRIBE HISTORY t LIMIT 1;
