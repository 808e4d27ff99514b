-- A pipeline in SQL: changes of customers become their newest rows, their history, and a count.
-- log: off

CREATE TABLE customer_changes (id INT, name STRING, city STRING, operation STRING, changed_at INT);
INSERT INTO customer_changes VALUES
  (1, 'Ann', 'Oslo', 'INSERT', 1), (2, 'Bob', 'Rome', 'INSERT', 1), (1, 'Ann', 'Bern', 'UPDATE', 4);

CREATE OR REFRESH STREAMING TABLE valid_changes (
  CONSTRAINT has_name EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW
) COMMENT 'changes with a name' AS SELECT * FROM STREAM(customer_changes);

CREATE OR REFRESH STREAMING TABLE customers COMMENT 'the newest row of each customer';
CREATE FLOW newest AS AUTO CDC INTO customers FROM STREAM(valid_changes) KEYS (id)
  APPLY AS DELETE WHEN operation = 'DELETE' SEQUENCE BY changed_at
  COLUMNS * EXCEPT (operation, changed_at) STORED AS SCD TYPE 1;

CREATE OR REFRESH STREAMING TABLE customer_history COMMENT 'each row with the time that it held';
CREATE FLOW history AS AUTO CDC INTO customer_history FROM STREAM(valid_changes) KEYS (id)
  APPLY AS DELETE WHEN operation = 'DELETE' SEQUENCE BY changed_at
  COLUMNS * EXCEPT (operation, changed_at) STORED AS SCD TYPE 2;

CREATE OR REFRESH MATERIALIZED VIEW customers_by_city AS SELECT city, count(*) AS customers FROM customers GROUP BY city;

-- name: later a deletion, an update that comes late, and a row that the expectation drops
INSERT INTO customer_changes VALUES
  (2, 'Bob', 'Rome', 'DELETE', 5), (1, 'Ann', 'Kyiv', 'UPDATE', 2), (3, NULL, 'Cork', 'INSERT', 6);
REFRESH STREAMING TABLE valid_changes;
REFRESH STREAMING TABLE customers;
REFRESH STREAMING TABLE customer_history;
REFRESH MATERIALIZED VIEW customers_by_city;

SELECT * FROM customers ORDER BY id;
SELECT * FROM customer_history ORDER BY id, __START_AT;
SELECT * FROM customers_by_city ORDER BY city;
