-- log: off

CREATE SCHEMA s;
CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true', 'delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (1, 'x'), (2, 'y');
-- name: views of views, in other schemas and catalogs' names
CREATE VIEW v AS SELECT * FROM t;
CREATE VIEW s.w AS WITH c AS (SELECT a, count(*) AS n FROM v GROUP BY a) SELECT * FROM c;
USE s;
SELECT w.a, n FROM w ORDER BY a;
USE default;
SELECT * FROM spark_catalog.s.`W` ORDER BY a;
-- name: versions and changes inside
CREATE VIEW old AS SELECT * FROM t@v1;
DELETE FROM t WHERE a = 2;
SELECT * FROM old ORDER BY a;
-- name: sources of changes
MERGE INTO t USING v AS q ON t.a = q.a WHEN MATCHED THEN UPDATE SET b = q.b || '!';
INSERT INTO t SELECT a + 10, b FROM v;
DELETE FROM t WHERE a IN (SELECT a FROM v WHERE a > 10);
SELECT * FROM v;
EXPLAIN SELECT * FROM s.w;
-- name: settings mean what they meant
SET spark.sql.session.timeZone = Asia/Tokyo;
SET spark.sql.ansi.enabled = false;
CREATE VIEW meant AS SELECT unix_seconds(TIMESTAMP '2024-01-01 00:00:00') AS u, CAST('x' AS INT) AS c;
RESET;
SELECT * FROM meant;
-- name: columns that change, by mode
CREATE VIEW binding WITH SCHEMA BINDING AS SELECT * FROM t;
CREATE VIEW types WITH SCHEMA TYPE EVOLUTION AS SELECT * FROM t;
CREATE VIEW all_of_it WITH SCHEMA EVOLUTION AS SELECT * FROM t;
ALTER TABLE t ADD COLUMN c INT FIRST;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
SELECT * FROM v;
SELECT typeof(a) AS compensated FROM v;
SELECT * FROM binding;
SELECT typeof(a) AS evolved, b FROM types;
SELECT * FROM all_of_it;
DESCRIBE all_of_it;
-- name: a value that does not fit
INSERT INTO t VALUES (0, 3000000000, 'big');
SELECT * FROM v WHERE a > 5;
-- name: a column that is gone
ALTER TABLE t RENAME COLUMN b TO bb;
SELECT * FROM v;
SELECT * FROM types;
SELECT * FROM all_of_it WHERE a = 1;
-- name: wrong, names of columns and temporary objects
CREATE VIEW x AS SELECT 1 + 2;
CREATE VIEW x AS SELECT nope FROM t;
CREATE TEMP VIEW tv AS SELECT 1 AS a;
CREATE VIEW x AS SELECT (SELECT max(a) FROM tv) AS m;
DECLARE `most` INT DEFAULT 1;
CREATE VIEW x AS SELECT a FROM t WHERE a < most;
CREATE OR REPLACE VIEW x AS SELECT (SELECT max(a) + SESSION.`most` FROM t) AS m;
-- name: wrong, the table is gone, and the view came to read itself
DROP TABLE t;
SELECT * FROM v;
CREATE VIEW one AS SELECT 1 AS a;
CREATE VIEW two AS SELECT * FROM one;
DROP VIEW one;
ALTER VIEW two RENAME TO one;
SELECT * FROM one;
