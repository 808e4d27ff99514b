SET spark.sql.caseSensitive = true;
-- name: two columns that differ in case alone stay forbidden
CREATE TABLE t (a INT, B STRUCT<x: INT>, p STRING, g INT GENERATED ALWAYS AS (a + 1)) PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE t ADD COLUMN A INT;
ALTER TABLE t ADD COLUMN B.X INT;
ALTER TABLE t RENAME COLUMN a TO b;
-- name: definitions
ALTER TABLE t ADD COLUMN b.y INT;
ALTER TABLE t ADD COLUMN B.y INT AFTER X;
ALTER TABLE t ADD COLUMN B.y INT AFTER x;
ALTER TABLE t DROP COLUMN b;
ALTER TABLE t RENAME COLUMN b TO c;
ALTER TABLE t ALTER COLUMN b COMMENT 'c';
ALTER TABLE t ALTER COLUMN B AFTER A;
ALTER TABLE t ADD CONSTRAINT k CHECK (A > 0);
DESCRIBE t b;
-- name: rows
INSERT INTO t (A, p) VALUES (1, 'x');
INSERT INTO t (a, p) VALUES (1, 'x');
INSERT INTO t PARTITION (P = 'x') (a) VALUES (2);
INSERT INTO t (a, p) REPLACE WHERE A = 1 VALUES (1, 'x');
INSERT INTO t (a, p) REPLACE USING (A) VALUES (1, 'x');
INSERT INTO t (a, p) REPLACE ON t.A = q.a (SELECT 1 AS a, 'x' AS p) q;
UPDATE t SET A = 2;
UPDATE t SET B.X = 2;
UPDATE t SET a = 2 WHERE A = 1;
DELETE FROM t WHERE P = 'x';
MERGE INTO t USING (SELECT 1 AS a) s ON t.A = s.a WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET A = 2;
MERGE INTO t USING (SELECT 1 AS a, 'x' AS p) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (A, p) VALUES (2, 'x');
OPTIMIZE t WHERE P = 'x';
OPTIMIZE t ZORDER BY (A);
-- name: what is spelled as declared
UPDATE t SET a = 5, B.x = 6 WHERE p = 'x';
MERGE INTO t USING (SELECT 5 AS a, 7 AS B) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET B.x = s.B;
-- name: by name Delta does not ask for the case
INSERT INTO t BY NAME SELECT 6 AS A, 'x' AS p;
SELECT a, B, p, g FROM t ORDER BY a;
ALTER TABLE t RENAME COLUMN a TO c;
-- name: tables are found without regard to case
SELECT count(*) FROM T;
RESET spark.sql.caseSensitive;
UPDATE t SET b.X = 1 WHERE A = 6;
