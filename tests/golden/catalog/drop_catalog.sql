-- A catalog with nothing but its default schema
CREATE CATALOG main;

DROP CATALOG main;

SHOW CATALOGS;

-- With tables, views or schemas only by CASCADE
CREATE CATALOG main;

CREATE TABLE main.default.t (id INT);

CREATE SCHEMA main.s;

CREATE VIEW main.s.v AS SELECT 1 AS a;

CREATE TABLE main.s.t (id INT);

DROP CATALOG main RESTRICT;

USE main.s;

DROP CATALOG IF EXISTS Main CASCADE;

SHOW CATALOGS;

-- The name can be used again, and has no tables.
CREATE CATALOG main;

SHOW TABLES IN main.default;

SELECT * FROM main.default.t;

USE CATALOG spark_catalog;

DROP CATALOG IF EXISTS missing;
