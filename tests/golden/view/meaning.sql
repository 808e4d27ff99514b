-- log: off

CREATE SCHEMA prod;
CREATE TABLE o (x STRING, n INT);
CREATE TABLE prod.o (x STRING, n INT);
INSERT INTO o VALUES ('default', 1);
INSERT INTO prod.o VALUES ('prod', 2);
USE prod;
-- name: names mean what they meant
CREATE TEMP VIEW v AS SELECT * FROM o;
CREATE TEMP VIEW v2 (a, b) AS WITH c AS (SELECT x, n + 1 AS m FROM o) SELECT * FROM c UNION ALL SELECT 'one', 1;
USE default;
SELECT * FROM v;
SELECT * FROM v2 ORDER BY b;
SELECT * FROM session.v;
-- name: a later view does not hide the table
CREATE TEMP VIEW o AS SELECT 'view' AS x;
SELECT * FROM v;
CREATE TEMP VIEW of_view AS SELECT * FROM o;
SELECT * FROM of_view;
DROP VIEW o;
SELECT * FROM of_view;
-- name: settings mean what they meant
SET spark.sql.session.timeZone = Asia/Tokyo;
SET spark.sql.ansi.enabled = false;
CREATE TEMP VIEW s AS SELECT unix_seconds(TIMESTAMP '2024-01-01 00:00:00') AS u, CAST('x' AS INT) AS c, 2147483647 + 1 AS p;
SET spark.sql.session.timeZone = UTC;
SET spark.sql.ansi.enabled = true;
CREATE TEMP VIEW over_s AS SELECT *, unix_seconds(TIMESTAMP '2024-01-01 00:00:00') AS here FROM s;
SELECT * FROM s;
SELECT * FROM over_s;
RESET;
SELECT * FROM over_s;
-- name: columns stay what they were
CREATE TABLE t (a INT, b STRING);
INSERT INTO t VALUES (1, 'b');
CREATE TEMP VIEW star AS SELECT * FROM t;
CREATE TEMP VIEW one AS SELECT a FROM t;
ALTER TABLE t ADD COLUMN c INT FIRST;
SELECT * FROM star;
-- name: a narrower type fits
CREATE OR REPLACE TABLE t AS SELECT 'b' AS b, CAST(1 AS SMALLINT) AS a;
SELECT * FROM star;
-- name: wrong, a wider type and a lost column
CREATE OR REPLACE TABLE t (a BIGINT, b STRING);
SELECT * FROM star;
CREATE OR REPLACE TABLE t (a INT);
SELECT * FROM star;
SELECT * FROM one;
-- name: a view of a version
CREATE TEMP VIEW old AS SELECT * FROM t VERSION AS OF 1;
SELECT * FROM old;
-- name: wrong, what only Spark finds
CREATE TEMP VIEW w AS SELECT nope FROM t;
CREATE TEMP VIEW w AS SELECT a FROM t WHERE nope(a);
-- name: a global view
CREATE GLOBAL TEMP VIEW g AS SELECT n FROM prod.o;
SELECT * FROM global_temp.g;
DROP VIEW global_temp.g;
-- name: wrong, another catalog
SELECT * FROM spark_catalog.prod.o;
