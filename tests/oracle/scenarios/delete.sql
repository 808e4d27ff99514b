-- name: some rows
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, 'z');
DELETE FROM t WHERE a = 1;
DELETE FROM t WHERE b = 'z' OR b = 'nope';
SELECT * FROM t;

-- name: NULL keeps the row
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2), (NULL);
DELETE FROM t WHERE a <> 2;
SELECT * FROM t;
DELETE FROM t WHERE NOT (a = 2);
DELETE FROM t WHERE a IN (2, NULL);
SELECT * FROM t;
DELETE FROM t WHERE a IS NULL;
SELECT * FROM t;

-- name: all rows
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT INTO t VALUES (3);
DELETE FROM t;
SELECT * FROM t;
DELETE FROM t;

-- name: WHERE true and false
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
DELETE FROM t WHERE false;
DELETE FROM t WHERE 1 = 1;
SELECT * FROM t;

-- name: partitions
CREATE TABLE t (a INT, p STRING, q INT) USING delta PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, NULL, 1);
DELETE FROM t WHERE p = 'x' AND q = 1;
DELETE FROM t WHERE p IS NULL;
DELETE FROM t WHERE p = 'nothing';
SELECT * FROM t;

-- name: partitions and data
CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, 'y');
DELETE FROM t WHERE p = 'x' AND a = 2;
DELETE FROM t WHERE p = 'y' OR a = 99;
SELECT * FROM t;

-- name: an alias, names of the table
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2), (3);
DELETE FROM t AS x WHERE x.a = 1;
DELETE FROM t WHERE t.a = 2;
SELECT * FROM t;

-- name: functions, CASE and LIKE
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'abc'), (2, 'xbc'), (3, 'q');
DELETE FROM t WHERE b LIKE 'a%';
DELETE FROM t WHERE CASE WHEN a > 2 THEN true ELSE false END;
SELECT * FROM t;

-- name: dates and timestamps
CREATE TABLE t (d DATE, s TIMESTAMP) USING delta;
INSERT INTO t VALUES (DATE'2024-01-01', TIMESTAMP'2024-01-01 00:00:00'), (DATE'2024-06-01', TIMESTAMP'2024-06-01 12:30:00');
DELETE FROM t WHERE d < '2024-02-01';
SELECT * FROM t;
DELETE FROM t WHERE s >= TIMESTAMP'2024-06-01';
SELECT * FROM t;

-- name: nested fields
CREATE TABLE t (s STRUCT<x: INT>, a ARRAY<INT>) USING delta;
INSERT INTO t VALUES (named_struct('x', 1), array(1)), (named_struct('x', 2), array(2)), (NULL, NULL);
DELETE FROM t WHERE s.x = 1;
DELETE FROM t WHERE a[0] = 2;
SELECT * FROM t;

-- name: unknown names
CREATE TABLE t (a INT) USING delta;
DELETE FROM t WHERE b = 1;
DELETE FROM nothing_here WHERE a = 1;

-- name: what is not a condition
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
DELETE FROM t WHERE a;
DELETE FROM t WHERE 'x';
DELETE FROM t WHERE max(a) = 1;

-- name: an error while rows are read
CREATE TABLE t (a STRING) USING delta;
INSERT INTO t VALUES ('x');
DELETE FROM t WHERE a = 1;
DELETE FROM t WHERE 1 / (length(a) - 1) > 1;
SELECT * FROM t;

-- name: subqueries
CREATE TABLE t (a INT) USING delta;
CREATE TABLE u (b INT) USING delta;
INSERT INTO t VALUES (1), (2), (3);
INSERT INTO u VALUES (2);
-- differs: subqueries
DELETE FROM t WHERE a IN (SELECT b FROM u);
-- differs: subqueries
DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b = a + 1);
-- differs: subqueries
DELETE FROM t WHERE a > (SELECT max(b) FROM u);
-- state differs: subqueries

-- name: a view over the table
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
CREATE TEMPORARY VIEW v AS SELECT * FROM t;
DELETE FROM v WHERE a = 1;

-- name: many files, few touched
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT INTO t VALUES (3), (4);
INSERT INTO t VALUES (5), (6);
DELETE FROM t WHERE a = 3;
SELECT * FROM t;
