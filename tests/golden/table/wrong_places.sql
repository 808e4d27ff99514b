-- expect: no jvm
-- log: off

CREATE TABLE orders (id INT, item STRING, place STRUCT<city: STRING>);
-- name: a column that is not there comes before column mapping
ALTER TABLE orders DROP COLUMN nope;
ALTER TABLE orders DROP COLUMNS (place.cty);
ALTER TABLE orders RENAME COLUMN itm TO thing;
ALTER TABLE orders DROP COLUMN item;
ALTER TABLE orders RENAME COLUMN item TO thing;
-- name: the caret stands where the mistake is
CREATE TABLE x (a INT) PARTITIONED BY (day);
CREATE TABLE x (a INT, `b` INT) PARTITIONED BY (a, `c`);
CREATE TABLE x (ID INT, b INT, id STRING);
CREATE TABLE x (a INT, b INT) COMMENT 'USING x' USING hudi;
ALTER TABLE orders ADD COLUMN z INT AFTER nope;
ALTER TABLE orders ADD COLUMNS (y INT, z INT COMMENT 'AFTER y' AFTER `n o`);
ALTER TABLE orders ADD COLUMN plce.z INT AFTER city;
-- name: columns of UPDATE
UPDATE orders SET idd = 1;
UPDATE orders SET zzz = 1;
-- name: places have no names
DROP TABLE delta.`/nowhere/t`;
ALTER TABLE delta.`/nowhere/t` RENAME TO u;
-- name: partitions of a table that has none
INSERT INTO orders PARTITION (id = 1) VALUES ('a', NULL);
