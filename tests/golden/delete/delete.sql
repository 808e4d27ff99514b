CREATE TABLE t (id INT, name STRING, day STRING) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'mon'), (3, 'c', 'tue'), (4, NULL, 'wed'), (5, 'e', 'thu');
-- name: plain: the other rows of the file stay
DELETE FROM t WHERE id = 1;
-- name: a whole partition: no file is read
DELETE FROM t WHERE day = 'thu';
-- name: NULL keeps the row
DELETE FROM t WHERE name <> 'x' AND day = 'wed';
-- name: alias, lower case, comments
delete /* all of */ from `t` as x where x.`Name` = 'b' -- one row
;
-- name: all rows of a file
DELETE FROM t WHERE id = 3;
-- name: no match, no commit
DELETE FROM t WHERE id = 999;
SELECT * FROM t;
INSERT INTO t VALUES (6, 'f', 'mon'), (7, 'g', 'tue'), (8, 'h', 'tue');
-- name: IN with a sub-query, and a CTE
WITH gone AS (SELECT 6 AS id) DELETE FROM t WHERE id IN (SELECT id FROM gone);
-- name: EXISTS that looks at the row
CREATE TABLE u AS SELECT * FROM VALUES (1, 'x'), (2, 'x'), (3, 'y') AS v(id, name);
DELETE FROM u WHERE EXISTS (SELECT 1 FROM u AS o WHERE o.name = u.name AND o.id > u.id);
SELECT * FROM u;
-- name: a scalar sub-query
DELETE FROM t WHERE id = (SELECT max(id) FROM t);
SELECT * FROM t;
-- name: no WHERE
DELETE FROM t;
-- name: of an empty table
DELETE FROM t WHERE id = 1;
-- name: a path
INSERT INTO t VALUES (1, 'a', 'mon');
DELETE FROM delta.`${WAREHOUSE}/t` WHERE id = 1;

-- name: wrong, no such column
DELETE FROM t WHERE nothing = 1;
-- name: wrong, no boolean
DELETE FROM t WHERE id + 1;
-- name: wrong, append-only
ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = true);
DELETE FROM t WHERE id = 1;
