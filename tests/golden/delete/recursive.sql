-- Common table expressions that see themselves, before each statement that changes rows.
CREATE TABLE t (id INT, boss INT, name STRING);
INSERT INTO t VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, 'd'), (5, 4, 'e');
-- name: UPDATE of all below 1, found in the table itself
WITH RECURSIVE below(id) AS (SELECT id FROM t WHERE boss = 1 UNION ALL SELECT t.id FROM t JOIN below ON t.boss = below.id)
UPDATE t SET name = upper(name) WHERE id IN (SELECT id FROM below);
SELECT * FROM t ORDER BY id;
-- name: DELETE, with a limit on its depth, and one that does not recur
WITH RECURSIVE start AS (SELECT 4 AS id), n(id) MAX RECURSION LEVEL 20 AS (TABLE start UNION ALL SELECT id + 1 FROM n WHERE id < 9)
DELETE FROM t WHERE id IN (SELECT id FROM n);
SELECT * FROM t ORDER BY id;
-- name: MERGE
WITH RECURSIVE n(id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM n WHERE id < 5)
MERGE INTO t USING n ON t.id = n.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, name) VALUES (n.id, 'new');
SELECT * FROM t ORDER BY id;
-- name: INSERT
WITH RECURSIVE n(id) AS (SELECT 6 UNION ALL SELECT id + 1 FROM n WHERE id < 7)
INSERT INTO t (id) SELECT id FROM n;
SELECT * FROM t ORDER BY id;
-- name: wrong, it never ends
WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) DELETE FROM t WHERE id IN (SELECT id FROM n);
