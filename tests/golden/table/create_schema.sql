-- expect: no jvm

-- name: plain
CREATE SCHEMA plain;
-- name: DATABASE; a comment, a place, properties
CREATE DATABASE full COMMENT 'it''s full' LOCATION '${WAREHOUSE}/elsewhere/full' WITH DBPROPERTIES ('a' = 'b', k.l = 1);
DESCRIBE SCHEMA EXTENDED full;
-- name: quoted, upper case, comments
create /* a schema */ SCHEMA `select` -- done
;
-- name: IF NOT EXISTS, in other case
CREATE SCHEMA IF NOT EXISTS PLAIN COMMENT 'not taken';
DESCRIBE SCHEMA plain;
-- name: with the catalog
CREATE SCHEMA spark_catalog.named;
SHOW SCHEMAS;
-- name: tables lie where it says
CREATE TABLE full.t (a INT);
DESCRIBE TABLE EXTENDED full.t;
