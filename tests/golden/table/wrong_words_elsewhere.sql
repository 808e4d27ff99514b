-- expect: no jvm
-- log: off

-- name: words of other dialects
RENAME TABLE orders TO old_orders;
ALTER TABLE orders RENAME old_orders;
CONVERT TO DELTA parquet.`/x` PARTITIONED BY (a INT) NO STATISTICS;
COPY orders FROM '/x';
CREATE FUNCTION f RETURNS INT RETURN 1;
SHOW TABLES sales;
SHOW USER FUNCTIONS sales.f;
CREATE TABLE u (id INT, price DECIMAL(3, 1) name STRING);
ALTER TABLE t ADD COLUMNS (x INT COMMENT 'x' y STRING);
