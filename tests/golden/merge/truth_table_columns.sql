-- log: off
-- Columns that only one side has, with schema evolution off and on. The table is key, value; the source has extra too.

CREATE TEMPORARY VIEW s AS SELECT * FROM VALUES (2, 's2', 'x2'), (3, 's3', 'x3') AS v(key, value, extra);
CREATE TEMPORARY VIEW n AS SELECT * FROM VALUES (1, 'n1', 'y1'), (4, 'n4', 'y4') AS v(key, value, extra);
CREATE TEMPORARY VIEW s4 AS SELECT *, 'u' AS unused FROM s;

CREATE TABLE t1 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 1, evolution off: INSERT * ignores extra
MERGE INTO t1 t USING s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t1;
-- name: truth table 4.2 row 1, evolution on: INSERT * adds extra, old rows NULL
MERGE WITH SCHEMA EVOLUTION INTO t1 t USING n ON t.key = n.key WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t1;

CREATE TABLE t2 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 2, evolution off: UPDATE SET * ignores extra
MERGE INTO t2 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t2;
-- name: truth table 4.2 row 2, evolution on: UPDATE SET * adds extra, unmatched rows NULL
MERGE WITH SCHEMA EVOLUTION INTO t2 t USING n ON t.key = n.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t2;

CREATE TABLE t3 PARTITIONED BY (key) AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 3, partitioned table, evolution off: both stars ignore extra
MERGE INTO t3 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t3;
-- name: truth table 4.2 row 3, partitioned table, evolution on: both stars add extra
MERGE WITH SCHEMA EVOLUTION INTO t3 t USING n ON t.key = n.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t3;

CREATE TABLE t3d AS SELECT 1 AS key, 't1' AS `a.b`;
-- name: truth table 4.2 row 3, dotted names, evolution on: adds `c.d`
MERGE WITH SCHEMA EVOLUTION INTO t3d t USING (SELECT key, value AS `a.b`, extra AS `c.d` FROM n) n ON t.key = n.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t3d;

CREATE TABLE t4 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 4, evolution on: adds extra, value kept
MERGE WITH SCHEMA EVOLUTION INTO t4 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.extra;
SELECT * FROM t4;

CREATE TABLE t5 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 5, evolution on: extra has the type of s.extra (INT here) and takes s.value
MERGE WITH SCHEMA EVOLUTION INTO t5 t USING (SELECT 2 AS key, '20' AS value, 7 AS extra) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET extra = s.value;
SELECT * FROM t5;

CREATE TABLE t6 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 6, evolution off: extra is no column
MERGE INTO t6 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = -1;
-- name: truth table 4.2 row 6, evolution on: extra is added as a string, like s.extra
MERGE WITH SCHEMA EVOLUTION INTO t6 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = -1;
SELECT * FROM t6;

CREATE TABLE t7 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 7, evolution off: extra is no column
MERGE INTO t7 t USING s4 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.unused;
-- name: truth table 4.2 row 7, evolution on: only extra is added
MERGE WITH SCHEMA EVOLUTION INTO t7 t USING s4 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.unused;
SELECT * FROM t7;

CREATE TABLE t8 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 8, evolution off: extra is no column
MERGE INTO t8 t USING s4 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, extra) VALUES (s.key, s.unused);
-- name: truth table 4.2 row 8, evolution on: only extra is added, value NULL
MERGE WITH SCHEMA EVOLUTION INTO t8 t USING s4 s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, extra) VALUES (s.key, s.unused);
SELECT * FROM t8;

CREATE TABLE t9 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 9, evolution off: extra is no column
MERGE INTO t9 t USING s4 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET extra = s.extra WHEN NOT MATCHED THEN INSERT (key, unused) VALUES (s.key, s.unused);
-- name: truth table 4.2 row 9, evolution on: both columns are added, each NULL in the rows of the other clause
MERGE WITH SCHEMA EVOLUTION INTO t9 t USING s4 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET extra = s.extra WHEN NOT MATCHED THEN INSERT (key, unused) VALUES (s.key, s.unused);
SELECT * FROM t9;

