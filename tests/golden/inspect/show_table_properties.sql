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
SHOW TBLPROPERTIES t;
-- name: one key, with quotes and without
SHOW TBLPROPERTIES t ('k');
SHOW TBLPROPERTIES t (delta.appendOnly);
-- name: quoted, upper case, comments
show /* all */ TBLPROPERTIES `U-U` -- done
;
-- name: by its place
SHOW TBLPROPERTIES delta.`${WAREHOUSE}/elsewhere/w`;
-- name: a key that is not there
SHOW TBLPROPERTIES t ('nothing');
-- name: secrets are not shown
-- log: off
ALTER TABLE other.w SET TBLPROPERTIES ('password' = 'hidden');
SHOW TBLPROPERTIES other.w;
SHOW TBLPROPERTIES other.w ('password');
-- name: a view has none
SHOW TBLPROPERTIES v;
