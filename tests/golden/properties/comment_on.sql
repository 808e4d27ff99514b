-- expect: no jvm

CREATE TABLE t (id INT);
-- name: plain
COMMENT ON TABLE t IS 'it''s the table';
-- name: lower case, double quotes
comment on table `T` is "other";
-- name: NULL takes it away
COMMENT ON TABLE t IS NULL;

-- name: wrong, no such table
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id INT COMMENT 'old', s STRUCT<x: INT, `y z`: STRUCT<deep: INT>>, list ARRAY<STRUCT<e: INT>>, `a.b` INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: a column
COMMENT ON COLUMN shop.orders.id IS 'the id';
-- name: lower case, quoted, with the catalog
comment on column `spark_catalog`.`shop`.`ORDERS`.`a.b` is "dotted";
-- name: nested
COMMENT ON COLUMN shop.orders.s.`y z`.DEEP IS 'deep';
COMMENT ON COLUMN shop.orders.list.element.e IS 'in a list';
-- name: NULL takes it away
COMMENT ON COLUMN shop.orders.id IS NULL;
-- name: of a path
COMMENT ON COLUMN delta.`${WAREHOUSE}/t`.id IS 'by path';
-- name: a table of the current schema
USE shop;
COMMENT ON COLUMN orders.s IS 'a struct';
DESCRIBE orders;
-- name: the name of a column and of a schema
CREATE TABLE shop (orders STRUCT<id: INT>);
COMMENT ON COLUMN shop.orders.id IS 'of the table shop.orders';
COMMENT ON COLUMN shop.shop.orders.id IS 'of the table shop.shop';
DESCRIBE HISTORY shop LIMIT 1;
-- name: a schema
COMMENT ON SCHEMA shop IS 'where we sell';
DESCRIBE SCHEMA shop;
comment on database `Shop` is NULL;
DESCRIBE DATABASE shop;
-- name: explained
EXPLAIN COMMENT ON COLUMN orders.id IS 'x';
EXPLAIN COMMENT ON SCHEMA shop IS 'x';
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS a;
