-- Statements that need a Delta log, on tables of other formats.
-- expect: no jvm
-- log: off

CREATE CATALOG main;
CREATE TABLE main.default.f (a INT, b STRING) USING csv LOCATION '${WAREHOUSE}/files/f';
CREATE TABLE d (a INT, b STRING);
USE main.default;

UPDATE f SET a = 1;
DELETE FROM main.default.f WHERE a = 1;
MERGE INTO `F` USING spark_catalog.default.d ON f.a = d.a WHEN MATCHED THEN DELETE;
WITH c AS (SELECT 1) MERGE INTO f USING c ON true WHEN MATCHED THEN DELETE;
COPY INTO f FROM '${WAREHOUSE}/files' FILEFORMAT = CSV;
INSERT INTO f REPLACE WHERE a = 1 VALUES (1, 'x');
INSERT INTO f REPLACE USING (a) VALUES (1, 'x');
INSERT INTO f REPLACE ON true VALUES (1, 'x');
INSERT WITH SCHEMA EVOLUTION INTO f VALUES (1, 'x');
optimize /* all */ f;
OPTIMIZE f ZORDER BY (a);
VACUUM f;
RESTORE TABLE f TO VERSION AS OF 0;
DESCRIBE HISTORY f;
DESC DETAIL f;
FSCK REPAIR TABLE f;
GENERATE symlink_format_manifest FOR TABLE f;
REORG TABLE f APPLY (PURGE);
CONVERT TO DELTA main.default.f;
CREATE TABLE c SHALLOW CLONE f;
CREATE TABLE c DEEP CLONE main.default.f;
CREATE TABLE c CLONE f;
CREATE OR REPLACE TABLE f SHALLOW CLONE spark_catalog.default.d;
EXPLAIN DELETE FROM f;

-- name: other versions
SELECT * FROM f VERSION AS OF 0;
SELECT * FROM f TIMESTAMP AS OF '2024-01-01';
SELECT * FROM f@v1;
SELECT * FROM table_changes('f', 0);
DESCRIBE f@v1;

-- name: transactions
BEGIN ATOMIC INSERT INTO f VALUES (1, 'x'); END;
