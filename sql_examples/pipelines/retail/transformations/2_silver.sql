CREATE TEMPORARY VIEW clean_customers AS
SELECT customer_id, trim(name) AS name, upper(tier) AS tier, operation, changed_at
FROM STREAM(bronze_customers) WHERE customer_id IS NOT NULL;

-- SCD type 2: each row with the time from which and until which it held.
CREATE OR REFRESH STREAMING TABLE dim_customer COMMENT 'history of customers';
CREATE FLOW customer_history AS AUTO CDC INTO dim_customer FROM STREAM(clean_customers) KEYS (customer_id)
  APPLY AS DELETE WHEN operation = 'DELETE' SEQUENCE BY changed_at
  COLUMNS * EXCEPT (operation, changed_at) STORED AS SCD TYPE 2;

CREATE OR REFRESH STREAMING TABLE silver_trades (
  CONSTRAINT has_customer EXPECT (customer_id IS NOT NULL) ON VIOLATION DROP ROW,
  CONSTRAINT sane_price EXPECT (price > 0 AND price < ${largest_price}) ON VIOLATION DROP ROW,
  CONSTRAINT has_quantity EXPECT (quantity > 0)
) AS SELECT trade_id, customer_id, price, quantity, traded_at FROM STREAM(bronze_trades);
