-- Views of views of views, of the session and of the catalog: each text finds the names that it meant.
CREATE TABLE src (id INT, v STRING);
INSERT INTO src VALUES (1, 'x'), (2, 'y');
CREATE TEMPORARY VIEW a AS SELECT * FROM src;
CREATE TEMPORARY VIEW b AS SELECT * FROM a;
CREATE TEMPORARY VIEW c (`the id`, w) AS SELECT id, v FROM b;
CREATE TEMP VIEW `D d` AS TABLE c;
SELECT * FROM `D D` ORDER BY `the id`;
CREATE GLOBAL TEMPORARY VIEW everywhere AS SELECT w FROM `D d` WHERE `the id` = 2;
CREATE TEMPORARY VIEW far AS SELECT * FROM global_temp.everywhere;
SELECT * FROM far;
SELECT count(*) AS n FROM src WHERE id IN (SELECT `the id` FROM `D d`);
CREATE TEMPORARY FUNCTION how_many() RETURNS BIGINT RETURN (SELECT count(*) FROM `D d`);
SELECT how_many() AS n;

-- A view takes none of the names that the statement has for itself.
WITH a AS (SELECT 100 AS id, 'of the WITH' AS v) SELECT * FROM b ORDER BY id;
WITH a AS (SELECT 100 AS id, 'of the WITH' AS v) INSERT INTO src SELECT * FROM b WHERE id = 1;
WITH a AS (SELECT 2 AS id) DELETE FROM src WHERE id IN (SELECT id + 1 FROM b) AND id IN (SELECT id FROM a);
SELECT * FROM src ORDER BY id, v;

-- They are changed through as many as there are.
UPDATE `D d` SET w = 'through three' WHERE `the id` = 1;
CREATE TEMPORARY VIEW e AS SELECT * FROM b;
UPDATE e SET v = 'through three' WHERE id = 1;
DELETE FROM e WHERE id = 2;
SELECT * FROM src ORDER BY id;

-- Sources of a MERGE
CREATE TABLE t (id INT, v STRING);
INSERT INTO t VALUES (1, 'old'), (7, 'stays');
CREATE TEMPORARY VIEW news AS SELECT * FROM VALUES (1, 'new'), (3, 'third') AS n (id, v);
CREATE TEMPORARY VIEW turned (v, id) AS SELECT v, id FROM news;
MERGE INTO t USING turned AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT v AS w, id FROM turned) AS s ON t.id = s.id WHEN MATCHED AND w = 'third' THEN DELETE;
INSERT INTO t BY NAME SELECT * FROM e;
SELECT * FROM t ORDER BY id, v;

-- What lies below changes, and goes.
ALTER TABLE src ADD COLUMN more DOUBLE;
INSERT INTO src VALUES (9, 'nine', 9.5D);
-- An engine counts no row of the source that met none of the target.
-- mask: /numSourceRows=\d+/
MERGE INTO t USING e ON t.id = e.id WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t WHERE id = 9;
CREATE OR REPLACE TEMPORARY VIEW a AS SELECT 5 AS id, 'replaced' AS v;
SELECT * FROM `D d`;
CREATE OR REPLACE TEMPORARY VIEW a AS SELECT * FROM `D d`;
DROP VIEW a;
SELECT * FROM `D d`;
MERGE INTO t USING `D d` AS s ON t.id = s.`the id` WHEN MATCHED THEN DELETE;
