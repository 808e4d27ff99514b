-- name: a materialized view with comments, constraints, partitions, properties and a schedule
CREATE TABLE orders (id INT, region STRING, price DECIMAL(8, 2));
INSERT INTO orders VALUES (1, 'north', 10.00), (2, 'south', 20.00), (3, 'north', 5.50);
CREATE MATERIALIZED VIEW totals (area COMMENT 'of the orders', orders, total, CONSTRAINT paid CHECK (total >= 0)) PARTITIONED BY (area) COMMENT 'sums' TBLPROPERTIES ('a' = 'b') SCHEDULE EVERY 1 HOUR AS SELECT region, count(*), sum(price) FROM orders GROUP BY region;
SELECT * FROM totals;
CREATE MATERIALIZED VIEW IF NOT EXISTS totals AS SELECT 1 AS x;
SHOW VIEWS;
SHOW TABLES;
SHOW CREATE TABLE totals;
-- mask: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00/
DESCRIBE EXTENDED totals;
SELECT table_name, table_type, is_insertable_into FROM information_schema.tables WHERE table_schema = 'default';
SELECT table_name, is_materialized, view_definition FROM information_schema.views WHERE table_schema = 'default';
-- name: a view over it, and another schema
CREATE VIEW big AS SELECT area FROM totals WHERE total > 15;
SELECT * FROM big;
-- name: replaced
-- log: off
CREATE OR REPLACE MATERIALIZED VIEW totals AS SELECT id, upper(region) AS area FROM orders WHERE price > 6;
SELECT * FROM totals;
-- name: the life of a schedule, of properties and of the name
ALTER MATERIALIZED VIEW totals ADD SCHEDULE CRON '0 0 * * * ?' AT TIME ZONE 'UTC';
ALTER MATERIALIZED VIEW totals DROP SCHEDULE;
-- log: off
ALTER MATERIALIZED VIEW totals SET TBLPROPERTIES ('c' = 'd');
-- log: off
ALTER MATERIALIZED VIEW totals UNSET TBLPROPERTIES ('c');
ALTER MATERIALIZED VIEW totals RENAME TO areas;
REFRESH MATERIALIZED VIEW areas;
-- name: what is not about its rows
-- log: off
OPTIMIZE areas;
COMMENT ON TABLE areas IS 'names';
DROP MATERIALIZED VIEW areas;
DROP MATERIALIZED VIEW IF EXISTS areas;
SHOW TABLES;