CREATE TABLE t10 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 10, evolution off: value NULL
MERGE INTO t10 t USING s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key) VALUES (s.key);
-- name: truth table 4.2 row 10, evolution on: the same, no new column
MERGE WITH SCHEMA EVOLUTION INTO t10 t USING n ON t.key = n.key WHEN NOT MATCHED THEN INSERT (key) VALUES (n.key);
-- name: truth table 4.2 row 11, evolution off: extra is only read
MERGE INTO t10 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.extra;
-- name: truth table 4.2 row 11, evolution on: the same, no new column
MERGE WITH SCHEMA EVOLUTION INTO t10 t USING n ON t.key = n.key WHEN MATCHED THEN UPDATE SET value = n.extra;
SELECT * FROM t10;

CREATE TABLE t12 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 12, evolution off: key from extra
MERGE INTO t12 t USING (SELECT 3 AS key, 's3' AS value, 30 AS extra) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key) VALUES (s.extra);
-- name: truth table 4.2 row 12, evolution on: the same, no new column
MERGE WITH SCHEMA EVOLUTION INTO t12 t USING (SELECT 4 AS key, 's4' AS value, 40 AS extra) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key) VALUES (s.extra);
-- name: truth table 4.2 row 13, evolution off: value alone
MERGE INTO t12 t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value;
-- name: truth table 4.2 row 13, evolution on: the same, no new column
MERGE WITH SCHEMA EVOLUTION INTO t12 t USING n ON t.key = n.key WHEN MATCHED THEN UPDATE SET value = n.value;
SELECT * FROM t12;

CREATE TABLE t14 AS SELECT * FROM VALUES (1, 't1'), (2, 't2'), (3, 't3') AS v(key, value);
-- name: truth table 4.2 row 14, evolution off: extra ignored
MERGE INTO t14 t USING s ON t.key = s.key
WHEN MATCHED AND s.key = 2 THEN UPDATE SET value = 'one' WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t14;
-- name: truth table 4.2 row 14, evolution on: adds extra, NULL in the row of the first clause
MERGE WITH SCHEMA EVOLUTION INTO t14 t USING s ON t.key = s.key
WHEN MATCHED AND s.key = 2 THEN UPDATE SET value = 'one' WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t14;

CREATE TABLE t15 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 15, evolution off: UPDATE key, value; INSERT *
MERGE INTO t15 t USING s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET key = s.key, value = s.value WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t15;
-- name: truth table 4.2 row 15, evolution on: adds extra; the updated row has NULL, the inserted one a value
MERGE WITH SCHEMA EVOLUTION INTO t15 t USING n ON t.key = n.key
WHEN MATCHED THEN UPDATE SET key = n.key, value = n.value WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t15;

CREATE TABLE t16 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 16, evolution off: UPDATE SET *; INSERT key, value
MERGE INTO t16 t USING s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, s.value);
SELECT * FROM t16;
-- name: truth table 4.2 row 16, evolution on: adds extra; the inserted row has NULL
MERGE WITH SCHEMA EVOLUTION INTO t16 t USING n ON t.key = n.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT (key, value) VALUES (n.key, n.value);
SELECT * FROM t16;

CREATE TABLE t17 AS SELECT * FROM VALUES (1, 't1', 'e1'), (2, 't2', 'e2') AS v(key, value, extra);
-- name: truth table 4.2 row 18, evolution on: extra kept
MERGE WITH SCHEMA EVOLUTION INTO t17 t USING (SELECT key, value FROM s) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 19, evolution on: extra NULL
MERGE WITH SCHEMA EVOLUTION INTO t17 t USING (SELECT key, value FROM s) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t17;

CREATE TABLE t20 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, targetVal);
-- name: truth table 4.2 row 20, evolution on: adds srcVal; targetVal kept by UPDATE, NULL by INSERT
MERGE WITH SCHEMA EVOLUTION INTO t20 t USING (SELECT key, value AS srcVal FROM s) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t20;

