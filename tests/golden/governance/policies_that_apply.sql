-- Row filters and column masks that apply: to queries, writes, and what cannot honour them.
-- log: off

CREATE FUNCTION us(region STRING) RETURNS BOOLEAN RETURN region = 'US';
CREATE FUNCTION hide(s STRING) RETURNS STRING RETURN '***';
CREATE FUNCTION hide_of(s STRING, region STRING, shown STRING) RETURNS STRING RETURN if(region = shown, s, '***');
CREATE TABLE t (id INT, region STRING, ssn STRING);
INSERT INTO t VALUES (1, 'US', '111'), (2, 'NO', '222'), (3, 'US', '333');
SET deltasql.governance = RECORD;

ALTER TABLE t SET ROW FILTER us ON (region);
ALTER TABLE t ALTER COLUMN ssn SET MASK hide_of USING COLUMNS (region, 'NO');
CREATE TABLE w WITH ROW FILTER us ON (region) AS SELECT 1 AS id, 'NO' AS region;
SET deltasql.governance.filters = true;
-- name: queries
SELECT * FROM t;
SELECT count(*) FROM t;
SELECT max(id), min(ssn) FROM t;
SELECT id FROM t WHERE ssn = '111';
SELECT id FROM t WHERE region = 'NO';
SELECT a.id FROM t AS a JOIN spark_catalog.default.t AS b ON a.id = b.id;
SELECT * FROM t LIMIT 1;
CREATE VIEW v AS SELECT id, ssn FROM t;
SELECT * FROM v;
CREATE TABLE copied AS SELECT * FROM t;
SELECT * FROM copied;
INSERT INTO copied SELECT * FROM t WHERE id = 3;
SELECT count(*) FROM copied;
SELECT count(*) FROM delta.`${WAREHOUSE}/t`;

-- name: refused
SELECT * FROM t VERSION AS OF 1;
SELECT * FROM t@v1;
SELECT * FROM table_changes('t', 0);
CREATE TABLE cloned SHALLOW CLONE t;
SELECT _metadata.file_path FROM t;
TRUNCATE TABLE t;
INSERT OVERWRITE t VALUES (9, 'US', 'x');
INSERT INTO t REPLACE WHERE id = 2 VALUES (2, 'NO', 'x');
SHOW PARTITIONS t;
DELETE FROM t WHERE ssn = '222';
UPDATE t SET id = length(ssn);

-- name: writes
UPDATE t SET id = id + 10;
DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (4, 'NO', '444');
MERGE INTO t USING (SELECT 2 AS id, 'NO' AS region UNION ALL SELECT 11, 'US') AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET region = 'US' WHEN NOT MATCHED THEN INSERT (id, region) VALUES (s.id + 100, s.region)
WHEN NOT MATCHED BY SOURCE THEN DELETE;
DELETE FROM w;
SET deltasql.governance.filters = false;
SELECT * FROM t;
SELECT * FROM w;

-- name: a function that was dropped
SET deltasql.governance.filters = true;
DROP FUNCTION us;
SELECT * FROM t;
ALTER TABLE t DROP ROW FILTER;
SELECT id FROM t;
ALTER TABLE t ALTER COLUMN ssn DROP MASK;
SHOW CREATE TABLE t;
