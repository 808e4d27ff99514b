-- Orders come as JSON files, and become totals for each day.
CREATE OR REFRESH STREAMING TABLE bronze_orders
  COMMENT "orders as they came"
  TBLPROPERTIES ("quality" = "bronze")
AS SELECT *, _metadata.file_path AS source_file, current_timestamp() AS loaded_at
FROM STREAM read_files("/Volumes/shop/raw/orders", format => "json", schemaHints => "id BIGINT, amount DOUBLE");

CREATE OR REFRESH STREAMING TABLE silver_orders (
  CONSTRAINT has_id EXPECT (id IS NOT NULL) ON VIOLATION DROP ROW,
  CONSTRAINT positive EXPECT (amount >= 0),
  CONSTRAINT known_day EXPECT (day IS NOT NULL) ON VIOLATION FAIL UPDATE
) AS SELECT id, amount, CAST(day AS DATE) AS day FROM STREAM(bronze_orders);

CREATE OR REFRESH STREAMING TABLE customers;

CREATE FLOW customer_changes AS AUTO CDC INTO customers
FROM STREAM(bronze_customers)
KEYS (id)
APPLY AS DELETE WHEN operation = "DELETE"
SEQUENCE BY changed_at
COLUMNS * EXCEPT (operation, _rescued_data)
STORED AS SCD TYPE 2;

CREATE OR REFRESH MATERIALIZED VIEW totals_by_day CLUSTER BY AUTO
AS SELECT day, count(*) AS orders, sum(amount) AS total FROM silver_orders GROUP BY ALL;
