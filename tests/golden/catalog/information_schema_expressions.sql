-- expect: no jvm
-- What clients ask of the information schema needs no engine.
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id BIGINT COMMENT 'of the order', `Größe` INT) COMMENT 'all';
CREATE TABLE shop.lines (id INT) LOCATION '${WAREHOUSE}/lines';
CREATE VIEW shop.big AS SELECT 1 AS id;
-- name: functions and lists
SELECT
  table_name,
  if(table_type IN ('EXTERNAL', 'MANAGED', 'MANAGED_SHALLOW_CLONE'), 'table', lower(table_type)) AS table_type,
  lower(data_source_format) AS file_format,
  if(table_type IN ('EXTERNAL', 'MANAGED'), lower(table_type), NULL) AS kind
FROM system.information_schema.tables
WHERE table_catalog = 'spark_catalog' AND table_schema = lower('SHOP')
ORDER BY table_name;
-- name: CASE, coalesce, LIKE
SELECT
  upper(table_name) name,
  CASE WHEN table_type = 'VIEW' THEN 'v' WHEN comment IS NULL THEN 'no comment' ELSE comment END AS said,
  CASE table_type WHEN 'MANAGED' THEN 1 WHEN 'EXTERNAL' THEN 2 END AS number,
  coalesce(comment, 'none') AS comment,
  table_schema = 'shop' AS here,
  'x' AS x
FROM information_schema.tables
WHERE table_schema LIKE 'sh%' AND (table_name LIKE '_r%' OR table_name NOT LIKE '%r%') AND nvl(comment, '') <> 'none'
ORDER BY name DESC;
-- name: conditions
SELECT column_name, ifnull(comment, full_data_type) AS said FROM information_schema.columns
WHERE lower(table_name) = 'orders' AND CASE WHEN ordinal_position > 1 THEN FALSE ELSE TRUE END;
-- name: nothing
SELECT upper(table_name) AS name FROM information_schema.tables WHERE table_name = upper('orders');
