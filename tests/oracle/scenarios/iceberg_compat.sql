-- name: V1 of a new table
CREATE TABLE t (a INT, s STRUCT<x: STRING, y: DATE>, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'id');
INSERT INTO t VALUES (1, named_struct('x', 'v', 'y', DATE'2024-01-01'), 'p');
UPDATE t SET a = 2 WHERE p = 'p';
SELECT * FROM t;
-- state differs: physical-names

-- name: V1 and types
CREATE TABLE t (a INT, m MAP<STRING, INT>) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'name');
CREATE TABLE u (a ARRAY<INT>) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'name');

-- name: without column mapping
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'none');
-- state differs: physical-names

-- name: switched on later
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true');
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
INSERT INTO t VALUES (2, 'y');
SELECT * FROM t;

-- name: one version at a time
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'name');
ALTER TABLE u SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
ALTER TABLE u SET TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'false', 'delta.enableIcebergCompatV2' = 'true');
-- state differs: physical-names

-- name: no deletion vectors
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true');
CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
ALTER TABLE u SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
CREATE TABLE w (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO w SELECT id FROM range(0, 10, 1, 1);
DELETE FROM w WHERE a = 3;
ALTER TABLE w SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false', 'delta.enableIcebergCompatV2' = 'true');
ALTER TABLE w SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false', 'delta.enableIcebergCompatV1' = 'true');
-- state differs: physical-names

-- name: types
CREATE TABLE t (a INT, v VARIANT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
CREATE TABLE u (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(10,2), i STRING, j BINARY, k DATE, l TIMESTAMP, m TIMESTAMP_NTZ, o STRUCT<x: INT>) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
ALTER TABLE u ADD COLUMN v VARIANT;
ALTER TABLE u ADD COLUMN w INT;
-- state differs: physical-names

-- name: elements, keys and values have ids
CREATE TABLE t (a INT, l ARRAY<INT>, m MAP<STRING, STRUCT<x: ARRAY<INT>>>) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, array(1, NULL), map('k', named_struct('x', array(2)))), (2, NULL, NULL);
ALTER TABLE t ADD COLUMN z ARRAY<ARRAY<STRUCT<y: MAP<INT, INT>>>>;
UPDATE t SET l = array(3) WHERE a = 2;
ALTER TABLE t DROP COLUMN l;
ALTER TABLE t RENAME COLUMN m TO n;
SELECT * FROM t;
-- state differs: physical-names

-- name: elements get ids later
CREATE TABLE t (a INT, l ARRAY<INT>, m MAP<STRING, ARRAY<INT>>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, array(1), map('k', array(2)));
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
INSERT INTO t VALUES (2, array(1), NULL);
SELECT * FROM t;

-- name: OPTIMIZE of a partitioned table
CREATE TABLE t (a INT, p STRING, q DATE) USING delta PARTITIONED BY (p, q) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, 'x', DATE'2024-01-01');
INSERT INTO t VALUES (2, 'x', DATE'2024-01-01'), (3, NULL, NULL);
OPTIMIZE t;
SELECT * FROM t;
-- state differs: physical-names

-- name: types that widened
CREATE TABLE t (a INT, b INT, d DATE, n DECIMAL(5,2)) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN b TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN n TYPE DECIMAL(8,3);
ALTER TABLE t ALTER COLUMN n TYPE DECIMAL(8,2);
CREATE TABLE u (b INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true');
ALTER TABLE u ALTER COLUMN b TYPE DOUBLE;
ALTER TABLE u SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
-- state differs: physical-names

-- name: columns that the property needs cannot go
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none');
ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableIcebergCompatV2');
-- state differs: physical-names

-- name: REPLACE with other partitions
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
CREATE OR REPLACE TABLE t (a INT, p INT) USING delta PARTITIONED BY (a) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name');
-- state differs: physical-names

-- name: materialized partition columns
CREATE TABLE t (k INT, p INT, v STRING, q DATE) USING delta PARTITIONED BY (p, q) TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported');
INSERT INTO t VALUES (1, 1, 'x', DATE'2024-01-01'), (2, NULL, 'y', NULL);
UPDATE t SET v = 'z' WHERE p = 1;
SELECT * FROM t;
