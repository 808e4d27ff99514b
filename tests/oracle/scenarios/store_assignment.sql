-- name: the policy decides, not the mode of expressions
SET spark.sql.ansi.enabled = false;
CREATE TABLE t (a INT, b TINYINT, d DATE, dc DECIMAL(4,2), bo BOOLEAN) USING delta;
INSERT INTO t (b) VALUES (300);
INSERT INTO t (a) SELECT 'abc';
INSERT INTO t (d) SELECT 'abc';
INSERT INTO t (d) SELECT 5;
INSERT INTO t (dc) SELECT 1234.5;
INSERT INTO t (bo) SELECT 'maybe';
INSERT INTO t (bo) SELECT 3;
INSERT INTO t (a) SELECT CAST('abc' AS INT);
INSERT INTO t (a) SELECT 2147483647 + 1;
INSERT INTO t (a, b) VALUES (1, 1);
UPDATE t SET b = 999 WHERE a = 1;
UPDATE t SET a = 'abc' WHERE a = 1;
MERGE INTO t USING (SELECT 1 AS a, 999 AS b) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;
SELECT * FROM t;

-- name: the same inside arrays, structs and maps
SET spark.sql.ansi.enabled = false;
CREATE TABLE t (a ARRAY<TINYINT>, s STRUCT<x: TINYINT, y: INT>, m MAP<TINYINT, INT>) USING delta;
INSERT INTO t (a) SELECT array(300);
INSERT INTO t (a) SELECT array('x');
INSERT INTO t (s) SELECT named_struct('x', 300, 'y', 1);
INSERT INTO t (m) SELECT map(300, 1);
INSERT INTO t SELECT array(1), named_struct('x', 1, 'y', 2), map(1, 1);
UPDATE t SET a = array(300);
UPDATE t SET s.x = 300;
UPDATE t SET m = map(300, 1);
SELECT * FROM t;

-- name: a column without a type takes none without evolution
CREATE TABLE t (a INT, b VOID) USING delta;
INSERT INTO t VALUES (1, 5);
INSERT INTO t VALUES (1, NULL);
UPDATE t SET b = 5;
MERGE INTO t USING (SELECT 1 AS a, 5 AS b) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t;
