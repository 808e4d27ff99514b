-- SET a == value is SET a = value, in UPDATE and in MERGE, as in Spark's grammar.
-- log: off

CREATE TABLE t (id INT, a INT, b STRING);
INSERT INTO t VALUES (1, 2, 'x'), (2, 3, 'y');
UPDATE t SET a == 5, b = 'z' WHERE id == 1;
SELECT * FROM t ORDER BY id;
UPDATE t SET a==DEFAULT WHERE id = 2;
MERGE INTO t USING (SELECT 2 AS id, 9 AS n) s ON t.id == s.id
WHEN MATCHED THEN UPDATE SET t.a == s.n, b == concat(b, '!');
SELECT * FROM t ORDER BY id;
-- name: wrong
UPDATE t SET a === 1;
UPDATE t SET a = = 1;
UPDATE t SET a;
