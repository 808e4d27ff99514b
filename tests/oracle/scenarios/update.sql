-- name: all rows and some
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL);
UPDATE t SET b = 'all';
UPDATE t SET b = concat(b, a), a = a * 10 WHERE a > 1;
SELECT * FROM t;

-- name: a condition that is NULL keeps the row
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (NULL);
UPDATE t SET a = 5 WHERE a <> 2;
SELECT * FROM t;

-- name: swap
CREATE TABLE t (a INT, b INT) USING delta;
INSERT INTO t VALUES (1, 2), (3, 4);
UPDATE t SET a = b, b = a;
SELECT * FROM t;

-- name: no row matches
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
UPDATE t SET a = 2 WHERE a = 99;

-- name: an empty table
CREATE TABLE t (a INT) USING delta;
UPDATE t SET a = 2;

-- name: with an alias
CREATE TABLE t (a INT, b INT) USING delta;
INSERT INTO t VALUES (1, 2);
UPDATE t AS x SET x.a = x.b + 1 WHERE x.b = 2;
UPDATE t SET t.b = t.a;
SELECT * FROM t;

-- name: nested fields
CREATE TABLE t (s STRUCT<x: INT, y: STRUCT<z: STRING, w: INT>>) USING delta;
INSERT INTO t VALUES (named_struct('x', 1, 'y', named_struct('z', 'q', 'w', 2))), (NULL);
UPDATE t SET s.y.z = 'new', s.x = s.y.w;
SELECT * FROM t;

-- name: a whole struct by name
CREATE TABLE t (s STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t VALUES (named_struct('x', 1, 'y', 'q'));
UPDATE t SET s = named_struct('y', 'v', 'x', 5L);
SELECT * FROM t;
UPDATE t SET s = named_struct('y', 'v');
UPDATE t SET s = named_struct('y', 'v', 'z', 1);
UPDATE t SET s = NULL;
SELECT * FROM t;

-- name: conflicts of assignments
CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t VALUES (1, NULL);
UPDATE t SET a = 1, a = 2;
UPDATE t SET s = NULL, s.x = 1;

-- name: unknown names
CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta;
INSERT INTO t VALUES (1, NULL);
UPDATE t SET b = 1;
UPDATE t SET s.y = 1;
UPDATE t SET a = b;
UPDATE t SET a = 1 WHERE b = 1;
UPDATE nothing_here SET a = 1;

-- name: a field of an array
CREATE TABLE t (a ARRAY<STRUCT<x: INT>>) USING delta;
UPDATE t SET a.x = 1;
UPDATE t SET a.element.x = 1;

-- name: casts
CREATE TABLE t (a INT, b STRING, d DECIMAL(5,2)) USING delta;
INSERT INTO t VALUES (1, 'x', 1);
UPDATE t SET a = '7', b = 5, d = 2;
SELECT * FROM t;
UPDATE t SET a = 3000000000;
UPDATE t SET a = 'x';
UPDATE t SET d = 12345;
UPDATE t SET a = DATE'2024-01-01';

-- name: partition columns
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 1), (3, 2);
UPDATE t SET p = 9 WHERE a = 1;
UPDATE t SET p = NULL WHERE p = 2;
UPDATE t SET a = a + 100 WHERE p = 1;
SELECT * FROM t;

-- name: NOT NULL
CREATE TABLE t (a INT NOT NULL) USING delta;
INSERT INTO t VALUES (1);
UPDATE t SET a = NULL;
SELECT * FROM t;

-- name: arrays and maps
CREATE TABLE t (a ARRAY<INT>, m MAP<STRING, INT>) USING delta;
INSERT INTO t VALUES (array(1), map('k', 1));
UPDATE t SET a = array_append(a, 2), m = map_concat(m, map('l', 2));
SELECT * FROM t;

-- name: a subquery
CREATE TABLE t (a INT) USING delta;
CREATE TABLE u (b INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT INTO u VALUES (2);
-- differs: subqueries
UPDATE t SET a = 9 WHERE a IN (SELECT b FROM u);
UPDATE t SET a = (SELECT max(b) FROM u) WHERE a = 1;
-- state differs: subqueries

-- name: case of names
CREATE TABLE t (Abc INT) USING delta;
INSERT INTO t VALUES (1);
UPDATE t SET ABC = aBc + 1 WHERE abC = 1;
SELECT * FROM t;

-- name: an aggregate or a window
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
UPDATE t SET a = max(a);
UPDATE t SET a = 1 WHERE max(a) = 1;
