-- expect: no jvm

-- name: plain
CREATE SCHEMA sales;
-- name: IF NOT EXISTS, comment, place; DATABASE is the same
create database if not exists `web-shop` comment 'orders' location '${WAREHOUSE}/web';
CREATE SCHEMA IF NOT EXISTS sales;
SHOW SCHEMAS;
SHOW SCHEMAS LIKE 's*';
SHOW DATABASES;
DESCRIBE SCHEMA `web-shop`;
DESCRIBE SCHEMA EXTENDED sales;
CREATE TABLE sales.orders (id INT);
CREATE TABLE `web-shop`.visits (id INT);
-- name: USE
USE sales;
CREATE TABLE items (id INT);
SHOW TABLES;
SHOW TABLES IN `web-shop`;
USE SCHEMA default;
SHOW TABLES FROM sales LIKE 'o*|x*';
-- name: CASCADE
DROP SCHEMA sales CASCADE;
-- name: IF EXISTS
DROP SCHEMA IF EXISTS sales;
-- name: wrong, default stays
SHOW SCHEMAS;
-- name: properties
CREATE SCHEMA IF NOT EXISTS propertied COMMENT 'c' WITH DBPROPERTIES ('a' = 'b', k = 1);
DESCRIBE SCHEMA EXTENDED propertied;
ALTER DATABASE Propertied SET DBPROPERTIES ('a' = 'c', 'd' = 'e');
alter schema propertied unset properties if exists ('k', 'nothing');
DESCRIBE SCHEMA EXTENDED propertied;
EXPLAIN ALTER SCHEMA propertied SET DBPROPERTIES ('a' = 'x');
-- name: wrong
CREATE SCHEMA propertied WITH DBPROPERTIES ('a' = 'b');
