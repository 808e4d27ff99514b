-- Keys and CHECK constraints, and functions
CREATE CATALOG main;
USE CATALOG main;
CREATE TABLE customers (region STRING NOT NULL, id INT NOT NULL, CONSTRAINT who PRIMARY KEY (region, id));
CREATE TABLE orders (
  order_id INT NOT NULL PRIMARY KEY, customer INT, region STRING,
  CONSTRAINT of_whom FOREIGN KEY (customer, region) REFERENCES customers (id, region)
);
ALTER TABLE orders ADD CONSTRAINT positive CHECK (order_id > 0 AND customer > 0);
CREATE FUNCTION twice(x INT COMMENT 'any', y DECIMAL(4, 1) DEFAULT 0) RETURNS DECIMAL(12, 1) COMMENT 'x + x' RETURN x + x;
CREATE FUNCTION pair(x INT) RETURNS TABLE (a INT, b STRING) RETURN SELECT x, 'b';

SELECT constraint_name, table_name, constraint_type, enforced FROM information_schema.table_constraints;

SELECT constraint_schema, constraint_name, check_clause FROM information_schema.check_constraints;

SELECT constraint_name, table_name, column_name, ordinal_position AS ordinal, position_in_unique_constraint AS parent
FROM information_schema.key_column_usage;

SELECT constraint_name, unique_constraint_catalog, unique_constraint_name, match_option
FROM information_schema.referential_constraints;

SELECT table_name, constraint_name FROM information_schema.constraint_table_usage;

SELECT table_name, column_name, constraint_name FROM information_schema.constraint_column_usage;

SELECT routine_name, data_type, full_data_type, numeric_scale, routine_definition, is_deterministic, comment
FROM information_schema.routines;

SELECT specific_name, ordinal_position, parameter_name, full_data_type, parameter_default, comment
FROM information_schema.parameters;

SELECT specific_name, column_name, data_type FROM information_schema.routine_columns;

-- A view, a table and a join over them
CREATE VIEW short AS SELECT table_name FROM information_schema.tables WHERE table_type = 'MANAGED';

USE CATALOG spark_catalog;

SELECT * FROM main.default.short ORDER BY table_name;

CREATE TABLE kept AS SELECT table_name FROM main.information_schema.tables WHERE table_schema = 'default';

SELECT table_name FROM kept ORDER BY table_name;

SELECT t.table_name, count(*) AS columns
FROM main.information_schema.tables AS t JOIN main.information_schema.columns AS c USING (table_schema, table_name)
WHERE table_schema = 'default' GROUP BY t.table_name ORDER BY ALL;

-- What refers to a table that was dropped is left out.
DROP TABLE main.default.customers;

SELECT constraint_name FROM main.information_schema.referential_constraints;

SELECT table_name FROM main.information_schema.constraint_table_usage WHERE constraint_name = 'of_whom';
