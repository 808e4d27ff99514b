CREATE TABLE t (a INT, b STRING, c INT);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20), (3, 'z', 30);
-- name: a temporary view that is a table
CREATE TEMP VIEW v AS SELECT * FROM t;
UPDATE v SET b = 'u' WHERE v.a = 1;
DELETE FROM V WHERE a = 2;
MERGE INTO v USING (SELECT 1 AS a, 'm' AS b, 5 AS c) s ON v.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t ORDER BY a;
-- name: some of its columns, in another order, a view of that
CREATE TEMP VIEW some AS SELECT b, a FROM default.t AS x;
CREATE TEMP VIEW `of some` AS TABLE some;
UPDATE `of some` AS q SET q.b = 'k' WHERE q.a = 3;
DELETE FROM some WHERE a > 99;
SELECT * FROM t ORDER BY a;
-- name: wrong, more than a table
CREATE TEMP VIEW filtered AS SELECT * FROM t WHERE a > 2;
CREATE TEMP VIEW renamed (x, y, z) AS SELECT * FROM t;
CREATE TEMP VIEW cut AS SELECT * FROM t LIMIT 1;
CREATE TEMP VIEW old AS SELECT * FROM t VERSION AS OF 1;
-- name: wrong, of the catalog
CREATE VIEW lasting AS SELECT * FROM t;
