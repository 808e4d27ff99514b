-- log: off
-- Structs whose fields differ between table and source, with schema evolution off and on.

CREATE TABLE t45 AS SELECT * FROM VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 4, 'b', 5, 'c', 6)) AS v(key, x);
CREATE TEMPORARY VIEW s45 AS SELECT * FROM VALUES (2, named_struct('c', 60, 'b', 50, 'a', 40)), (3, named_struct('c', 90, 'b', 80, 'a', 70)) AS v(key, x);
-- name: truth table 4.2 row 45, evolution off: fields in another order are found by name
MERGE INTO t45 t USING s45 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t45;
-- name: truth table 4.2 row 45, evolution on: the same, schema unchanged
MERGE WITH SCHEMA EVOLUTION INTO t45 t USING (SELECT key + 1 AS key, x FROM s45) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t45;

CREATE TABLE t46 AS SELECT * FROM VALUES (1, named_struct('a', 1, 'c', 3)), (2, named_struct('a', 4, 'c', 6)) AS v(key, x);
CREATE TEMPORARY VIEW s46 AS SELECT * FROM VALUES (2, named_struct('a', 40, 'b', 50, 'c', 60)), (3, named_struct('a', 70, 'b', 80, 'c', 90)) AS v(key, x);
-- name: truth table 4.2 row 46, evolution off: UPDATE SET *, b is not in the table
MERGE INTO t46 t USING s46 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 46, evolution off: INSERT *, b is not in the table
MERGE INTO t46 t USING s46 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 46, evolution on: x{a,c,b}, old rows have b NULL
MERGE WITH SCHEMA EVOLUTION INTO t46 t USING s46 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t46;

CREATE TABLE t47 AS SELECT * FROM VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 4, 'b', 5, 'c', 6)) AS v(key, x);
CREATE TEMPORARY VIEW s47 AS SELECT * FROM VALUES (2, named_struct('a', 40, 'c', 60)), (3, named_struct('a', 70, 'c', 90)) AS v(key, x);
-- name: truth table 4.2 row 47, evolution off: INSERT *, the source lacks b
MERGE INTO t47 t USING s47 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 48, evolution off: UPDATE SET *, the source lacks b
MERGE INTO t47 t USING s47 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 47, evolution on: INSERT * writes b NULL
MERGE WITH SCHEMA EVOLUTION INTO t47 t USING s47 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 48, evolution on: UPDATE SET * keeps b
MERGE WITH SCHEMA EVOLUTION INTO t47 t USING (SELECT * FROM s47 WHERE key = 2) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t47;

CREATE TABLE t49 AS SELECT * FROM VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 4, 'b', 5, 'c', 6)) AS v(key, x);
CREATE TEMPORARY VIEW s49 AS SELECT * FROM VALUES (2, named_struct('a', 40, 'b', 50, 'd', 'd2')), (3, named_struct('a', 70, 'b', 80, 'd', 'd3')) AS v(key, x);
-- name: truth table 4.2 row 49, evolution off: UPDATE SET *, c against d
MERGE INTO t49 t USING s49 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 49, evolution off: INSERT *, c against d
MERGE INTO t49 t USING s49 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 49, evolution on: x{a,b,c,d}; UPDATE SET * keeps c, INSERT * has c NULL
MERGE WITH SCHEMA EVOLUTION INTO t49 t USING s49 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t49;

