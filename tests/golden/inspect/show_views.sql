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
CREATE GLOBAL TEMPORARY VIEW g AS SELECT 2 AS two;
CREATE TEMPORARY VIEW `v-2` AS SELECT 3 AS three;
-- name: plain
SHOW VIEWS;
-- name: of a schema, which has none
SHOW VIEWS IN other;
-- name: those of all sessions
SHOW VIEWS IN global_temp;
-- name: quoted, upper case, comments; LIKE may be left out
show /* all */ VIEWS from `DEFAULT` 'V*' -- done
;
-- name: patterns
SHOW VIEWS LIKE 'V-*|x';
-- name: nothing is like it
SHOW VIEWS LIKE 't';
