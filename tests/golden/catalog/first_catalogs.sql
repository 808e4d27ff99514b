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
