-- expect: no jvm

CREATE TABLE t (id INT);
ALTER TABLE t ADD COLUMN a INT;
ALTER TABLE t SET TBLPROPERTIES ('k' = 'v');
-- name: plain, newest first
DESCRIBE HISTORY t;
-- name: LIMIT
DESCRIBE HISTORY t LIMIT 1;
-- name: lower case, a path as a string
desc history '${WAREHOUSE}/t' limit 2;
-- name: a path as a name
DESCRIBE HISTORY delta.`${WAREHOUSE}/t` LIMIT 1;
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
DESCRIBE HISTORY v;
