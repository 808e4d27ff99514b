-- name: a schema with properties
CREATE SCHEMA schemas_one COMMENT 'c' WITH DBPROPERTIES ('a' = 'b', 'k' = 'v');
-- differs: schema-owner
DESCRIBE SCHEMA EXTENDED schemas_one;
ALTER SCHEMA schemas_one SET DBPROPERTIES ('a' = 'c', 'd' = 'e');
-- differs: schema-owner
DESCRIBE SCHEMA EXTENDED schemas_one;
ALTER DATABASE schemas_one UNSET DBPROPERTIES ('a');
DROP SCHEMA schemas_one;

-- name: a schema twice
CREATE SCHEMA schemas_two;
CREATE SCHEMA schemas_two;
CREATE SCHEMA IF NOT EXISTS schemas_two;
DROP DATABASE schemas_two;
DROP SCHEMA schemas_two;
DROP SCHEMA IF EXISTS schemas_two;

-- name: tables in a schema
CREATE SCHEMA schemas_three;
CREATE TABLE schemas_three.t (a INT) USING delta;
DROP SCHEMA schemas_three;
DROP SCHEMA schemas_three CASCADE;
SELECT * FROM schemas_three.t;
