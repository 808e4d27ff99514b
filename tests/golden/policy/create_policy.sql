-- Policies are recorded on catalogs, schemas and tables, shown and dropped; nothing applies them.
-- log: off

CREATE SCHEMA sales;
CREATE TABLE sales.orders (id INT, region STRING, ssn STRING);
CREATE VIEW v AS SELECT 1 AS one;
CREATE FUNCTION in_us(region STRING) RETURNS BOOLEAN RETURN region = 'US';
CREATE FUNCTION hidden(ssn STRING) RETURNS STRING RETURN '***';
-- name: recorded
CREATE POLICY only_us ON TABLE sales.orders COMMENT 'one region' ROW FILTER in_us TO `account users` EXCEPT admins, 'ann@example.com' FOR TABLES MATCH COLUMNS has_tag_value('geo', 'region') AS r USING COLUMNS (r);
CREATE POLICY Hide_Ssn ON SCHEMA sales COLUMN MASK hidden TO `account users` FOR TABLES WHEN has_tag('pii') AND (true) MATCH COLUMNS has_tag('ssn') AS s, has_tag('b') b ON COLUMN s;
create policy hide_ssn on catalog spark_catalog column mask default.hidden to bob for tables on column s using columns ('x', 1);
SHOW POLICIES ON TABLE sales.orders;
SHOW EFFECTIVE POLICIES ON sales.orders;
SHOW POLICIES ON CATALOG spark_catalog;
DESCRIBE POLICY only_us ON TABLE sales.orders;
DESC POLICY HIDE_SSN ON SCHEMA sales;

-- name: names
CREATE POLICY only_us ON TABLE sales.orders ROW FILTER in_us TO bob FOR TABLES;
CREATE POLICY IF NOT EXISTS only_us ON TABLE sales.orders ROW FILTER in_us TO bob FOR TABLES;
CREATE OR REPLACE POLICY only_us ON TABLE sales.orders ROW FILTER in_us TO bob FOR TABLES;
DESCRIBE POLICY only_us ON TABLE sales.orders;
DROP POLICY only_uk ON TABLE sales.orders;
DROP POLICY IF EXISTS only_uk ON TABLE sales.orders;
CREATE POLICY p ON TABLE sales.orders ROW FILTER missing TO bob FOR TABLES;
CREATE POLICY p ON TABLE missing ROW FILTER in_us TO bob FOR TABLES;
CREATE POLICY p ON VIEW v ROW FILTER in_us TO bob FOR TABLES;

-- name: with the object
ALTER TABLE sales.orders RENAME TO sales.old_orders;
SHOW POLICIES ON TABLE sales.old_orders;
DROP POLICY only_us ON TABLE sales.old_orders;
SHOW POLICIES ON TABLE sales.old_orders;
SHOW EFFECTIVE POLICIES ON TABLE sales.old_orders;

-- name: other settings
SET deltasql.governance = WARN;
CREATE POLICY p ON TABLE missing ROW FILTER in_us TO bob FOR TABLES;
SHOW POLICIES ON SCHEMA sales;
SET deltasql.governance = ERROR;
DROP POLICY p ON TABLE missing;
SHOW EFFECTIVE POLICIES ON SCHEMA sales;
