-- Statements that look for tables by themselves find those of other catalogs.
CREATE CATALOG main;

CREATE SCHEMA main.sales;

CREATE TABLE main.sales.orders (id INT NOT NULL PRIMARY KEY, day DATE) PARTITIONED BY (day)
  TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');

INSERT INTO main.sales.orders VALUES (1, DATE '2024-05-01');

CREATE VIEW main.sales.ids AS SELECT id FROM main.sales.orders;

SHOW TABLE EXTENDED IN main.sales LIKE '*';

SHOW TABLE EXTENDED IN main.sales LIKE 'orders' PARTITION (day = '2024-05-01');

SHOW COLUMNS FROM orders IN main.sales;

-- Foreign keys of any catalog refer to a primary key.
CREATE TABLE items (order_id INT, CONSTRAINT of_order FOREIGN KEY (order_id) REFERENCES main.sales.orders (id));

ALTER TABLE main.sales.orders DROP PRIMARY KEY CASCADE;

SHOW CREATE TABLE items;

-- Columns by names of four parts
SELECT main.sales.orders.id, sales.orders.id AS other FROM main.sales.orders WHERE main.sales.orders.id = 1;

COMMENT ON COLUMN main.sales.orders.day IS 'of delivery';

SET TAG ON COLUMN main.sales.orders.id pii;

UPDATE main.sales.orders SET main.sales.orders.id = 2 WHERE orders.id = 1;

SELECT id, _change_type FROM table_changes('main.sales.orders', 0) ORDER BY ALL;

USE CATALOG main;

SELECT * FROM main.sales.oders;

USE sales;

SELECT * FROM oders;

-- name: wrong, no such function
SELECT main.sales.missing(1);
