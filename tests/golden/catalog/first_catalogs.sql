-- main, hive_metastore and samples need no CREATE CATALOG: the first use makes them.
-- expect: no jvm
-- log: off

SHOW CATALOGS;
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
-- name: created meanwhile
CREATE CATALOG IF NOT EXISTS main;
CREATE CATALOG main;
-- name: dropped, and used again
USE CATALOG spark_catalog;
DROP CATALOG main CASCADE;
SELECT * FROM main.default.t;
USE SCHEMA main.default;
SHOW TABLES;
