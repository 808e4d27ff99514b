-- expect: no jvm

CREATE TABLE t (id INT) COMMENT 'first' TBLPROPERTIES ('a' = '1');
-- name: plain: columns, comment and properties are replaced as a whole
REPLACE TABLE t (name STRING, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('b' = '2');
-- name: CREATE OR REPLACE of a table that is there
create or replace table t (name STRING NOT NULL);
-- name: CREATE OR REPLACE of a new table
CREATE OR REPLACE TABLE fresh (id INT);
-- name: a table that is only a path
CREATE OR REPLACE TABLE delta.`${WAREHOUSE}/p` (id INT);
DESCRIBE HISTORY t;
