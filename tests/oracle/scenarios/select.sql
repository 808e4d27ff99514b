-- name: joins of several tables
CREATE TABLE t (a INT, b STRING) USING delta;
CREATE TABLE u (a INT, c STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, 'y');
INSERT INTO u VALUES (2, 'z'), (3, 'w');
SELECT t.a, t.b, u.c FROM t JOIN u ON t.a = u.a;
SELECT * FROM t LEFT JOIN u USING (a);
SELECT t.*, c FROM t, u WHERE t.a = u.a - 1;
SELECT a FROM t EXCEPT SELECT a FROM u;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a);

-- name: aggregates, windows and order
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, 'y'), (NULL, 'y');
SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b HAVING count(*) > 1 ORDER BY b DESC;
SELECT a, row_number() OVER (PARTITION BY b ORDER BY a DESC) AS r FROM t;
SELECT DISTINCT b FROM t ORDER BY b LIMIT 1;

-- name: common table expressions, subqueries, laterals
CREATE TABLE t (a INT, arr ARRAY<INT>) USING delta;
INSERT INTO t VALUES (1, array(1, 2)), (2, array());
WITH q AS (SELECT a FROM t), r AS (SELECT a + 1 AS a FROM q) SELECT * FROM r;
SELECT a, e FROM t LATERAL VIEW explode(arr) AS e;
SELECT (SELECT max(a) FROM t) AS m;
SELECT * FROM (SELECT a FROM t WHERE a > 1) WHERE a < 5;

-- name: a common table expression hides a table
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
WITH t AS (SELECT 99 AS b) SELECT * FROM t;

-- name: names with a schema
CREATE SCHEMA select_other;
CREATE TABLE select_other.t (a INT) USING delta;
INSERT INTO select_other.t VALUES (5);
SELECT a FROM select_other.t;
SELECT t.a FROM select_other.t;
SELECT select_other.t.a FROM select_other.t;
DROP SCHEMA select_other CASCADE;

-- name: views
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
CREATE TEMPORARY VIEW v (b) AS SELECT a * 10 FROM t;
SELECT * FROM v;
INSERT INTO t VALUES (3);
SELECT * FROM v;
DROP VIEW v;
SELECT * FROM v;

-- name: unknown names
CREATE TABLE t (a INT) USING delta;
SELECT nope FROM t;
SELECT * FROM nothing_here;
SELECT * FROM t WHERE nope(a) = 1;
SELEC * FROM t;

-- name: null-safe and three-valued
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (NULL);
SELECT * FROM t WHERE a <=> NULL;
SELECT a = 1, a IS NULL, a IN (1, NULL) FROM t;

-- name: filters that skip files
CREATE TABLE t (a INT, b STRING, d DATE) USING delta;
INSERT INTO t VALUES (1, 'abc', DATE'2024-01-01');
INSERT INTO t VALUES (100, 'abd', DATE'2024-06-01'), (NULL, NULL, NULL);
SELECT * FROM t WHERE a > 50;
SELECT * FROM t WHERE a = 1 OR b LIKE 'abd%';
SELECT * FROM t WHERE d BETWEEN '2024-05-01' AND '2024-07-01';
SELECT * FROM t WHERE a IS NULL;
SELECT * FROM t WHERE NOT (a < 50);
SELECT count(*) FROM t WHERE b IN ('abc', 'zzz');
SELECT * FROM t WHERE a = '100';
SELECT * FROM t WHERE a BETWEEN 0 AND 2;
