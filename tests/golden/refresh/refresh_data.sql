-- name: only changed keys are computed again
CREATE TABLE orders (id INT, region STRING, price DECIMAL(8, 2));
INSERT INTO orders VALUES (1, 'north', 10.00), (2, 'south', 20.00), (3, 'north', 5.50), (4, NULL, 1.00);
CREATE MATERIALIZED VIEW totals AS SELECT region, count(*) AS orders, sum(price) AS total, max(price) AS top FROM orders GROUP BY region;
REFRESH MATERIALIZED VIEW totals;
EXPLAIN REFRESH MATERIALIZED VIEW totals;
UPDATE orders SET price = price + 1 WHERE id IN (3, 4);
EXPLAIN REFRESH MATERIALIZED VIEW totals;
REFRESH MATERIALIZED VIEW totals;
SELECT * FROM totals;
REFRESH MATERIALIZED VIEW totals;
DELETE FROM orders WHERE region = 'south';
REFRESH MATERIALIZED VIEW totals SYNC;
SELECT * FROM totals;
-- name: no row has changed
-- log: off
OPTIMIZE orders;
REFRESH MATERIALIZED VIEW totals;
-- name: all again
REFRESH MATERIALIZED VIEW totals FULL;
DESCRIBE HISTORY totals LIMIT 3;
-- name: new rows alone
CREATE MATERIALIZED VIEW cheap AS SELECT id * 10 AS tens FROM orders WHERE price < 8;
INSERT INTO orders VALUES (5, 'west', 2.00), (6, 'west', 200.00);
REFRESH MATERIALIZED VIEW cheap;
SELECT * FROM cheap;
DELETE FROM orders WHERE id = 5;
EXPLAIN REFRESH MATERIALIZED VIEW cheap;
-- log: off
REFRESH MATERIALIZED VIEW cheap;
SELECT * FROM cheap;
-- name: as a table
REFRESH TABLE cheap;
-- name: a join
-- log: off
CREATE TABLE regions (name STRING, boss STRING);
-- log: off
INSERT INTO regions VALUES ('north', 'Ada'), ('west', 'Grace');
CREATE MATERIALIZED VIEW bosses AS SELECT o.id, o.region, r.boss FROM orders AS o JOIN regions AS r ON o.region = r.name;
-- log: off
UPDATE regions SET boss = 'Mary' WHERE name = 'west';
-- log: off
INSERT INTO orders VALUES (7, 'north', 1.00);
REFRESH MATERIALIZED VIEW bosses;
SELECT * FROM bosses;
-- name: in parts it could be wrong
-- log: off
CREATE MATERIALIZED VIEW ranked AS SELECT id, row_number() OVER (ORDER BY price, id) AS place FROM orders;
-- log: off
CREATE MATERIALIZED VIEW today AS SELECT id, current_date() > DATE '2020-01-01' AS late FROM orders;
-- log: off
INSERT INTO orders VALUES (8, 'north', 0.50);
EXPLAIN REFRESH MATERIALIZED VIEW ranked;
EXPLAIN REFRESH MATERIALIZED VIEW today;
-- log: off
REFRESH MATERIALIZED VIEW ranked;
SELECT * FROM ranked WHERE place = 1;
