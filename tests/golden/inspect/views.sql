-- expect: no jvm

-- name: a temporary view needs no Spark until it is read
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
-- name: again
CREATE OR REPLACE TEMP VIEW V AS SELECT 2 AS two;
-- name: wrong, exists
CREATE TEMPORARY VIEW v AS SELECT 3 AS three;
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
SHOW VIEWS IN nowhere;
SHOW CREATE TABLE w;
SHOW PARTITIONS w;
DROP TABLE w;
DROP TABLE IF EXISTS w;
CREATE TABLE t (a INT);
DROP VIEW t;
DROP VIEW IF EXISTS nothing;
DROP VIEW nothing;
