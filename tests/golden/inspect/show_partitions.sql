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
-- log: off
CREATE TABLE p (id INT, day DATE, `odd-name` STRING) PARTITIONED BY (day, `odd-name`);
-- log: off
INSERT INTO p VALUES (1, DATE '2024-01-02', 'a'), (2, DATE '2024-01-01', 'a b'), (3, NULL, 'a'), (4, DATE '2024-01-01', NULL);
-- name: plain
SHOW PARTITIONS p;
-- name: none yet; quoted, upper case, comments
show /* all */ PARTITIONS `T` -- done
;
-- name: by its place
SHOW PARTITIONS delta.`${WAREHOUSE}/p`;
-- name: a version of the past
SHOW PARTITIONS p@v0;
