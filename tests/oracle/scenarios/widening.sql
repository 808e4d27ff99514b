-- name: every pair, by ALTER COLUMN, with rows of before and after
CREATE TABLE t (a TINYINT, b TINYINT, c SMALLINT, d INT, e FLOAT, f TINYINT, g SMALLINT, h INT, i DECIMAL(5,2), j DECIMAL(5,2), k TINYINT, l SMALLINT, m INT, n BIGINT, o DECIMAL(12,0)) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, 2, 3, 4, 0.1, 6, 7, 8, 9.25, 10.25, 11, 12, 13, 14, 15), (-1, NULL, -3, NULL, -0.1, -6, -7, -8, -9.25, -10.25, -11, -12, -13, -14, NULL);
ALTER TABLE t ALTER COLUMN a TYPE SMALLINT;
ALTER TABLE t ALTER COLUMN b TYPE BIGINT;
ALTER TABLE t ALTER COLUMN c TYPE INT;
ALTER TABLE t CHANGE COLUMN d TYPE BIGINT;
ALTER TABLE t CHANGE COLUMN e e DOUBLE;
ALTER TABLE t ALTER COLUMN f TYPE DOUBLE, g TYPE DOUBLE, h TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN i TYPE DECIMAL(7,2), j TYPE DECIMAL(30,10);
ALTER TABLE t ALTER COLUMN k TYPE DECIMAL(10,0), l TYPE DECIMAL(12,2), m TYPE DECIMAL(25,5);
ALTER TABLE t ALTER COLUMN n TYPE DECIMAL(20,0);
ALTER TABLE t ALTER COLUMN o TYPE DECIMAL(13,1);
INSERT INTO t VALUES (300, 3000000000, 70000, 3000000000, 0.1D, 0.5, 0.25, 0.125, 12345.67, 0.0000000001, 3000000000, 5.25, 0.00001, 12345678901234567890, 1.5);
SELECT * FROM t;
SELECT a, b, d FROM t WHERE b > 2 AND d >= 4;
SELECT e FROM t WHERE e = 0.1D;
-- differs: widened-float-statistics
SELECT e FROM t WHERE e > 0.1D;
SELECT n FROM t WHERE n = 14;
SELECT o FROM t WHERE o = 15.0;
UPDATE t SET a = a + 1, e = e * 2 WHERE d = 4;
DELETE FROM t WHERE h = -8;
SELECT * FROM t;

-- name: twice, and inside structs, arrays and maps
CREATE TABLE t (a TINYINT, s STRUCT<x: TINYINT, y: STRUCT<z: FLOAT>>, arr ARRAY<SMALLINT>, m MAP<TINYINT, INT>, q ARRAY<STRUCT<w: SMALLINT>>, mm MAP<STRING, ARRAY<INT>>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, named_struct('x', 2, 'y', named_struct('z', 1.5)), array(3, NULL), map(4, 5), array(named_struct('w', 6)), map('k', array(7)));
ALTER TABLE t ALTER COLUMN a TYPE SMALLINT;
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN s.x TYPE INT;
ALTER TABLE t ALTER COLUMN s.y.z TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN arr.element TYPE INT;
ALTER TABLE t ALTER COLUMN m.key TYPE INT;
ALTER TABLE t ALTER COLUMN m.value TYPE BIGINT;
ALTER TABLE t ALTER COLUMN q.element.w TYPE INT;
ALTER TABLE t ALTER COLUMN mm.value.element TYPE BIGINT;
INSERT INTO t VALUES (70000, named_struct('x', 70000, 'y', named_struct('z', 0.1)), array(70000), map(70000, 3000000000), array(named_struct('w', 70000)), map('k', array(3000000000)));
SELECT * FROM t;
SELECT a FROM t WHERE s.x > 2;
DESCRIBE t;

-- name: DATE to TIMESTAMP_NTZ
CREATE TABLE t (k INT, d DATE) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported');
INSERT INTO t VALUES (1, DATE'2024-01-31'), (2, DATE'1500-02-28'), (3, NULL);
ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP_NTZ;
INSERT INTO t VALUES (4, TIMESTAMP_NTZ'2024-01-31 10:00:00.123456');
SELECT * FROM t;
SELECT k FROM t WHERE d = TIMESTAMP_NTZ'2024-01-31 00:00:00';
SELECT k FROM t WHERE d > TIMESTAMP_NTZ'2024-01-31 00:00:00';
UPDATE t SET d = d + INTERVAL 1 HOUR WHERE k < 3;
SELECT * FROM t;