CREATE TABLE t50 AS SELECT 1 AS key, 'keep' AS y, named_struct('a', 1) AS x;
CREATE TEMPORARY VIEW s50 AS SELECT 1 AS key, named_struct('a', 10, 'b', 20) AS x;
-- name: truth table 4.2 row 50, evolution off: UPDATE x, b is not in the table
MERGE INTO t50 t USING s50 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;
-- name: truth table 4.2 row 53, evolution off: no field b
MERGE INTO t50 t USING s50 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.b = s.x.b;
-- name: truth table 4.2 row 52, evolution off: x.a alone
MERGE INTO t50 t USING s50 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.a = s.x.a + 1;
-- name: truth table 4.2 row 52, evolution on: x.a alone adds nothing
MERGE WITH SCHEMA EVOLUTION INTO t50 t USING s50 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.a = s.x.a + 2;
SELECT * FROM t50;
-- name: truth table 4.2 row 54, evolution off: INSERT (x), b is not in the table
MERGE INTO t50 t USING (SELECT 2 AS key, x FROM s50) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (x) VALUES (s.x);
-- name: truth table 4.2 row 55, evolution off: INSERT (x.b), there is no field b
MERGE INTO t50 t USING (SELECT 2 AS key, x FROM s50) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (x.b) VALUES (s.x.b);
-- name: truth table 4.2 row 55, evolution on: INSERT names whole columns only
MERGE WITH SCHEMA EVOLUTION INTO t50 t USING (SELECT 2 AS key, x FROM s50) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (x.b) VALUES (s.x.b);
-- name: truth table 4.2 row 54, evolution on: INSERT (x) adds b, other columns NULL
MERGE WITH SCHEMA EVOLUTION INTO t50 t USING (SELECT 2 AS key, x FROM s50) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (x) VALUES (s.x);
SELECT * FROM t50;
-- name: truth table 4.2 row 51, evolution off: UPDATE x, the source lacks b
MERGE INTO t50 t USING (SELECT 1 AS key, named_struct('a', 100) AS x) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;

CREATE TABLE t51 AS SELECT 1 AS key, named_struct('a', 1, 'b', 2) AS x;
-- name: truth table 4.2 row 51, evolution on: UPDATE x writes b NULL
MERGE WITH SCHEMA EVOLUTION INTO t51 t USING (SELECT 1 AS key, named_struct('a', 100) AS x) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET x = s.x;
SELECT * FROM t51;

CREATE TABLE t50on AS SELECT * FROM VALUES (1, named_struct('a', 1)), (2, named_struct('a', 2)) AS v(key, x);
-- name: truth table 4.2 row 50, evolution on: UPDATE x adds b
MERGE WITH SCHEMA EVOLUTION INTO t50on t USING s50 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;
SELECT * FROM t50on;
CREATE TABLE t53 AS SELECT * FROM VALUES (1, named_struct('a', 1)), (2, named_struct('a', 2)) AS v(key, x);
-- name: truth table 4.2 row 53, evolution on: only b is added, a kept
MERGE WITH SCHEMA EVOLUTION INTO t53 t USING (SELECT 1 AS key, named_struct('a', 10, 'b', 20, 'c', 30) AS x) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.b = s.x.b;
SELECT * FROM t53;

CREATE TABLE t56 AS SELECT * FROM VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 4, 'b', 5, 'c', 6)) AS v(key, x);
-- name: truth table 4.2 row 56, evolution off: INSERT *, the source lacks b
MERGE INTO t56 t USING s47 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.a = s.x.a WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 56, evolution on: the updated row keeps b and c, the inserted one has b NULL
MERGE WITH SCHEMA EVOLUTION INTO t56 t USING s47 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET x.a = s.x.a WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t56;

CREATE TABLE t57 AS SELECT * FROM VALUES
  (1, named_struct('a', 1, 'n', named_struct('a', 1)), array(named_struct('a', 1))),
  (2, named_struct('a', 2, 'n', named_struct('a', 2)), array(named_struct('a', 2))) AS v(key, value, list);
CREATE TEMPORARY VIEW s57 AS SELECT * FROM VALUES
  (2, named_struct('a', 20, 'n', named_struct('a', 20, 'b', 21), 'b', 22), array(named_struct('a', 20, 'b', 21))),
  (3, named_struct('a', 30, 'n', named_struct('a', 30, 'b', 31), 'b', 32), array(named_struct('a', 30, 'b', 31))) AS v(key, value, list);
-- name: truth table 4.2 row 57, evolution off: INSERT *, b is not in the table
MERGE INTO t57 t USING s57 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET key = 0 WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 57, evolution on: b at every level, NULL in the row that was updated
MERGE WITH SCHEMA EVOLUTION INTO t57 t USING s57 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET key = 0 WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t57;
