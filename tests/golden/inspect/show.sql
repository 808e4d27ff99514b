-- expect: no jvm

CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT>, `odd-name` STRING, day DATE, n INT) PARTITIONED BY (day, n) COMMENT 'it''s' TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'true');
CREATE TABLE u (id INT);
CREATE SCHEMA other;
CREATE TABLE other.w (id INT);
-- name: tables
SHOW TABLES;
SHOW TABLES LIKE 'T';
SHOW TABLES IN other;
show tables from default '*u*';
-- name: columns
SHOW COLUMNS IN t;
SHOW COLUMNS FROM w IN other;
-- name: properties
SHOW TBLPROPERTIES t;
SHOW TBLPROPERTIES t ('k');
-- name: one property that is not there
SHOW TBLPROPERTIES t (delta.nothing);
-- name: the statement that makes the table
SHOW CREATE TABLE t;
SHOW CREATE TABLE other.w;
-- name: partitions of an empty table
SHOW PARTITIONS t;
-- name: CHAR, VARCHAR and comments in the statement that makes the table
CREATE TABLE c (a CHAR(2) COMMENT 'two', b VARCHAR(5), `c-d` MAP<STRING, ARRAY<INT>>) LOCATION '${WAREHOUSE}/elsewhere/c';
SHOW CREATE TABLE c;
-- name: a version of the past
ALTER TABLE c ADD COLUMN e INT;
SHOW CREATE TABLE c@v0;
SHOW COLUMNS IN c@v0;