-- name: DATE to TIMESTAMP_NTZ needs its feature
CREATE TABLE t (d DATE) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP_NTZ;

-- name: without the property
CREATE TABLE t (a INT, d DECIMAL(5,2)) USING delta;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10,2);
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'false');
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10,2);
INSERT INTO t VALUES (3000000000, 1);
SELECT * FROM t;

-- name: narrower, and other types
CREATE TABLE t (a BIGINT, b INT, c DECIMAL(10,2), d DOUBLE, e STRING, f BOOLEAN, g DATE, h TIMESTAMP, i BINARY) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN a TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN a TYPE DECIMAL(19,0);
ALTER TABLE t ALTER COLUMN b TYPE FLOAT;
ALTER TABLE t ALTER COLUMN b TYPE DECIMAL(10,1);
ALTER TABLE t ALTER COLUMN b TYPE STRING;
ALTER TABLE t ALTER COLUMN c TYPE DECIMAL(10,3);
ALTER TABLE t ALTER COLUMN c TYPE DECIMAL(12,1);
ALTER TABLE t ALTER COLUMN c TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN d TYPE FLOAT;
ALTER TABLE t ALTER COLUMN e TYPE INT;
ALTER TABLE t ALTER COLUMN f TYPE INT;
ALTER TABLE t ALTER COLUMN g TYPE TIMESTAMP;
ALTER TABLE t ALTER COLUMN h TYPE TIMESTAMP_NTZ;
ALTER TABLE t ALTER COLUMN i TYPE STRING;

