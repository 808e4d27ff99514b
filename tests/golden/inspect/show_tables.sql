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
SHOW TABLES;
-- name: of a schema, IN and FROM; of the catalog and a schema
SHOW TABLES IN other;
SHOW TABLES FROM spark_catalog.other;
-- name: quoted, upper case, comments; LIKE may be left out
show /* all */ TABLES from `OTHER` '*' -- done
;
-- name: patterns know * and | and no case
SHOW TABLES LIKE 'T';
SHOW TABLES LIKE 'u*|v|x';
-- name: nothing is like it
SHOW TABLES IN other LIKE 'nothing';
-- name: of the current schema
USE other;
SHOW TABLES;
