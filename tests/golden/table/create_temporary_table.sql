-- expect: no jvm

-- name: with columns, and rows as in any other table
CREATE TEMPORARY TABLE staging (id INT, name STRING COMMENT 'as written', price DECIMAL(8, 2));
INSERT INTO staging VALUES (1, 'one', 1.5), (2, 'two', 2.5);
INSERT INTO staging (id, name) VALUES (3, 'three');
SELECT * FROM staging ORDER BY id;
UPDATE staging SET price = price + 1 WHERE id > 1;
DELETE FROM staging WHERE id = 1;
MERGE INTO staging AS t USING (SELECT * FROM VALUES (2, 'zwei'), (4, 'vier') AS v(id, name)) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
SELECT * FROM STAGING ORDER BY id;
-- name: of a query, in all its spellings
CREATE TEMP TABLE high AS SELECT id, price FROM staging WHERE id > 2;
create or replace temp table High as select id from staging;
REPLACE TEMPORARY TABLE high AS VALUES (7) AS v(id);
SELECT * FROM `high`;
CREATE TEMP TABLE IF NOT EXISTS high (a STRING);
CREATE TEMPORARY TABLE parted (a INT, b INT) PARTITIONED BY (b) COMMENT 'with clauses' TBLPROPERTIES (delta.enableChangeDataFeed = true);
INSERT INTO parted VALUES (1, 1), (1, 2);
INSERT INTO parted REPLACE WHERE b = 1 VALUES (5, 1);
SELECT * FROM parted ORDER BY b;
-- name: what is shown of it
SHOW TABLES;
SHOW TABLES LIKE 'st*';
DESCRIBE staging;
SHOW COLUMNS IN staging;
SHOW TBLPROPERTIES parted (delta.enableChangeDataFeed);
SELECT version, operation FROM (DESCRIBE HISTORY high) ORDER BY version;
-- name: it comes before the table of the schema, which is there under its longer name
CREATE TABLE other (c INT);
CREATE TABLE default.parted AS SELECT 3 AS c;
SELECT * FROM default.parted;
SELECT a FROM parted ORDER BY a;
DROP TABLE parted;
SELECT * FROM parted;
-- name: a table of the schema can be made beside it
CREATE TABLE staging AS SELECT id FROM staging;
SELECT id FROM default.staging ORDER BY id;
CREATE OR REPLACE TABLE staging AS SELECT 'of the schema' AS kind;
SELECT kind FROM default.staging;
SELECT id FROM staging ORDER BY id;
-- name: wrong, views of the catalog
CREATE VIEW of_catalog AS SELECT * FROM staging;
CREATE VIEW of_catalog AS SELECT * FROM default.staging;
-- name: another schema
CREATE SCHEMA s;
USE s;
SELECT id FROM staging ORDER BY id;
CREATE TEMPORARY TABLE here AS SELECT 1 AS a;
USE default;
SELECT * FROM here;
SELECT * FROM s.here;
-- name: wrong, statements
ALTER TABLE staging ADD COLUMN a INT;
TRUNCATE TABLE staging;
SELECT * FROM staging VERSION AS OF 0;
-- name: dropped
DROP TABLE staging;
SELECT * FROM staging;
DROP TEMPORARY TABLE staging;
DROP TEMP TABLE IF EXISTS staging;
DROP TEMP TABLE default.staging;
DROP TEMPORARY TABLE high;
DROP TABLE IF EXISTS high;
SHOW TABLES;
UNDROP TABLE high;
