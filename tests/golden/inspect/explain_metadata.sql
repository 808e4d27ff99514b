-- expect: no jvm

-- name: CREATE TABLE
EXPLAIN CREATE TABLE t (id INT, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('k' = 'v');
-- name: nothing was created
SHOW TABLES;
CREATE TABLE t (id INT, day DATE) PARTITIONED BY (day);
-- name: REPLACE TABLE
EXPLAIN CREATE OR REPLACE TABLE t (id STRING);
-- name: ADD COLUMNS
EXPLAIN ALTER TABLE t ADD COLUMNS (s STRUCT<a: INT> FIRST);
-- name: SET TBLPROPERTIES
explain alter table t set tblproperties (delta.appendOnly = true);
-- name: UNSET TBLPROPERTIES
EXPLAIN ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('k');
-- name: COMMENT ON
EXPLAIN COMMENT ON TABLE t IS 'x';
-- name: DELETE of everything
EXPLAIN DELETE FROM t;
-- name: TRUNCATE
EXPLAIN TRUNCATE TABLE t;
-- name: DROP
EXPLAIN DROP TABLE t;
-- name: schemas
EXPLAIN CREATE SCHEMA s;
EXPLAIN DROP SCHEMA IF EXISTS s CASCADE;
EXPLAIN USE default;
-- name: inspection
EXPLAIN DESCRIBE TABLE t;
EXPLAIN DESCRIBE HISTORY t LIMIT 1;
EXPLAIN SHOW TABLES;
-- name: settings
EXPLAIN SET spark.sql.shuffle.partitions = 5;
EXPLAIN RESET spark.sql.shuffle.partitions;
-- name: ANALYZE of what has no rows to run, and of what the log knows
EXPLAIN ANALYZE SELECT count(*) FROM t;
explain /* a */ analyze insert into t (id) values (1), (2);

-- name: nothing can change
CREATE TABLE none_there (id INT, day STRING) PARTITIONED BY (day);
EXPLAIN DELETE FROM none_there WHERE id = 77;
EXPLAIN DELETE FROM none_there WHERE day = 'x';
EXPLAIN UPDATE none_there SET id = 1 WHERE day = 'x';
EXPLAIN DELETE FROM none_there;
