-- log: off

CREATE TABLE t AS SELECT id AS a FROM range(5);
-- name: texts and values from variables
DECLARE x INT DEFAULT 3;
DECLARE OR REPLACE q STRING DEFAULT 'SELECT count(*) AS n FROM t WHERE a < :x';
EXECUTE IMMEDIATE q USING x;
EXECUTE IMMEDIATE q || ' AND a > 0' USING x + 1 AS x;
EXECUTE IMMEDIATE 'SELECT ? AS d, typeof(?) AS t' USING DATE '2024-01-31', 1.50;
-- name: results into variables
EXECUTE IMMEDIATE 'SELECT count(*) FROM t' INTO x;
SELECT x;
EXECUTE IMMEDIATE 'SELECT a, ''SELECT 1'' FROM t WHERE a = ?' INTO x, q USING 2;
SELECT x, q;
EXECUTE IMMEDIATE 'SELECT a FROM t WHERE false' INTO x;
SELECT x;
-- name: wrong
EXECUTE IMMEDIATE 5;
EXECUTE IMMEDIATE CAST(NULL AS STRING);
EXECUTE IMMEDIATE nope;
EXECUTE IMMEDIATE 'SELECT a FROM t' INTO x;
EXECUTE IMMEDIATE 'SELECT 1, 2' INTO x;
SET VAR q = 'EXECUTE IMMEDIATE q';
EXECUTE IMMEDIATE q;
DROP TEMPORARY VARIABLE x;
DROP TEMPORARY VARIABLE q;
-- name: functions
CREATE OR REPLACE TEMPORARY FUNCTION plus_one(x INT) RETURNS INT RETURN x + 1;
SELECT plus_one(a) AS p FROM t WHERE a = 1;
DROP TEMPORARY FUNCTION plus_one;
-- name: wrong, functions
CREATE FUNCTION f() RETURNS INT RETURN 1;
CREATE TEMPORARY FUNCTION f() RETURNS BIGINT RETURN (SELECT count(*) FROM t);
CREATE TEMPORARY FUNCTION f() RETURNS TABLE (a BIGINT) RETURN SELECT a FROM t@v0;
-- name: the current schema
CREATE SCHEMA prod;
USE prod;
SELECT current_schema(), CURRENT_DATABASE ( ), current_catalog(), system.builtin.current_schema() AS c;
SELECT upper(current_schema()) AS u, 'current_schema()' AS text, concat('a', current_schema()) AS c WHERE current_schema() = 'prod';
CREATE TABLE w (a STRING, b STRING);
INSERT INTO w VALUES (current_schema(), 'x'), (`current_database`(), 'y');
UPDATE w SET b = current_schema() WHERE b = 'y' AND a = current_schema();
MERGE INTO w USING (SELECT current_catalog() AS c) ON a = c WHEN NOT MATCHED THEN INSERT (a, b) VALUES (c, current_schema());
SELECT * FROM w ORDER BY a, b;
CREATE TEMP VIEW at_read AS SELECT current_schema() AS c, count(*) AS n FROM w;
USE default;
SELECT * FROM at_read;
-- name: values keep their types
DECLARE OR REPLACE at TIMESTAMP DEFAULT TIMESTAMP '2024-01-02 03:04:05';
EXECUTE IMMEDIATE 'SELECT typeof(?) AS a, typeof(?) AS b, typeof(?) AS c, typeof(?) AS d, typeof(?) AS e'
  USING at, CAST(1 AS FLOAT), named_struct('a', 1), CAST(NULL AS INT), INTERVAL 3 DAYS;
EXECUTE IMMEDIATE 'SELECT :at AS t, :list[1] AS l' USING at, map(1, 'k') AS list;
DROP TEMPORARY VARIABLE at;
