-- log: off
-- The policy decides what is stored, whatever spark.sql.ansi.enabled makes of the user's own expressions.

CREATE TABLE t (a INT, b TINYINT, d DATE, list ARRAY<TINYINT>, s STRUCT<x: TINYINT>, m MAP<TINYINT, INT>);
-- name: errors name the column, and the value where it stands in the text
INSERT INTO t (a) VALUES ('many');
INSERT INTO t (b) SELECT id + 300 FROM range(2);
INSERT INTO t (list) SELECT array('x');
INSERT INTO t (d) SELECT 5;
INSERT INTO t (d, a) SELECT TRUE, 1;
UPDATE t SET a = 'x' || b;
-- name: a cast of the user's own is the user's
INSERT INTO t (a) SELECT CAST('many' AS INT);
INSERT INTO t (b) SELECT CAST(300 AS TINYINT);

SET spark.sql.ansi.enabled = false;
-- name: wrong, too large a number
INSERT INTO t (b) VALUES (300);
-- name: wrong, no such cast
INSERT INTO t (d) SELECT 5;
-- name: wrong, no number
INSERT INTO t (a) SELECT 'abc';
-- name: wrong, inside arrays, structs and maps
INSERT INTO t (list) SELECT array(300);
INSERT INTO t (s) SELECT named_struct('x', 300);
INSERT INTO t (m) SELECT map(300, 1);
INSERT INTO t (m) SELECT map(1, 'q');
-- name: the user's expressions are not ANSI
INSERT INTO t (a) SELECT CAST('abc' AS INT);
INSERT INTO t (a) SELECT 2147483647 + 1;
INSERT INTO t (a, b) VALUES (1, '12');
-- name: wrong, UPDATE and MERGE
UPDATE t SET b = 999 WHERE a = 1;
UPDATE t SET s.x = a + 999 WHERE a = 1;
MERGE INTO t USING (SELECT 1 AS a, 999 AS b) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;
MERGE INTO t USING (SELECT 9 AS a, 'x' AS b) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (a, b);
SELECT a, b FROM t ORDER BY a, b;
SET spark.sql.storeAssignmentPolicy = LEGACY;
-- name: LEGACY stores NULL
INSERT INTO t (a, b) SELECT 2, 300;
SELECT a, b FROM t WHERE a = 2;
RESET spark.sql.storeAssignmentPolicy;
RESET spark.sql.ansi.enabled;

-- name: wrong, a value for a column that has no type yet
CREATE TABLE v (a INT, b VOID);
INSERT INTO v VALUES (1, 5);
INSERT INTO v (b, a) SELECT 'x', 1;
UPDATE v SET b = 5;
INSERT INTO v VALUES (1, NULL);
INSERT WITH SCHEMA EVOLUTION INTO v VALUES (2, 5);
SELECT * FROM v ORDER BY a;

-- name: wrong, no column that files could hold
CREATE TABLE nothing (a VOID, p INT) PARTITIONED BY (p);
INSERT INTO nothing VALUES (NULL, 1);
