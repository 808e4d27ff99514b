-- CREATE TABLE … AS SELECT and INSERT into tables of other formats.
-- log: off

-- name: managed
CREATE TABLE m USING csv OPTIONS (header 'true') AS SELECT 1 AS id, 'a' AS name;
DESCRIBE EXTENDED m;
INSERT INTO m VALUES (2, 'b'), (3, NULL);
INSERT INTO m (name, id) SELECT 'c', 4;
INSERT INTO m BY NAME SELECT 'e' AS name, 5 AS id;
SELECT * FROM m ORDER BY id;
INSERT OVERWRITE m SELECT id + 10, name FROM m WHERE id < 3;
SELECT * FROM m ORDER BY id;

-- name: external, with partitions
CREATE TABLE x USING parquet PARTITIONED BY (p) LOCATION '${WAREHOUSE}/f/x' AS SELECT 1 AS p, 'a' AS v UNION ALL SELECT 2, 'b';
SHOW CREATE TABLE x;
SHOW PARTITIONS x;
INSERT INTO x PARTITION (p = 3) VALUES ('c');
INSERT OVERWRITE x PARTITION (p = 2) SELECT 'B';
SELECT * FROM x ORDER BY p;
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE x VALUES ('C', 3);
SELECT * FROM x ORDER BY p;
SET spark.sql.sources.partitionOverwriteMode = static;
INSERT OVERWRITE x VALUES ('only', 9);
SELECT * FROM x;

-- name: several at once
CREATE TABLE j (id INT, name STRING) USING json;
FROM m INSERT INTO j SELECT id, name INSERT INTO x SELECT name, id;
SELECT * FROM j ORDER BY id;

-- name: other formats
CREATE TABLE o USING orc AS SELECT 1 AS id, array(1, 2) AS l;
SELECT * FROM o;
CREATE TABLE t USING text AS SELECT 'line' AS value;
SELECT * FROM t;

-- name: wrong
INSERT INTO m VALUES (1);
INSERT INTO m VALUES ('x', 'y');
INSERT INTO m (missing) VALUES (1);
INSERT INTO m PARTITION (id = 1) VALUES ('x');
CREATE TABLE w USING csv AS SELECT array(1) AS l;
CREATE TABLE w USING csv LOCATION '${WAREHOUSE}/f/x' AS SELECT 1 AS a;
CREATE TABLE m USING csv AS SELECT 1 AS a;
CREATE TABLE w USING csv AS SELECT CAST(raise_error('no') AS INT) AS a;
SELECT * FROM w;
SHOW TABLES;

-- name: DROP removes the files of a managed table alone
DROP TABLE m;
CREATE TABLE m (id INT) USING csv;
SELECT * FROM m;
DROP TABLE x;
CREATE TABLE x USING parquet LOCATION '${WAREHOUSE}/f/x';
SELECT count(*) AS rows FROM x;
