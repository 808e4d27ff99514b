-- expect: no jvm

CREATE SCHEMA sales;
CREATE SCHEMA `select`;
-- name: plain
USE sales;
SHOW CURRENT SCHEMA;
-- name: tables are made and looked for there
CREATE TABLE t (a INT);
DESCRIBE TABLE sales.t;
-- name: SCHEMA and DATABASE; quoted, upper case, comments
use /* a schema */ SCHEMA `SELECT` -- done
;
SHOW CURRENT SCHEMA;
USE DATABASE default;
SHOW CURRENT SCHEMA;
-- name: with the catalog
USE spark_catalog.sales;
SHOW CURRENT SCHEMA;
-- name: the catalog itself; its schema is default again
USE spark_catalog;
SHOW CURRENT SCHEMA;
USE sales;
USE CATALOG spark_catalog;
SHOW CURRENT SCHEMA;
USE sales;
SET CATALOG 'SPARK_CATALOG';
SHOW CURRENT SCHEMA;
-- name: nothing of that has moved it
SHOW CURRENT SCHEMA;
