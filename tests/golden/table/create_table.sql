-- expect: no jvm

-- name: plain
CREATE TABLE plain (id INT, name STRING);
-- name: every type
CREATE TABLE types (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(20, 3), i DECIMAL, j STRING, k BINARY, l DATE, m TIMESTAMP, n CHAR(3), o VARCHAR(10), p ARRAY<INT>, q MAP<STRING, DATE>, r STRUCT<s: INT, t: ARRAY<STRUCT<u: STRING>>>, v LONG, w SHORT, x BYTE, y REAL, z INTEGER);
-- name: NOT NULL, nested too, and comments
CREATE TABLE strict (id BIGINT NOT NULL COMMENT 'the key', s STRUCT<a: INT NOT NULL, b: STRING COMMENT 'free'> NOT NULL) COMMENT 'a strict table';
-- name: partitions, properties, provider
create table if not exists `default`.`parts` (id int, day date, `n-1` int) using DELTA partitioned by (day) tblproperties (delta.appendOnly = true, 'k' = 'v');
-- name: a partition column with its type joins the columns
CREATE TABLE typed_parts (id INT) PARTITIONED BY (day DATE COMMENT 'of sale');
-- name: IF NOT EXISTS does nothing to a table that is there
CREATE TABLE IF NOT EXISTS plain (other STRING);
-- name: in a schema, quoted, dashes
CREATE SCHEMA sales;
CREATE TABLE sales.`my-orders` (`order-id` INT);
-- name: at a place of its own
CREATE TABLE outside (id INT) LOCATION '${WAREHOUSE}/elsewhere/outside';
-- name: a table that is only a path
CREATE TABLE delta.`${WAREHOUSE}/paths/p1` (id INT);
-- name: a log that is there gives its columns
CREATE TABLE again LOCATION '${WAREHOUSE}/elsewhere/outside';
DESCRIBE TABLE again;
-- name: the same columns declared again
CREATE TABLE same (id INT) LOCATION '${WAREHOUSE}/elsewhere/outside';
-- name: no columns
CREATE TABLE empty;
-- name: session defaults for properties
SET spark.databricks.delta.properties.defaults.checkpointInterval = 7;
CREATE TABLE with_default (id INT);
RESET spark.databricks.delta.properties.defaults.checkpointInterval;

-- name: wrong, the table is there
CREATE TABLE plain (id INT);
-- name: wrong, no such schema
CREATE TABLE nowhere.t (id INT);
-- name: wrong, no such catalog
CREATE TABLE other.default.t (id INT);
-- name: wrong, too many parts
CREATE TABLE a.b.c.d (id INT);
-- name: wrong, a name that no directory can have
CREATE TABLE `a/b` (id INT);
-- name: wrong, a column twice
CREATE TABLE t (id INT, ID STRING);
-- name: wrong, a nested field twice
CREATE TABLE t (s STRUCT<a: INT, A: INT>);
-- name: wrong, characters that files cannot hold
CREATE TABLE t (`a;b` INT);
-- name: wrong, an unknown partition column
CREATE TABLE t (id INT) PARTITIONED BY (day);
-- name: wrong, all columns are partition columns
CREATE TABLE t (id INT) PARTITIONED BY (id);
-- name: wrong, a partition column of a complex type
CREATE TABLE t (id INT, list ARRAY<INT>) PARTITIONED BY (list);
-- name: wrong, a partition column twice
CREATE TABLE t (id INT, day DATE) PARTITIONED BY (day, DAY);
-- name: wrong, a partition column that is declared twice
CREATE TABLE t (id INT, day DATE) PARTITIONED BY (day DATE);
-- name: wrong, partitioned by an expression
CREATE TABLE t (id INT, day DATE) PARTITIONED BY (year(day));
-- name: wrong, NOT NULL below a nullable struct
CREATE TABLE t (s STRUCT<a: INT NOT NULL>);
-- name: wrong, NOT NULL inside an array
CREATE TABLE t (list ARRAY<STRUCT<a: INT NOT NULL>>);
-- name: wrong, an interval
CREATE TABLE t (i INTERVAL YEAR TO MONTH);
-- name: wrong, another provider
CREATE TABLE t (id INT) USING hudi;
-- name: wrong, there is no log and no column
CREATE TABLE t LOCATION '${WAREHOUSE}/elsewhere/nothing';
-- name: wrong, other columns than the log's
CREATE TABLE t (id STRING) LOCATION '${WAREHOUSE}/elsewhere/outside';
-- name: wrong, other partitions than the log's
CREATE TABLE t (id INT, p INT) PARTITIONED BY (p) LOCATION '${WAREHOUSE}/elsewhere/outside';
-- name: wrong, other properties than the log's
CREATE TABLE t (id INT) TBLPROPERTIES ('k' = 'v') LOCATION '${WAREHOUSE}/elsewhere/outside';
-- name: wrong, other partitions than the log's, the same columns
CREATE TABLE t LOCATION '${WAREHOUSE}/parts' PARTITIONED BY (`n-1`);
-- name: wrong, a path and a LOCATION
CREATE TABLE delta.`${WAREHOUSE}/paths/p2` (id INT) LOCATION '${WAREHOUSE}/paths/p3';
-- name: wrong, a relative path
CREATE TABLE delta.`relative/path` (id INT);
-- name: wrong, versions are made by statements
CREATE TABLE IF NOT EXISTS plain@v0 (id INT);
CREATE OR REPLACE TABLE plain@v0 (id INT);
-- name: wrong, a path and a version
CREATE TABLE delta.`${WAREHOUSE}/paths/p1@v0` (id INT);
-- name: wrong, a clause twice
CREATE TABLE t (id INT) COMMENT 'a' COMMENT 'b';
-- name: wrong, a property that Delta does not know
CREATE TABLE t (id INT) TBLPROPERTIES ('delta.nothing' = '1');
-- name: wrong, no columns in the parentheses
CREATE TABLE t ();
-- name: a default value needs its feature
CREATE TABLE t (id INT, n INT DEFAULT 5);
-- name: identity columns
CREATE TABLE numbered (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 2), n INT);
-- name: identity columns by default
CREATE TABLE numbered_by_default (id BIGINT GENERATED BY DEFAULT AS IDENTITY, n INT);
-- name: clustering
CREATE TABLE clustered (id INT) CLUSTER BY (id);
SHOW TABLES;
