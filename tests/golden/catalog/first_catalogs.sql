-- main, hive_metastore, samples and system are there from the start, without CREATE CATALOG.
-- expect: no jvm
-- log: off

SHOW CATALOGS;
SHOW CATALOGS LIKE 'm*';
DESCRIBE CATALOG samples;
SHOW SCHEMAS IN main;
SHOW TABLES IN main.default;
DESCRIBE SCHEMA hive_metastore.default;
SELECT catalog_name FROM system.information_schema.catalogs ORDER BY catalog_name;
SELECT catalog_name, schema_name FROM system.information_schema.schemata WHERE schema_name <> 'information_schema' ORDER BY catalog_name, schema_name;
SELECT * FROM main.default.missing;
CREATE TABLE main.missing.t (id INT);
DROP CATALOG main;
USE CATALOG main;
CREATE TABLE t (id INT);
INSERT INTO main.default.t VALUES (1);
SELECT * FROM main.default.t;
-- name: names of three parts
CREATE TABLE Hive_Metastore.default.u (id INT);
CREATE SCHEMA hive_metastore.bronze;
SHOW SCHEMAS IN hive_metastore;
-- name: by USE
USE samples;
SHOW SCHEMAS;
USE hive_metastore.bronze;
SHOW CATALOGS;
-- name: tables of the service, which a test may make
SELECT * FROM system.billing.usage;
CREATE SCHEMA system.billing;
CREATE TABLE system.billing.usage (workspace_id STRING, quantity DECIMAL(38, 18));
INSERT INTO system.billing.usage VALUES ('1', 2.5);
SELECT * FROM system.billing.usage;
SHOW SCHEMAS IN system;
SELECT table_catalog, table_schema FROM system.information_schema.tables WHERE table_name = 'usage';
SELECT * FROM system.compute.clusters;
CREATE CATALOG system;
USE CATALOG system;
SHOW TABLES IN billing;
-- name: another one
USE CATALOG other;
CREATE TABLE other.default.t (id INT);
-- name: records of one that nothing was created in
COMMENT ON SCHEMA samples.tpch IS 'orders';
DESCRIBE SCHEMA samples.tpch;
SHOW SCHEMAS IN samples;
-- name: created meanwhile
CREATE CATALOG IF NOT EXISTS main;
CREATE CATALOG main;
-- name: dropped, and used again
USE CATALOG spark_catalog;
DROP CATALOG main CASCADE;
SELECT * FROM main.default.t;
SHOW CATALOGS;
USE SCHEMA main.default;
SHOW TABLES;
DROP CATALOG IF EXISTS main;
DROP CATALOG samples;
DROP SCHEMA main.default;
SHOW SCHEMAS IN main;
CREATE CATALOG hive_metastore;
USE spark_catalog.default;
DROP CATALOG main;
CREATE CATALOG main COMMENT 'made';
DESCRIBE CATALOG main;
