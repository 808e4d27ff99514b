-- Row filters and column masks with their functions: recorded and shown.
-- log: off

CREATE FUNCTION us(region STRING) RETURNS BOOLEAN RETURN region = 'US';
CREATE FUNCTION hide(s STRING) RETURNS STRING RETURN '***';
CREATE FUNCTION hide_of(s STRING, region STRING, shown STRING) RETURNS STRING RETURN if(region = shown, s, '***');
CREATE TABLE t (id INT, region STRING, ssn STRING);
INSERT INTO t VALUES (1, 'US', '111'), (2, 'NO', '222'), (3, 'US', '333');
SET deltasql.governance = RECORD;

-- name: recorded
ALTER TABLE t SET ROW FILTER us ON (REGION);
ALTER TABLE t ALTER COLUMN ssn SET MASK hide;
ALTER TABLE t ALTER COLUMN ssn SET MASK default.hide_of USING COLUMNS (region, 'NO');
SHOW CREATE TABLE t;
DESCRIBE EXTENDED t;
SELECT * FROM information_schema.row_filters;
SELECT * FROM information_schema.column_masks;

-- name: not applied
SELECT * FROM t;
SELECT count(*) FROM t;

-- name: wrong functions
ALTER TABLE t SET ROW FILTER hide ON (ssn);
ALTER TABLE t SET ROW FILTER us ON (region, ssn);
ALTER TABLE t SET ROW FILTER us ON ();
ALTER TABLE t SET ROW FILTER us ON (missing);
ALTER TABLE t ALTER COLUMN ssn SET MASK hide_of;

-- name: columns that they use
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE t RENAME COLUMN region TO place;
ALTER TABLE t DROP COLUMN ssn;
CREATE OR REPLACE TABLE t (id INT);

-- name: CREATE TABLE
CREATE TABLE u (id INT, region STRING, ssn STRING NOT NULL MASK hide COMMENT 'x') ROW FILTER us ON (region);
SHOW CREATE TABLE u;
CREATE OR REPLACE TABLE u (id INT, region STRING, ssn STRING MASK hide_of USING COLUMNS (region, 'US'));
SHOW CREATE TABLE u;
DROP TABLE u;
CREATE TABLE w WITH ROW FILTER us ON (region) AS SELECT 1 AS id, 'NO' AS region;
SHOW CREATE TABLE w;

-- name: ADD COLUMN
CREATE TABLE added (id INT, region STRING);
ALTER TABLE added ADD COLUMN ssn STRING MASK hide COMMENT 'x' FIRST;
ALTER TABLE added ADD COLUMNS (a STRING MASK default.hide_of USING COLUMNS (region, 'NO'), b INT);
SHOW CREATE TABLE added;
SELECT column_name, mask_name, using_columns FROM information_schema.column_masks WHERE table_name = 'added';
ALTER TABLE added ADD COLUMN c STRING MASK no_such_function;
ALTER TABLE added ADD COLUMN c STRING MASK hide_of;
DESCRIBE added;
