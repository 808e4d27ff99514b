-- OWNER TO, and what becomes of records: shown, renamed, dropped and replaced with their objects.
-- log: off

CREATE TABLE t (id INT);
CREATE SCHEMA s;
CREATE VIEW v AS SELECT 1 AS one;
CREATE FUNCTION f(x INT) RETURNS INT RETURN x;
SET deltasql.governance = RECORD;
GRANT USE SCHEMA, CREATE TABLE ON SCHEMA default TO bob;
GRANT USE CATALOG ON CATALOG spark_catalog TO bob;
GRANT EXECUTE ON FUNCTION f TO bob;

-- name: owners
ALTER TABLE t SET OWNER TO `ann@example.com`;
ALTER VIEW v OWNER TO ann;
ALTER SCHEMA s SET OWNER TO ann;
ALTER CATALOG spark_catalog OWNER TO 'ann';
ALTER FUNCTION f OWNER TO ann;
DESCRIBE EXTENDED t;
DESCRIBE SCHEMA s;
DESCRIBE CATALOG spark_catalog;
SELECT table_name, table_owner FROM information_schema.tables WHERE table_schema = 'default';
SELECT schema_name, schema_owner FROM information_schema.schemata WHERE schema_name = 's';
SELECT catalog_owner FROM information_schema.catalogs;

-- name: information schema
GRANT SELECT ON t TO bob;
SELECT * FROM information_schema.table_privileges WHERE table_name = 't';
SELECT * FROM information_schema.schema_privileges WHERE schema_name = 'default';
SELECT * FROM information_schema.catalog_privileges;
SELECT grantee, specific_name, privilege_type FROM information_schema.routine_privileges WHERE inherited_from = 'NONE';
-- mask: /Create Time: .*/
DESCRIBE FUNCTION EXTENDED f;

-- name: renamed with its records
ALTER TABLE t RENAME TO s.u;
SHOW GRANTS bob ON s.u;
-- name: dropped with them
DROP TABLE s.u;
CREATE TABLE s.u (id INT);
SHOW GRANTS ON s.u;
-- name: replaced with them
GRANT SELECT ON s.u TO bob;
CREATE OR REPLACE TABLE s.u (id BIGINT);
SHOW GRANTS bob ON s.u;

-- name: objects of services
ALTER REGISTERED MODEL m OWNER TO bob;
alter clean room r set owner to `ann@example.com`;

-- name: types of parameters
CREATE FUNCTION g(a INT) RETURNS INT RETURN a;
GRANT EXECUTE ON FUNCTION g(INT) TO bob;
SHOW GRANTS ON FUNCTION g(INT);
