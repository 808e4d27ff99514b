-- log: off
-- A directory is called after each partition value: what no directory can be called is told before a task fails.

CREATE TABLE t (a INT, `p q` STRING) PARTITIONED BY (`p q`) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO t SELECT 1, repeat('x', 190);
-- name: characters that Spark writes as three
INSERT INTO t SELECT 2, repeat('/', 60);
-- name: wrong, too long
INSERT INTO t SELECT 3, repeat('x', 300);
INSERT INTO t SELECT 3, repeat('/', 100);
INSERT INTO t VALUES (3, 'a\0b');
UPDATE t SET `p q` = repeat('é', 130) WHERE a = 1;
CREATE TABLE u PARTITIONED BY (p) AS SELECT 1 AS a, repeat('x', 300) AS p;
-- name: bytes
CREATE TABLE b (a INT, p BINARY) PARTITIONED BY (p);
INSERT INTO b SELECT 1, X'41C3BC';
INSERT INTO b SELECT 2, X'41FF';
SELECT a, hex(p) FROM b;
SELECT a, length(`p q`) FROM t ORDER BY a;