CREATE TABLE t21 AS SELECT * FROM VALUES (1, 10), (2, 20) AS v(key, value);
CREATE TEMPORARY VIEW i AS SELECT * FROM VALUES (2, 200, 'x2'), (3, 300, 'x3') AS v(key, value, extra);
-- name: truth table 4.2 row 22, evolution off: BY SOURCE alone
MERGE INTO t21 t USING i ON t.key = i.key WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
-- name: truth table 4.2 row 22, evolution on: no new column
MERGE WITH SCHEMA EVOLUTION INTO t21 t USING i ON t.key = i.key
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
SELECT * FROM t21;
-- name: truth table 4.2 row 23, evolution off: DELETE on a condition over extra
MERGE INTO t21 t USING i ON t.key = i.key
WHEN MATCHED AND i.extra = 'none' THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
-- name: truth table 4.2 row 23, evolution on: no new column
MERGE WITH SCHEMA EVOLUTION INTO t21 t USING i ON t.key = i.key
WHEN MATCHED AND i.extra = 'x2' THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
SELECT * FROM t21;
-- name: truth table 4.2 row 24, evolution off: BY SOURCE sees no source
MERGE INTO t21 t USING i ON t.key = i.key WHEN NOT MATCHED BY SOURCE THEN UPDATE SET extra = i.extra;
-- name: truth table 4.2 row 24, evolution on: BY SOURCE adds no column
MERGE WITH SCHEMA EVOLUTION INTO t21 t USING i ON t.key = i.key
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET extra = i.extra;
-- name: truth table 4.2 row 21, evolution off: INSERT * and BY SOURCE
MERGE INTO t21 t USING i ON t.key = i.key
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
SELECT * FROM t21;
-- name: truth table 4.2 row 21, evolution on: adds extra, NULL in BY SOURCE rows
MERGE WITH SCHEMA EVOLUTION INTO t21 t USING (SELECT 4 AS key, 400 AS value, 'x4' AS extra) i ON t.key = i.key
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = value + 1;
SELECT * FROM t21;

CREATE TABLE s25 (key INT, value STRING NOT NULL);
INSERT INTO s25 VALUES (2, 's2'), (3, 's3');
CREATE TABLE t25 AS SELECT * FROM VALUES (1), (2) AS v(key);
-- name: truth table 4.2 row 25, evolution off: value ignored
MERGE INTO t25 t USING (SELECT * FROM s25 WHERE key = 2) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 25, evolution on: value is added as nullable though the source says NOT NULL
MERGE WITH SCHEMA EVOLUTION INTO t25 t USING s25 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t25;

CREATE TABLE t26 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 26, evolution on: the same
SELECT * FROM t26;

SET spark.sql.caseSensitive = true;
-- name: truth table 4.2 row 28, case-sensitive, evolution off: the source has VALUE, not value
MERGE INTO t26 t USING (SELECT 5 AS key, 's5' AS VALUE) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, s.value);
-- name: truth table 4.2 row 28, case-sensitive, evolution on: the source has VALUE, not value
MERGE WITH SCHEMA EVOLUTION INTO t26 t USING (SELECT 5 AS key, 's5' AS VALUE) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, s.value);
-- name: truth table 4.2 row 27, case-sensitive, evolution on: adds EXTRA
MERGE WITH SCHEMA EVOLUTION INTO t26 t USING (SELECT 5 AS key, 's5' AS value, 'x5' AS EXTRA) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, value, EXTRA) VALUES (s.key, s.value, s.EXTRA);
RESET spark.sql.caseSensitive;
SELECT * FROM t26;

CREATE TABLE t29;
-- name: truth table 4.2 row 29, evolution off: the table has no columns
MERGE INTO t29 t USING s ON false WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 29, evolution on: the table takes the columns of the source
MERGE WITH SCHEMA EVOLUTION INTO t29 t USING s ON false WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t29;
