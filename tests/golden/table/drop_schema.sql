-- expect: no jvm

CREATE SCHEMA plain;
CREATE SCHEMA `select`;
CREATE SCHEMA tables;
-- log: off
CREATE TABLE tables.a (id INT);
-- log: off
CREATE TABLE tables.b (id INT) LOCATION '${WAREHOUSE}/elsewhere/b';
CREATE SCHEMA used;
-- name: plain
DROP SCHEMA plain;
-- name: quoted, upper case, comments; DATABASE
drop /* a schema */ DATABASE `SELECT` -- done
;
-- name: IF EXISTS of one that is gone
DROP SCHEMA IF EXISTS plain;
-- name: CASCADE; tables at a place of their own keep their files
DROP SCHEMA tables CASCADE;
DESCRIBE TABLE delta.`${WAREHOUSE}/elsewhere/b`;
-- name: the current one
USE used;
DROP SCHEMA used;
SHOW CURRENT SCHEMA;
SHOW TABLES;
USE default;
SHOW SCHEMAS;
