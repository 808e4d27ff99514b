-- An information schema is computed: nothing is created, changed or dropped in it.
INSERT INTO information_schema.tables VALUES ('a');

UPDATE information_schema.columns SET comment = 'x';

DELETE FROM system.information_schema.tables;

MERGE INTO information_schema.tables t USING (SELECT 1 AS a) s ON false WHEN MATCHED THEN DELETE;

TRUNCATE TABLE information_schema.tables;

OPTIMIZE information_schema.tables;

ALTER TABLE information_schema.tables ADD COLUMN a INT;

ALTER TABLE information_schema.tables SET TBLPROPERTIES ('a' = 'b');

DROP TABLE information_schema.tables;

DROP TABLE IF EXISTS information_schema.tables;

DROP VIEW information_schema.tables;

DROP VIEW IF EXISTS information_schema.missing;

ALTER VIEW information_schema.tables AS SELECT 1 AS a;

ALTER VIEW information_schema.tables RENAME TO t;

CREATE TABLE information_schema.t (a INT);

CREATE TABLE information_schema.t (a INT) LOCATION '/tmp/deltasql-golden/t';

CREATE OR REPLACE TABLE information_schema.tables AS SELECT 1 AS a;

CREATE VIEW information_schema.v AS SELECT 1 AS a;

CREATE OR REPLACE VIEW information_schema.tables AS SELECT 1 AS a;

COMMENT ON TABLE information_schema.tables IS 'x';

ALTER VIEW information_schema.tables SET TAGS ('a');

CREATE SCHEMA information_schema;

CREATE SCHEMA IF NOT EXISTS information_schema;

DROP SCHEMA information_schema CASCADE;

DROP SCHEMA IF EXISTS information_schema;

COMMENT ON SCHEMA information_schema IS 'x';

ALTER SCHEMA information_schema SET DBPROPERTIES (a = 'b');

CREATE CATALOG system;

CREATE TABLE t (a INT);

ALTER TABLE t RENAME TO information_schema.t;

CREATE TABLE information_schema.c SHALLOW CLONE t;

-- No tables, no versions
DESCRIBE DETAIL information_schema.tables;

DESCRIBE HISTORY information_schema.tables;

SHOW CREATE TABLE information_schema.tables;

SELECT * FROM information_schema.tables VERSION AS OF 1;

-- Mistakes
SELECT * FROM information_schema.tabels;

SELECT * FROM information_schema.privileges;

SELECT * FROM nowhere.information_schema.tables;

SELECT * FROM system.tables;

SELECT nothing FROM information_schema.information_schema_catalog_name;

USE CATALOG system;

SHOW TABLES;
