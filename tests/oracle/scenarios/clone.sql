-- name: shallow, of a version, of a clone
CREATE TABLE s (a INT, p STRING) USING delta PARTITIONED BY (p) COMMENT 'of s' TBLPROPERTIES ('k' = 'v', 'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true');
INSERT INTO s SELECT CAST(id AS INT), 'x y' FROM range(0, 5, 1, 1);
INSERT INTO s VALUES (7, 'z%');
DELETE FROM s WHERE a = 1;
CREATE TABLE t SHALLOW CLONE s TBLPROPERTIES ('k2' = 'w', 'k' = 'own');
CREATE TABLE u SHALLOW CLONE t;
CREATE TABLE w SHALLOW CLONE s VERSION AS OF 1;
SELECT * FROM w;
UPDATE u SET a = 100 WHERE a = 2;
SELECT * FROM u;
SELECT * FROM t;
SELECT * FROM s;
CREATE TABLE e (x INT) USING delta TBLPROPERTIES ('old' = '1') COMMENT 'of e';
CREATE OR REPLACE TABLE e SHALLOW CLONE s;
DESCRIBE DETAIL e;
CREATE TABLE IF NOT EXISTS t SHALLOW CLONE s;
CREATE TABLE t SHALLOW CLONE s;
CREATE TABLE x SHALLOW CLONE s VERSION AS OF 99;
CREATE TABLE x SHALLOW CLONE nope;
REPLACE TABLE x SHALLOW CLONE s;
CREATE TABLE delta.`{dir}/p` SHALLOW CLONE s LOCATION '{dir}/q';
CREATE TABLE x SHALLOW CLONE s LOCATION 'some/where';
CREATE TABLE x SHALLOW CLONE s TBLPROPERTIES ('delta.columnMapping.mode' = 'name');

-- name: what else comes along
CREATE TABLE s (i BIGINT GENERATED ALWAYS AS IDENTITY, a INT, b INT) USING delta CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableInCommitTimestamps' = 'true', 'delta.enableDeletionVectors' = 'false');
INSERT INTO s (a, b) VALUES (1, 2), (3, 4);
ALTER TABLE s ADD CONSTRAINT c CHECK (a > 0);
CREATE TABLE t SHALLOW CLONE s;
INSERT INTO t (a, b) VALUES (5, 6);
SELECT * FROM t;
DESCRIBE DETAIL t;
INSERT INTO t (a, b) VALUES (-1, 1);

-- name: over rows
-- state differs: clone-over-rows
CREATE TABLE s (a INT) USING delta;
INSERT INTO s VALUES (1);
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (2);
-- differs: clone-over-rows
CREATE OR REPLACE TABLE t SHALLOW CLONE s;

-- name: of Parquet files
-- state differs: clone-of-files
INSERT OVERWRITE DIRECTORY '{dir}/raw' USING parquet SELECT 1 AS id, named_struct('x', 1) AS s, DATE'2024-01-01' AS day;
CREATE TABLE t SHALLOW CLONE parquet.`{dir}/raw` TBLPROPERTIES ('k' = 'v');
SELECT * FROM t;
INSERT INTO t VALUES (2, NULL, NULL);
SELECT * FROM t;
INSERT OVERWRITE DIRECTORY '{dir}/days/p=1' USING parquet SELECT 1 AS id;
CREATE TABLE u SHALLOW CLONE parquet.`{dir}/days`;
CREATE TABLE u SHALLOW CLONE csv.`{dir}/raw`;
