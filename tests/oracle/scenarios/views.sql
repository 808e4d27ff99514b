-- name: what SHOW says of a temporary view
CREATE TEMPORARY VIEW views_one AS SELECT 1 AS x, 'a' AS y;
SHOW COLUMNS IN views_one;
SHOW TBLPROPERTIES views_one;
SHOW TBLPROPERTIES views_one ('k');
SHOW CREATE TABLE views_one;
SHOW PARTITIONS views_one;
DESCRIBE views_one;
DESCRIBE views_one x;

-- name: a temporary view is no table
CREATE TEMPORARY VIEW views_two AS SELECT 1 AS x;
TRUNCATE TABLE views_two;
ALTER TABLE views_two ADD COLUMN a INT;
ALTER TABLE views_two SET TBLPROPERTIES ('k' = 'v');
COMMENT ON TABLE views_two IS 'x';
ALTER TABLE views_two SET LOCATION '{dir}/x';
-- differs: drop-table-of-view WRONG_COMMAND_FOR_OBJECT_TYPE
DROP TABLE views_two;

-- name: views come and go
DROP VIEW IF EXISTS views_nothing;
DROP VIEW views_nothing;
CREATE TEMPORARY VIEW views_four AS SELECT 1 AS x;
CREATE TEMPORARY VIEW views_four AS SELECT 1 AS x;
SHOW VIEWS LIKE 'views_four';
DROP VIEW views_four;
CREATE TABLE t (a INT) USING delta;
DROP VIEW t;
