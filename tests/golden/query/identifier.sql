-- name: definitions
CREATE SCHEMA IDENTIFIER('sc' || 'h');
CREATE TABLE IDENTIFIER('sch.`order`') (IDENTIFIER('id') INT, identifier('`b-c`') STRUCT<x: INT>, p STRING) PARTITIONED BY (IDENTIFIER('p'));
ALTER TABLE IDENTIFIER('sch.`order`') ADD COLUMNS (IDENTIFIER('`b-c`') . IDENTIFIER('y') INT FIRST, identifier INT);
ALTER TABLE IDENTIFIER('sch' /* its schema */ || '.`order`') ALTER COLUMN IDENTIFIER('id') COMMENT 'IDENTIFIER(''no'')';
ALTER TABLE IDENTIFIER('sch') . IDENTIFIER('order') SET TBLPROPERTIES ('a' = 'b');
USE IDENTIFIER('sch');
COMMENT ON TABLE IDENTIFIER('`order`') IS 'c';
DESCRIBE IDENTIFIER('`order`');
SHOW COLUMNS IN IDENTIFIER('`order`');
SHOW TABLES IN IDENTIFIER('sch');
-- name: rows
INSERT INTO IDENTIFIER('`order`') (IDENTIFIER('id'), p) VALUES (1, 'a'), (2, 'b');
INSERT INTO IDENTIFIER('`order`') PARTITION (IDENTIFIER('p') = 'c') (id) VALUES (3);
UPDATE IDENTIFIER('`order`') SET IDENTIFIER('identifier') = 7, `b-c` = named_struct('y', 1, 'x', 2) WHERE IDENTIFIER('id') = 1;
UPDATE `order` SET IDENTIFIER('`b-c`.x') = 9 WHERE IDENTIFIER('`b-c`.y') = 1;
MERGE INTO IDENTIFIER('`order`') AS t USING IDENTIFIER('sch.`order`') AS s ON IDENTIFIER('t.id') = s.id - 1 WHEN MATCHED THEN UPDATE SET IDENTIFIER('t.p') = IDENTIFIER('s.p');
DELETE FROM IDENTIFIER('`order`') WHERE id IN (SELECT max(IDENTIFIER('id')) FROM IDENTIFIER('`order`@v1'));
SELECT IDENTIFIER('id'), IDENTIFIER('upper')(p) AS IDENTIFIER('P'), x.`b-c` FROM IDENTIFIER('`order`') AS x ORDER BY IDENTIFIER('x.id');
SELECT count(*) FROM IDENTIFIER('`order`') VERSION AS OF 0;
OPTIMIZE IDENTIFIER('`order`') WHERE IDENTIFIER('p') = 'a';
RESTORE TABLE IDENTIFIER('`order`') TO VERSION AS OF 1;
DESCRIBE HISTORY IDENTIFIER('`order`') LIMIT 1;
EXECUTE IMMEDIATE 'SELECT IDENTIFIER(:c) AS n FROM IDENTIFIER(:t) LIMIT 0' USING 'p' AS c, 'sch.`order`' AS t;
-- name: session variables need Spark
DECLARE VARIABLE named STRING DEFAULT 'order';
SELECT count(*) FROM IDENTIFIER('`' || named || '`');
DROP TEMPORARY VARIABLE named;
-- name: a table and a column may be called so
CREATE TABLE identifier (a INT, identifier STRING);
INSERT INTO identifier (a, identifier) VALUES (1, 'x');
SELECT identifier.identifier FROM identifier;
-- name: wrong, with the place in the text as it is written
SELECT nope FROM IDENTIFIER('`order`') WHERE IDENTIFIER('nope2') = 1;
DROP TABLE IDENTIFIER('sch.' || 'nothing');
ALTER TABLE IDENTIFIER('`order`') DROP COLUMN IDENTIFIER('what');
SELECT * FROM IDENTIFIER('my t');
SELECT * FROM IDENTIFIER('');
SELECT * FROM IDENTIFIER('a..b');
SELECT * FROM IDENTIFIER(NULL);
SELECT * FROM IDENTIFIER(1);
SELECT IDENTIFIER(p) FROM identifier;
SELECT * FROM IDENTIFIER('a' || rand());
SELECT * FROM IDENTIFIER((SELECT 'identifier'));
DESCRIBE IDENTIFIER('identifier') IDENTIFIER('a') what;
-- name: dropped
DROP TABLE IDENTIFIER('`order`');
