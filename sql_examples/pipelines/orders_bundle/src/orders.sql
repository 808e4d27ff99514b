CREATE TEMPORARY VIEW large_orders AS SELECT id, region, price FROM STREAM(main.raw.orders) WHERE price >= ${least};

CREATE OR REFRESH STREAMING TABLE orders COMMENT 'orders of ${least} or more' AS SELECT id, region, price FROM STREAM(large_orders);

CREATE OR REFRESH MATERIALIZED VIEW regions AS SELECT region, sum(price) AS total FROM orders GROUP BY region;
