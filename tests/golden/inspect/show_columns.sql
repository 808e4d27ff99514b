-- expect: no jvm

-- log: off
CREATE SCHEMA other;
-- log: off
CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT>, `odd-name` STRING, day DATE, n INT) PARTITIONED BY (day, n) COMMENT 'it''s' TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'true');
-- log: off
CREATE TABLE `u-u` (id INT);
-- log: off
CREATE TABLE other.w (id INT) LOCATION '${WAREHOUSE}/elsewhere/w';
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
-- name: plain
SHOW COLUMNS IN t;
-- name: of a schema, IN and FROM
SHOW COLUMNS FROM w IN other;
SHOW COLUMNS IN spark_catalog.other.w;
SHOW COLUMNS IN other.w FROM OTHER;
-- name: quoted, upper case, comments
show /* all */ COLUMNS in `U-U` -- done
;
-- name: by its place
SHOW COLUMNS IN delta.`${WAREHOUSE}/elsewhere/w`;
-- name: a version of the past
ALTER TABLE other.w ADD COLUMN b INT;
SHOW COLUMNS IN other.w@v0;
