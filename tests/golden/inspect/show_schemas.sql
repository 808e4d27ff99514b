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
CREATE SCHEMA `select`;
-- name: plain
SHOW SCHEMAS;
-- name: its other names
SHOW DATABASES;
SHOW NAMESPACES;
-- name: patterns; upper case, comments; LIKE may be left out
show /* all */ SCHEMAS 'O*|s*' -- done
;
SHOW SCHEMAS LIKE 'DEFAULT';
-- name: nothing is like it
SHOW SCHEMAS LIKE 'nothing';