-- name: whole structs, arrays and maps
CREATE TABLE t (s STRUCT<x: INT>, a ARRAY<INT>, m MAP<INT, INT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN a.element TYPE BIGINT;
ALTER TABLE t CHANGE COLUMN m m MAP<INT, INT>;

-- name: REPLACE COLUMNS
CREATE TABLE t (a SMALLINT, s STRUCT<x: SMALLINT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, named_struct('x', 2));
ALTER TABLE t REPLACE COLUMNS (a INT COMMENT 'the a', b STRING, s STRUCT<x: INT>);
SELECT * FROM t;
-- state differs: array-type-in-history

-- name: a column that a CHECK constraint uses
CREATE TABLE t (a SMALLINT, s STRUCT<x: SMALLINT>, b SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0 AND s IS NOT NULL);
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN s.x TYPE INT;
ALTER TABLE t ALTER COLUMN b TYPE INT;
INSERT INTO t VALUES (1, named_struct('x', 2), 3);
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t SELECT 70000 AS a, named_struct('x', 2S) AS s, 3 AS b;
INSERT INTO t SELECT 7S AS a, named_struct('x', 70000) AS s, 3 AS b;
INSERT INTO t SELECT 7S AS a, named_struct('x', 8S) AS s, 3000000000 AS b;
SELECT * FROM t;

-- name: a partition column
CREATE TABLE t (a INT, p TINYINT, d DATE, f FLOAT) USING delta PARTITIONED BY (p, d, f) TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported');
INSERT INTO t VALUES (1, 1, DATE'2024-01-01', 0.5), (2, NULL, NULL, NULL);
ALTER TABLE t ALTER COLUMN p TYPE INT;
ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP_NTZ;
ALTER TABLE t ALTER COLUMN f TYPE DOUBLE;
INSERT INTO t VALUES (3, 70000, TIMESTAMP_NTZ'2024-01-01 10:00:00', 0.1);
SELECT * FROM t;
SELECT a FROM t WHERE p >= 1 AND d = TIMESTAMP_NTZ'2024-01-01 00:00:00';
UPDATE t SET a = 10 WHERE p = 1;
DELETE FROM t WHERE p = 70000;
SELECT * FROM t;

-- name: INSERT with schema evolution
CREATE TABLE t (a SMALLINT, b INT, s STRUCT<x: TINYINT>, arr ARRAY<SMALLINT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, 2, named_struct('x', 3), array(4));
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t SELECT 70000 AS a, 3000000000 AS b, named_struct('x', 300) AS s, array(70000) AS arr;
SELECT * FROM t;
DESCRIBE t;
INSERT INTO t SELECT 1Y AS a, 2S AS b, named_struct('x', 3Y) AS s, array(4Y) AS arr;
SELECT * FROM t;

-- name: INSERT with schema evolution, where the property is off
CREATE TABLE t (a SMALLINT) USING delta;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t SELECT 7 AS a;
DESCRIBE t;

-- name: INSERT without schema evolution
CREATE TABLE t (a SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t SELECT 7 AS a;
DESCRIBE t;
INSERT INTO t SELECT 70000 AS a;

-- name: what may widen by itself
CREATE TABLE t (a SMALLINT, b SMALLINT, c SMALLINT, d DATE) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
SET spark.databricks.delta.schema.autoMerge.enabled = true;
SET spark.databricks.delta.typeWidening.allowAutomaticWidening = NEVER;
INSERT INTO t SELECT 1 AS a, 1 AS b, 1 AS c, NULL AS d;
SET spark.databricks.delta.typeWidening.allowAutomaticWidening = SAME_FAMILY_TYPE;
INSERT INTO t SELECT 1 AS a, 1D AS b, 1.5 AS c, NULL AS d;
SET spark.databricks.delta.typeWidening.allowAutomaticWidening = ALWAYS;
INSERT INTO t SELECT 1 AS a, 1D AS b, CAST(1.5 AS DECIMAL(12,2)) AS c, NULL AS d;
SELECT * FROM t;
DESCRIBE t;

-- name: MERGE with schema evolution widens what is assigned
CREATE TABLE t (k INT, a SMALLINT, b SMALLINT, s STRUCT<x: SMALLINT, y: SMALLINT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, 1, 1, named_struct('x', 1, 'y', 1)), (2, 2, 2, named_struct('x', 2, 'y', 2));
CREATE TABLE src (k INT, a INT, b INT, s STRUCT<x: INT, y: INT>) USING delta;
INSERT INTO src VALUES (1, 70000, 5, named_struct('x', 70000, 'y', 7)), (3, 80000, 6, named_struct('x', 80000, 'y', 8));
MERGE WITH SCHEMA EVOLUTION INTO t USING src ON t.k = src.k WHEN MATCHED THEN UPDATE SET a = src.a + 1, s.x = src.s.x WHEN NOT MATCHED THEN INSERT (k, a) VALUES (src.k, src.a);
SELECT * FROM t;
DESCRIBE t;
MERGE WITH SCHEMA EVOLUTION INTO t USING src ON t.k = src.k WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t;
DESCRIBE t;

-- name: MERGE without schema evolution
CREATE TABLE t (k INT, a SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, 1);
CREATE TABLE s (k INT, a INT) USING delta;
INSERT INTO s VALUES (1, 5), (2, 6);
MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;
DESCRIBE t;

-- name: MERGE, a constraint and evolution
CREATE TABLE t (k INT, a SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0);
INSERT INTO t VALUES (1, 1);
CREATE TABLE s (k INT, a INT) USING delta;
INSERT INTO s VALUES (1, 5);
MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t;

-- name: the preview of the feature
CREATE TABLE t (a SMALLINT, arr ARRAY<SMALLINT>) USING delta TBLPROPERTIES ('delta.feature.typeWidening-preview' = 'supported', 'delta.enableTypeWidening' = 'true');
INSERT INTO t VALUES (1, array(2));
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN arr.element TYPE INT;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
INSERT INTO t VALUES (3000000000, array(70000));
SELECT * FROM t;

-- name: REPLACE TABLE begins anew
CREATE TABLE t (a SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE t ALTER COLUMN a TYPE INT;
CREATE OR REPLACE TABLE t (a SMALLINT) USING delta;
INSERT INTO t VALUES (1);
SELECT * FROM t;

-- name: a column that a generated column uses
CREATE TABLE t (a SMALLINT, b SMALLINT, g INT GENERATED ALWAYS AS (CAST(a AS INT) + 1)) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t (a, b) VALUES (1, 2);
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN b TYPE INT;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t (a, b) SELECT 70000, 3;
SELECT * FROM t;

-- name: a column with a default
CREATE TABLE t (a SMALLINT DEFAULT 7, b INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO t (b) VALUES (1);
ALTER TABLE t ALTER COLUMN a TYPE INT;
INSERT INTO t (b) VALUES (2);
SELECT * FROM t;
