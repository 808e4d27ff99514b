-- log: off

-- name: rows in several files
CREATE TABLE names (id INT, name STRING COLLATE UTF8_LCASE, city STRING COLLATE UNICODE_CI, tags ARRAY<STRING COLLATE UTF8_LCASE>, s STRUCT<x: STRING COLLATE UTF8_LCASE>, plain STRING);
INSERT INTO names VALUES (1, 'Ada', 'Köln', array('A', 'b'), named_struct('x', 'X'), 'Ada');
INSERT INTO names VALUES (2, 'ADA', 'KÖLN', array('c'), named_struct('x', 'y'), 'ADA'), (3, 'ben', 'Aachen', NULL, NULL, 'ben');
INSERT INTO names SELECT 4, 'Cleo', 'bonn', array('a'), named_struct('x', 'Y'), 'Cleo';
SELECT * FROM names;
-- name: comparisons, not by the bounds of bytes
SELECT id FROM names WHERE name = 'ada';
SELECT id FROM names WHERE name > 'ADA' AND name < 'CLEO';
SELECT id FROM names WHERE city IN ('köln', 'BONN');
SELECT id FROM names WHERE s.x = 'Y';
SELECT id FROM names WHERE array_contains(tags, 'a');
SELECT id FROM names WHERE name LIKE 'a%' ORDER BY id;
SELECT id FROM names WHERE plain = 'ada';
SELECT id FROM names WHERE plain COLLATE UTF8_LCASE = 'ada';
SELECT id FROM names WHERE name COLLATE UTF8_BINARY = 'ADA';
-- name: groups, order, bounds, counts
SELECT lower(max(name)) AS name, count(*) AS n FROM names GROUP BY names.name ORDER BY n DESC, 1;
SELECT count(DISTINCT name) AS a, count(DISTINCT city) AS b, count(DISTINCT plain) AS c FROM names;
SELECT lower(min(name)), max(name) FROM names;
SELECT id FROM names ORDER BY city, id LIMIT 3;
SELECT count(*), count(name) FROM names;
SELECT a.id, b.id FROM names a JOIN names b ON a.name = b.name AND a.id < b.id;
-- name: changed rows
UPDATE names SET plain = 'both' WHERE name = 'aDa';
DELETE FROM names WHERE city = 'AACHEN';
SELECT id, name, plain FROM names;
-- name: keys of MERGE
MERGE INTO names t USING (SELECT * FROM VALUES ('CLEO', 'found'), ('Dora', 'new') AS v (name, plain)) s ON t.name = s.name
  WHEN MATCHED THEN UPDATE SET plain = s.plain WHEN NOT MATCHED THEN INSERT (name, plain) VALUES (s.name, s.plain);
SELECT id, name, plain FROM names;
-- name: two rows of the source for one of the target
MERGE INTO names t USING (SELECT * FROM VALUES ('dora', 1), ('DORA', 2) AS v (name, id)) s ON t.name = s.name WHEN MATCHED THEN UPDATE SET id = s.id;
-- name: constraints
ALTER TABLE names ADD CONSTRAINT named CHECK (name <> 'NOBODY');
INSERT INTO names (id, name) VALUES (9, 'nobody');
-- name: rows of before a change of the collation
CREATE TABLE later (id INT, c STRING);
INSERT INTO later VALUES (1, 'A'), (2, 'b');
ALTER TABLE later ALTER COLUMN c TYPE STRING COLLATE UTF8_LCASE;
SELECT id FROM later WHERE c = 'a' OR c = 'B';
ALTER TABLE later ALTER COLUMN c TYPE STRING;
SELECT id FROM later WHERE c = 'a' OR c = 'B';
-- name: the columns of a query keep theirs
CREATE TABLE copied AS SELECT name, lower(name) AS low, plain COLLATE UNICODE_CI AS p, 'x' AS x FROM names;
DESCRIBE copied;
CREATE VIEW seen AS SELECT name FROM names;
SELECT count(*) FROM seen WHERE name = 'ADA';
-- name: evolution
CREATE TABLE grown (id INT);
INSERT INTO grown VALUES (1);
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO grown BY NAME SELECT 2 AS id, name FROM names WHERE id = 1;
DESCRIBE grown;
SELECT id FROM grown WHERE name = 'ADA';
-- name: layout and mapped names
OPTIMIZE names ZORDER BY (name);
ALTER TABLE names SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true');
ALTER TABLE names RENAME COLUMN name TO `full name`;
INSERT INTO names (id, `full name`) VALUES (10, 'Eve');
DELETE FROM names WHERE `full name` = 'EVE';
SELECT id, `full name` FROM names WHERE `full name` IN ('ada', 'EVE');
