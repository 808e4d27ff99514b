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
SHOW CATALOGS;
-- name: patterns; upper case, comments; LIKE may be left out
show /* all */ CATALOGS 'SPARK*' -- done
;
SHOW CATALOGS LIKE 'x|spark_catalog';
-- name: nothing is like it
SHOW CATALOGS LIKE 'main';
