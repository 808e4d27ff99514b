-- Several catalogs in one warehouse: names of three parts.
CREATE CATALOG main;

SHOW CATALOGS;

-- A new catalog has a schema, and tables lie below a folder of the catalog.
SHOW SCHEMAS IN main;

CREATE SCHEMA main.sales;

CREATE TABLE main.sales.orders (id INT, amount DECIMAL(10, 2));

INSERT INTO main.sales.orders VALUES (1, 9.99), (2, 5);

UPDATE `MAIN`.`sales`.orders SET amount = 10 WHERE id = 1;

SELECT id, amount FROM main.sales.orders ORDER BY id;

DESCRIBE SCHEMA main.sales;

-- The same name is free in the other catalog.
SHOW TABLES;

CREATE TABLE orders (id INT);

-- A name of one part is one of the current catalog and schema.
USE main.sales;

INSERT INTO orders VALUES (3, 1);

SHOW TABLES;

SELECT current_catalog(), current_schema();

USE CATALOG spark_catalog;

SHOW SCHEMAS;

-- With clauses, in either order; once each.
CREATE CATALOG IF NOT EXISTS dev MANAGED LOCATION '/tmp/deltasql-golden/dev' COMMENT 'for trials';

CREATE CATALOG IF NOT EXISTS dev COMMENT 'ignored, since it exists';

DESCRIBE CATALOG dev;

create /* a comment */ catalog -- a line of dashes -----------
  `b-c`;

USE CATALOG `b-c`;

SHOW CURRENT SCHEMA;

-- Tables move between catalogs by name, and stay where they are.
ALTER TABLE main.sales.orders RENAME TO `b-c`.default.orders;

SHOW TABLES IN `b-c`.default;

-- Not there
CREATE SCHEMA nowhere.s;

CREATE TABLE nowhere.s.t (id INT);

SHOW SCHEMAS IN nowhere;
