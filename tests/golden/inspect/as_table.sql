-- log: off

CREATE SCHEMA s;
CREATE TABLE s.t (k INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('a' = 'b');
INSERT INTO s.t VALUES (1, 'a'), (2, 'b');
INSERT INTO s.t VALUES (3, 'a');
-- name: columns, conditions, aliases, order, comments, upper and lower case
SELECT version, operation FROM (DESCRIBE HISTORY s.t);
select h.operation from ( /* a */ desc history `s`.`t` limit 2 -- b
) as h where h.version < 2;
SELECT a, b FROM (SHOW PARTITIONS s.t) AS q(a) JOIN (SHOW TBLPROPERTIES s.t ('a')) r(c, b) ON a <> b ORDER BY a;
-- name: every statement that shows something
SELECT name, partitionColumns, numFiles FROM (DESCRIBE DETAIL s.t);
SELECT col_name FROM (DESCRIBE TABLE s.t) WHERE data_type = 'int';
SELECT col_name, comment FROM (DESCRIBE EXTENDED s.t) WHERE col_name = 'k';
SELECT count(*) AS tables, max(tableName) AS last FROM (SHOW TABLES IN s LIKE 't*');
SELECT * FROM (SHOW SCHEMAS) WHERE namespace <> 'default';
SELECT * FROM (SHOW COLUMNS IN s.t) ORDER BY col_name DESC;
SELECT createtab_stmt LIKE 'CREATE TABLE%' AS made FROM (SHOW CREATE TABLE s.t);
SELECT * FROM (SHOW VIEWS IN s);
-- name: in WITH, sub-queries, set operations, more brackets, pipes
WITH h AS (DESCRIBE HISTORY s.t), m AS (SELECT max(version) AS v FROM h) SELECT v FROM m;
SELECT k FROM s.t WHERE k > (SELECT max(version) FROM (DESCRIBE HISTORY s.t)) OR k IN (SELECT version FROM ((DESCRIBE HISTORY s.t)) x WHERE operation = 'WRITE') ORDER BY k;
SELECT version FROM (DESCRIBE HISTORY s.t) WHERE version = 0 UNION ALL SELECT count(*) FROM (SHOW TABLES IN s);
FROM (DESCRIBE HISTORY s.t) |> WHERE version > 0 |> SELECT version;
-- name: written, merged, in views, variables and scripts
CREATE TABLE s.h AS SELECT version, operation FROM (DESCRIBE HISTORY s.t);
INSERT INTO s.h SELECT version + 10, operation FROM (DESCRIBE HISTORY s.t) WHERE version = 0;
MERGE INTO s.h USING (SELECT version FROM (DESCRIBE HISTORY s.t)) q ON h.version = q.version WHEN MATCHED AND q.version > 0 THEN DELETE;
SELECT * FROM s.h ORDER BY version;
CREATE TEMPORARY VIEW n AS SELECT count(*) AS n FROM (SHOW TABLES IN s);
USE s;
CREATE VIEW w AS SELECT version FROM (DESCRIBE HISTORY t);
USE default;
SELECT * FROM s.w;
SELECT * FROM n;
BEGIN DECLARE v BIGINT; SET v = (SELECT max(version) FROM (DESCRIBE HISTORY s.t)); SELECT v; END;
-- name: columns of these names, and tables
SELECT desc, show FROM (SELECT 1 AS desc, 2 AS show) WHERE (desc) = 1;
-- name: errors stand where they belong
SELECT nothing FROM (DESCRIBE HISTORY s.t);
-- name: other statements are no tables
WITH x AS (EXPLAIN SELECT 1) SELECT * FROM x;
