-- expect: no jvm

-- name: a temporary view needs no Spark until it is read
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
-- name: again
CREATE OR REPLACE TEMP VIEW V AS SELECT 2 AS two;
-- name: dropped
DROP VIEW v;
-- name: wrong, what a view is not
CREATE TEMPORARY VIEW w AS SELECT 1 AS one;
DELETE FROM w;
UPDATE w SET one = 2;
INSERT INTO w VALUES (1);
MERGE INTO w USING w AS s ON false WHEN NOT MATCHED THEN INSERT *;
ALTER TABLE w ADD COLUMN a INT;
TRUNCATE TABLE w;
-- name: what SHOW says without asking for rows
SHOW VIEWS;
SHOW VIEWS IN default LIKE 'x*';
SHOW TBLPROPERTIES w;
SHOW TBLPROPERTIES w ('k');
-- name: wrong
SHOW CREATE TABLE w;
SHOW PARTITIONS w;
DROP TABLE w;
DROP TABLE IF EXISTS w;
CREATE TABLE t (a INT);
DROP VIEW IF EXISTS nothing;
-- name: another query, another name
ALTER VIEW w AS SELECT 2 AS two;
ALTER VIEW w RENAME TO x;
SHOW VIEWS;
-- name: column names and comments
CREATE TEMP VIEW named (`a b`, c COMMENT 'the third') AS SELECT a, a + 1 AS d FROM t WHERE a > 0;
DESCRIBE named;
-- name: all sessions of the process see a global one
CREATE GLOBAL TEMP VIEW shared AS SELECT a FROM t;
SHOW VIEWS IN global_temp;
DROP VIEW global_temp.shared;
-- name: wrong, a view that reads itself
CREATE TEMP VIEW y AS SELECT * FROM x;
-- name: nothing has changed
SHOW VIEWS;
