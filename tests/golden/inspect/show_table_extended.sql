-- expect: no jvm
-- mask: /Created Time: .* UTC \d+/

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
SHOW TABLE EXTENDED LIKE 't';
-- name: of a schema, at a place of its own
SHOW TABLE EXTENDED IN other LIKE '*';
-- name: quoted, upper case, comments; LIKE may be left out
show /* all */ TABLE extended FROM `OTHER` 'W' -- done
;
-- name: a view
SHOW TABLE EXTENDED LIKE 'V';
-- name: a streaming table, whose type clients look for in capitals
-- log: off
CREATE STREAMING TABLE s;
SHOW TABLE EXTENDED LIKE 's';
-- name: nothing is like it
SHOW TABLE EXTENDED LIKE 'nothing';
