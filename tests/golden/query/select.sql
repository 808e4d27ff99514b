-- log: off

CREATE TABLE t (id INT, name STRING, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue'), (3, NULL, 'mon');
CREATE SCHEMA other;
CREATE TABLE other.`my-table` AS SELECT 1 AS id, 'x' AS `a.c`;
-- name: plain, filter, order
SELECT id, name FROM t WHERE day = 'mon' ORDER BY id DESC;
-- name: joins, CTEs, sub-queries, set operations
WITH m AS (SELECT * FROM t WHERE day = 'mon') SELECT m.id, o.`a.c` FROM m JOIN other.`my-table` o ON m.id = o.id;
SELECT id FROM t WHERE id IN (SELECT id FROM other.`my-table`) UNION ALL SELECT 100;
SELECT day, count(*) AS n, max(id) FROM t GROUP BY day HAVING count(*) > 1;
-- name: TABLE, VALUES, FROM first, parentheses
TABLE other.`my-table`;
VALUES (1, 'x'), (2, 'y');
FROM t SELECT id WHERE id = 2;
(SELECT id FROM t WHERE id = 1);
-- name: a table that is a path
SELECT count(*) FROM delta.`${WAREHOUSE}/t`;
-- name: star with EXCEPT
SELECT * EXCEPT (name) FROM t;
-- name: temporary views see their tables as these are
CREATE TEMPORARY VIEW v (k, d) AS SELECT id, day FROM t;
INSERT INTO t VALUES (4, 'd', 'wed');
SELECT * FROM v;
-- name: functions
SELECT upper(name) AS u FROM t WHERE name IS NOT NULL;
-- name: wrong, no such table, column, function
SELECT nmae FROM t;
SELECT nothing(id) FROM t;
-- name: wrong while it runs
SELECT id / 0 FROM t;
-- name: other statements of Spark
SHOW FUNCTIONS LIKE 'upper';
DESCRIBE FUNCTION upper;
-- name: wrong, a table without columns
CREATE TABLE empty;
SELECT * FROM empty;
-- name: wrong syntax, behind names that were replaced
SELECT * FROM t WHERE id = 1 AND;
SELECT id, FROM t;
SELECT id FROM t
GRUOP BY id;
-- name: what Java says of a pattern, which has no condition
SELECT split('a', '[a');
