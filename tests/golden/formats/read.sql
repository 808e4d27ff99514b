-- Rows of tables of other formats, with given columns and with those that Spark finds.
-- log: off

INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/csv/p=1' USING csv OPTIONS (header 'true') SELECT 1 AS id, 'a' AS name;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/csv/p=2' USING csv OPTIONS (header 'true') VALUES (2, 'b'), (3, NULL) AS t(id, name);
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/json' USING json SELECT 1 AS id, named_struct('x', 1.5D, 'y', array('q')) AS s;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/orc/day=2024-01-31' USING orc SELECT 7 AS n;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/parquet' USING parquet SELECT 1 AS id, DATE'2024-02-29' AS day;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/text' USING text VALUES ('one'), ('two');

-- name: columns from the files, partitions from the folders
CREATE TABLE c USING csv OPTIONS (header 'true', inferSchema 'true') LOCATION '${WAREHOUSE}/f/csv';
DESCRIBE c;
SHOW CREATE TABLE c;
SHOW PARTITIONS c;
SELECT * FROM c ORDER BY id;
SELECT count(*) FROM c WHERE p = 2;
SELECT id, _metadata.file_name IS NOT NULL AS named FROM c WHERE p = 1;
CREATE TABLE j USING JSON LOCATION '${WAREHOUSE}/f/json';
SELECT id, s.x, s.y[0] AS y FROM j;
CREATE TABLE o USING orc LOCATION '${WAREHOUSE}/f/orc';
SELECT * FROM o;
CREATE TABLE p USING parquet LOCATION '${WAREHOUSE}/f/parquet';
SELECT * FROM p;
SELECT max(day) AS day FROM p;
CREATE TABLE t USING text LOCATION '${WAREHOUSE}/f/text';
SELECT * FROM t ORDER BY value;

-- name: given columns
CREATE TABLE given (id BIGINT, name STRING, p INT) USING csv OPTIONS ('HEADER' = 'TRUE') PARTITIONED BY (p) LOCATION '${WAREHOUSE}/f/csv';
SELECT * FROM spark_catalog.default.given ORDER BY id;
SELECT id FROM given WHERE p IN (1, 5);

-- name: without PARTITIONED BY the folders are columns as well
CREATE TABLE less (id INT, name STRING) USING csv OPTIONS (header true) LOCATION '${WAREHOUSE}/f/csv';
SELECT * FROM less ORDER BY id;

-- name: other files are there when it is read next
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/f/csv/p=3' USING csv OPTIONS (header 'true') SELECT 4 AS id, 'd' AS name;
SELECT id, p FROM c WHERE p > 2;

-- name: sources of Delta tables
CREATE TABLE d AS SELECT id, name FROM c;
MERGE INTO d USING given AS g ON d.id = g.id WHEN MATCHED THEN UPDATE SET name = concat('p', g.p);
INSERT INTO d SELECT j.id + 100, o.n FROM j CROSS JOIN o;
UPDATE d SET name = 'in' WHERE id IN (SELECT id FROM c WHERE p = 1);
SELECT * FROM d ORDER BY id;
CREATE VIEW v AS SELECT id AS n FROM c WHERE id < 3;
SELECT * FROM v ORDER BY n;
WITH q AS (SELECT * FROM c) SELECT count(*) AS rows FROM q JOIN d ON q.id = d.id;
DROP TABLE c;
CREATE TABLE again USING csv OPTIONS (header 'true') LOCATION '${WAREHOUSE}/f/csv';
SELECT count(*) AS rows FROM again;
-- name: nothing to find columns in
CREATE TABLE e (a INT, b STRING) USING json LOCATION '${WAREHOUSE}/f/missing';
SELECT *, _metadata.file_path FROM e;
