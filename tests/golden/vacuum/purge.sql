-- log: off

SET spark.databricks.delta.retentionDurationCheck.enabled = false;
SET spark.sql.parquet.mergeSchema = true;
-- name: columns with names of their own in the files, so that a look into these is readable
CREATE TABLE people (id INT, ssn STRING, home STRUCT<city: STRING, phone: STRING>);
INSERT INTO people SELECT /*+ COALESCE(1) */ * FROM VALUES (1, '078-05-1120', named_struct('city', 'Oslo', 'phone', '555-1')), (2, '219-09-9999', named_struct('city', 'Bergen', 'phone', '555-2'));
INSERT INTO people VALUES (3, '457-55-5462', NULL);
ALTER TABLE people SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: DROP COLUMN leaves the data in the files
ALTER TABLE people DROP COLUMNS (ssn, home.phone);
SELECT * FROM people ORDER BY id;
SELECT id, ssn, home.phone FROM parquet.`${WAREHOUSE}/people/{*,*/*,*/*/*}/*.parquet` ORDER BY id;
-- name: REORG writes files without them; the old ones are still there
REORG TABLE people APPLY (PURGE);
SELECT id, ssn FROM parquet.`${WAREHOUSE}/people/*/*.parquet` ORDER BY id;
SELECT id, to_json(home) FROM parquet.`${WAREHOUSE}/people/*/*/*.parquet` ORDER BY id;
SELECT id, ssn FROM people VERSION AS OF 3 ORDER BY id;
-- name: VACUUM deletes these, and with them the older versions
VACUUM people RETAIN 0 HOURS;
SELECT id, to_json(home) FROM parquet.`${WAREHOUSE}/people/{*,*/*,*/*/*}/*.parquet` ORDER BY id;
SELECT * FROM people ORDER BY id;

-- name: a table whose files hold the partition columns as well
CREATE TABLE visits (id INT, note STRING, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported');
INSERT INTO visits VALUES (1, 'private', DATE'2024-01-01'), (2, 'secret', DATE'2024-01-02'), (3, NULL, NULL);
ALTER TABLE visits SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE visits DROP COLUMN note;
REORG TABLE visits WHERE day = DATE'2024-01-02' APPLY (PURGE);
REORG TABLE visits APPLY (PURGE);
VACUUM visits RETAIN 0 HOURS;
SELECT id, day FROM parquet.`${WAREHOUSE}/visits/{*,*/*,*/*/*}/*.parquet` ORDER BY id;
SELECT * FROM visits ORDER BY id;
-- name: rows that were deleted go the same way
CREATE TABLE marked (id INT, note STRING) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO marked SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'kept'), (2, 'secret'), (3, 'kept');
DELETE FROM marked WHERE id = 2;
SELECT * FROM parquet.`${WAREHOUSE}/marked/{*,*/*,*/*/*}/*.parquet` ORDER BY id;
REORG TABLE marked APPLY (PURGE);
VACUUM marked RETAIN 0 HOURS;
SELECT * FROM parquet.`${WAREHOUSE}/marked/{*,*/*,*/*/*}/*.parquet` ORDER BY id;
