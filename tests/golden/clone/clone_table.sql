-- expect: no jvm

CREATE TABLE s (a INT, p STRING) PARTITIONED BY (p) COMMENT 'of s' TBLPROPERTIES ('own' = '1');
INSERT INTO s (a, p) VALUES (1, 'x y'), (2, 'z%'), (3, NULL);
INSERT INTO s (a, p) VALUES (4, 'x y');
-- name: shallow
CREATE TABLE t SHALLOW CLONE s;
DESCRIBE TABLE t;
-- name: deep; a version, properties
CREATE TABLE u DEEP CLONE s VERSION AS OF 1 TBLPROPERTIES ('own' = '2', 'more' = '3', 'comment' = 'of u');
SHOW TBLPROPERTIES u;
-- name: bare, quoted, lower case, comments between
create or replace table `default`.`a-b` /* of */ clone -- what
  spark_catalog.`default`.S@v2 tblproperties (x = 1);
-- name: again: only what is new is copied
INSERT INTO s (a, p) VALUES (5, 'new');
ALTER TABLE s ADD COLUMN b STRUCT<x: INT, `y-z`: STRING>;
CREATE OR REPLACE TABLE `a-b` CLONE s;
REPLACE TABLE `a-b` CLONE s;
-- name: a clone of a clone, at a place, of a path
CREATE TABLE place SHALLOW CLONE t LOCATION '${WAREHOUSE}/place';
CREATE TABLE delta.`${WAREHOUSE}/path` SHALLOW CLONE delta.`${WAREHOUSE}/s@v0`;
-- name: it is there
CREATE TABLE IF NOT EXISTS t CLONE nothing;
-- name: what it would do
EXPLAIN CREATE TABLE w CLONE s;
-- name: the history
DESCRIBE HISTORY `a-b` LIMIT 1;
-- name: wrong, before the first version
CREATE TABLE w CLONE s TIMESTAMP AS OF '2000-01-01';
