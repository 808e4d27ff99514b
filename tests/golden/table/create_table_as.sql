-- name: plain
CREATE TABLE t AS SELECT 1 AS id, 'a' AS name, named_struct('x', 1.5) AS s;
-- name: without AS, VALUES, partitions, properties, comment
CREATE TABLE p USING delta PARTITIONED BY (day) COMMENT 'by day' TBLPROPERTIES ('k' = 'v') SELECT * FROM VALUES (1, 'mon'), (2, 'tue') AS v(id, day);
-- name: NOT NULL is not carried over
CREATE TABLE strict (id INT NOT NULL);
INSERT INTO strict VALUES (1);
CREATE TABLE loose AS SELECT id, id + 1 AS next FROM strict;
-- name: IF NOT EXISTS leaves what is there
CREATE TABLE IF NOT EXISTS t AS SELECT 2 AS other;
-- name: CREATE OR REPLACE of a table that the query reads
CREATE OR REPLACE TABLE t AS SELECT id + 1 AS id, name FROM t;
SELECT * FROM t;
-- name: REPLACE
REPLACE TABLE t AS SELECT 'replaced' AS word;
-- name: with a CTE
create or replace table t as with c as (select 5 as five) select * from c;
-- name: a path, a place
CREATE TABLE delta.`${WAREHOUSE}/path` AS SELECT 1 AS id;
CREATE TABLE outside LOCATION '${WAREHOUSE}/elsewhere' AS SELECT 1 AS id;
-- name: no rows
CREATE TABLE none AS SELECT * FROM p WHERE false;
SELECT * FROM none;
DESCRIBE TABLE p;
-- name: versions of the past are still there
SELECT * FROM t VERSION AS OF 0;
-- name: wrong, a column twice
CREATE TABLE u AS SELECT 1 AS id, 2 AS ID;
-- name: wrong, a name that files cannot hold
CREATE TABLE u AS SELECT 1 + 1;
-- name: wrong, the query fails
CREATE TABLE u AS SELECT missing FROM t;
-- name: wrong, the query fails while it runs: no table is left behind
CREATE TABLE u AS SELECT CAST('x' AS INT) AS id;
SHOW TABLES LIKE 'u';
