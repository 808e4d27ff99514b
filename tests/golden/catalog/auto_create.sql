SET deltasql.catalog.autoCreate = true;

-- By statements that create something
CREATE TABLE main.sales.orders (id INT);

CREATE TABLE stage.t (id INT);

CREATE SCHEMA dev.empty;

CREATE VIEW dev.views.v AS SELECT id FROM main.sales.orders;

CREATE TABLE copies.c1.orders SHALLOW CLONE main.sales.orders;

CREATE TABLE copies.c2.orders LIKE main.sales.orders;

CREATE TABLE copies.c3.orders AS SELECT 1 AS id;

CREATE FUNCTION tools.f.one() RETURNS INT RETURN 1;

ALTER TABLE stage.t RENAME TO moved.to.t;

SELECT catalog_name, schema_name FROM system.information_schema.schemata WHERE schema_name <> 'information_schema';

-- By USE
USE CATALOG chosen;

SHOW CURRENT SCHEMA;

USE a_schema;

SHOW CURRENT SCHEMA;

USE other.inner;

SHOW CURRENT SCHEMA;

-- The catalog of this name comes before a new schema of it.
USE main;

SHOW CURRENT SCHEMA;

USE CATALOG spark_catalog;

-- By no statement that reads, changes or drops something, nor by EXPLAIN
SELECT * FROM missing.s.t;

INSERT INTO missing.s.t VALUES (1);

DROP TABLE missing.s.t;

DROP SCHEMA missing.s;

DESCRIBE CATALOG missing;

SHOW SCHEMAS IN missing;

REPLACE TABLE missing.s.t (id INT);

EXPLAIN CREATE TABLE missing.s.t (id INT);

-- Names that cannot be created
CREATE TABLE `a b`.s.t (id INT);

CREATE TABLE system.s.t (id INT);

CREATE TABLE missing.information_schema.t (id INT);

SHOW CATALOGS;

RESET deltasql.catalog.autoCreate;

CREATE TABLE missing.s.t (id INT);
