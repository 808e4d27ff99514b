-- name: a table and its files
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
DROP TABLE t;
SELECT * FROM t;
DROP TABLE t;
DROP TABLE IF EXISTS t;
CREATE TABLE t (b STRING) USING delta;

-- name: an external table stays
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/place';
INSERT INTO t VALUES (1);
DROP TABLE t;
SELECT * FROM delta.`{dir}/place`;

-- name: schemas
CREATE SCHEMA dropped_one;
CREATE SCHEMA dropped_one;
CREATE SCHEMA IF NOT EXISTS dropped_one;
CREATE TABLE dropped_one.t (a INT) USING delta;
DROP SCHEMA dropped_one;
DROP SCHEMA dropped_one CASCADE;
DROP SCHEMA dropped_one;
DROP SCHEMA IF EXISTS dropped_one;

-- name: TRUNCATE
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
TRUNCATE TABLE t;
SELECT * FROM t;

-- name: TRUNCATE of a missing table
TRUNCATE TABLE nothing_here;
