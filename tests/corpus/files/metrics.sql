-- A metric view, and queries of its measures.
CREATE TABLE sales (day DATE, region STRING, amount DECIMAL(12, 2));

CREATE OR REPLACE VIEW sales_metrics
WITH METRICS
LANGUAGE YAML
COMMENT 'what we measure'
AS $$
version: 0.1
source: sales
filter: amount > 0
dimensions:
  - name: region
    expr: region
  - name: month
    expr: date_trunc('MONTH', day)
measures:
  - name: total
    expr: SUM(amount)
  - name: orders
    expr: COUNT(*)
$$;

SELECT region, MEASURE(total) AS total, MEASURE(`orders`) FROM sales_metrics GROUP BY region ORDER BY total DESC;
SELECT MEASURE(total) FROM sales_metrics WHERE month = DATE'2024-01-01';
