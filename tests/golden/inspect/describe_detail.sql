-- expect: no jvm

CREATE TABLE t (id INT, day DATE) PARTITIONED BY (day) COMMENT 'described' TBLPROPERTIES ('k' = 'v');
-- name: plain
DESCRIBE DETAIL t;
-- name: lower case, quoted
desc detail `default`.`t`;
-- name: a path as a name
DESCRIBE DETAIL delta.`${WAREHOUSE}/t`;
-- name: a path as a string
DESCRIBE DETAIL '${WAREHOUSE}/t';
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
DESCRIBE DETAIL v;
