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
SHOW CURRENT SCHEMA;
-- name: its other names; upper case, comments
show current DATABASE;
SHOW /* the */ CURRENT NAMESPACE -- of the session
;
-- name: after USE
USE OTHER;
SHOW CURRENT SCHEMA;
