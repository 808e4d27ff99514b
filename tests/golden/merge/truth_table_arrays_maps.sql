-- log: off
-- Arrays and maps of structs. The three rows of the document's table of arrays of structs are rows 58 to 60.

CREATE TABLE t58 AS SELECT * FROM VALUES (1, array(named_struct('a', 1, 'b', 2))), (2, array(named_struct('a', 3, 'b', 4))) AS v(key, list);
CREATE TEMPORARY VIEW s58 AS SELECT * FROM VALUES
  (2, array(named_struct('b', '40', 'a', '30'), named_struct('b', '41', 'a', '31'))), (3, array(named_struct('b', '60', 'a', '50'))) AS v(key, list);
-- name: seed, arrays of structs, row 1 (4.2 row 58), evolution off: fields by name, and cast
MERGE INTO t58 t USING s58 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t58;
-- name: seed, arrays of structs, row 1 (4.2 row 58), evolution on: the same, schema unchanged
MERGE WITH SCHEMA EVOLUTION INTO t58 t USING (SELECT key - 1 AS key, list FROM s58 UNION ALL SELECT 4, list FROM s58 WHERE key = 3) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t58;

CREATE TABLE t59 AS SELECT * FROM VALUES (1, array(named_struct('a', 'a1', 'b', 'b1'))), (2, array(named_struct('a', 'a2', 'b', 'b2'))) AS v(key, list);
CREATE TEMPORARY VIEW s59 AS SELECT * FROM VALUES
  (2, array(named_struct('a', 20, 'c', 'c2', 'd', 'd2'))), (3, array(named_struct('a', 30, 'c', 'c3', 'd', 'd3'))) AS v(key, list);
-- name: seed, arrays of structs, row 2 (4.2 row 59), evolution off: UPDATE, c and d are not in the table
MERGE INTO t59 t USING s59 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: seed, arrays of structs, row 2 (4.2 row 59), evolution off: INSERT, c and d are not in the table
MERGE INTO t59 t USING s59 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: seed, arrays of structs, row 2 (4.2 row 59), evolution on: c and d added, a cast to string, b NULL
MERGE WITH SCHEMA EVOLUTION INTO t59 t USING s59 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t59;

CREATE TABLE t60 AS SELECT * FROM VALUES
  (1, array(named_struct('a', 'a1', 'b', named_struct('c', 'c1')))), (2, array(named_struct('a', 'a2', 'b', named_struct('c', 'c2')))) AS v(key, list);
CREATE TEMPORARY VIEW s60 AS SELECT * FROM VALUES
  (2, array(named_struct('a', 'A2', 'b', named_struct('c', 'C2', 'd', 'D2')))), (3, array(named_struct('a', 'A3', 'b', named_struct('c', 'C3', 'd', 'D3')))) AS v(key, list);
-- name: seed, arrays of structs, row 3 (4.2 row 60), evolution off: UPDATE, d is not in the table
MERGE INTO t60 t USING s60 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: seed, arrays of structs, row 3 (4.2 row 60), evolution off: INSERT, d is not in the table
MERGE INTO t60 t USING s60 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: seed, arrays of structs, row 3 (4.2 row 60), evolution on: d added, NULL for the old entries
MERGE WITH SCHEMA EVOLUTION INTO t60 t USING s60 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t60;

CREATE TABLE t61 AS SELECT * FROM VALUES
  (1, array(named_struct('a', 1, 'b', 2, 'c', 3))), (2, array(named_struct('a', 4, 'b', 5, 'c', 6), named_struct('a', 7, 'b', 8, 'c', 9))) AS v(key, list);
CREATE TEMPORARY VIEW s61 AS SELECT * FROM VALUES (2, array(named_struct('b', 50, 'a', 40))), (3, array(named_struct('b', 80, 'a', 70))) AS v(key, list);
-- name: truth table 4.2 row 61, evolution off: UPDATE SET *, the source lacks c
MERGE INTO t61 t USING s61 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 61, evolution off: UPDATE list, the source lacks c
MERGE INTO t61 t USING s61 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET list = s.list;
-- name: truth table 4.2 row 61, evolution off: INSERT *, the source lacks c
MERGE INTO t61 t USING s61 s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 61, evolution on: UPDATE SET * and INSERT * replace the array, c NULL
MERGE WITH SCHEMA EVOLUTION INTO t61 t USING s61 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 61, evolution on: UPDATE list replaces the array, c NULL
MERGE WITH SCHEMA EVOLUTION INTO t61 t USING (SELECT 1 AS key, list FROM s61 WHERE key = 2) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET list = s.list;
SELECT * FROM t61;

CREATE TABLE t62 AS SELECT * FROM VALUES (1, array(named_struct('a', 1, 'b', 2))), (2, array(named_struct('a', 3, 'b', 4))) AS v(key, list);
CREATE TEMPORARY VIEW s62 AS SELECT * FROM VALUES (2, array(named_struct('c', 'c2', 'd', 'd2'))), (3, array(named_struct('c', 'c3', 'd', 'd3'))) AS v(key, list);
-- name: truth table 4.2 row 62, evolution off: no field in common
MERGE INTO t62 t USING s62 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 62, evolution on: a, b, c, d; a and b NULL in written rows
MERGE WITH SCHEMA EVOLUTION INTO t62 t USING s62 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t62;

CREATE TABLE t63 AS SELECT 1 AS key, named_struct('list', array(named_struct('m', map('k', named_struct('a', 1, 'b', 2))))) AS x;
-- name: truth table 4.2 row 63, evolution off: reordered fields at any depth
MERGE INTO t63 t USING (SELECT 1 AS key, named_struct('list', array(named_struct('m', map('k', named_struct('b', 20, 'a', 10))))) AS x) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t63;
CREATE TEMPORARY VIEW s63 AS SELECT 1 AS key,
  named_struct('list', array(named_struct('m', map('k', named_struct('b', 200, 'c', 300, 'a', 100)), 'n', 'new'))) AS x;
-- name: truth table 4.2 row 63, evolution off: an extra field at any depth
MERGE INTO t63 t USING s63 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 63, evolution on: by name at every depth
MERGE WITH SCHEMA EVOLUTION INTO t63 t USING s63 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t63;

CREATE TABLE t64 AS SELECT * FROM VALUES
  (1, map('k', named_struct('a', 1)), map(named_struct('a', 1), 'v')), (2, map('k', named_struct('a', 2)), map(named_struct('a', 2), 'v')) AS v(key, vals, keys);
CREATE TEMPORARY VIEW s64 AS SELECT * FROM VALUES
  (2, map('k', named_struct('a', 20, 'b', 21)), map(named_struct('a', 20, 'b', 21), 'w')), (3, map('k', named_struct('a', 30, 'b', 31)), map(named_struct('a', 30, 'b', 31), 'w')) AS v(key, vals, keys);
-- name: truth table 4.2 row 64, evolution off: b is not in the struct of the map's values
MERGE INTO t64 t USING (SELECT key, vals, map(named_struct('a', 1), 'v') AS keys FROM s64) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 64, evolution off: b is not in the struct of the map's keys
MERGE INTO t64 t USING (SELECT key, map('k', named_struct('a', 1)) AS vals, keys FROM s64) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 64, evolution on: key and value structs gain b
MERGE WITH SCHEMA EVOLUTION INTO t64 t USING s64 s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 64, evolution on: fewer fields in the source become NULL
MERGE WITH SCHEMA EVOLUTION INTO t64 t USING (SELECT 3 AS key, map('k', named_struct('a', 300)) AS vals) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t64;

CREATE TABLE t65 AS SELECT 1 AS key, map('k', array(1)) AS m;
-- name: truth table 4.2 row 65, evolution off: an array is no struct
MERGE INTO t65 t USING (SELECT 1 AS key, map('k', named_struct('a', 1)) AS m) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 65, evolution on: an array and a struct do not merge
MERGE WITH SCHEMA EVOLUTION INTO t65 t USING (SELECT 1 AS key, map('k', named_struct('a', 1)) AS m) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;

CREATE TABLE t66 AS SELECT 1 AS key, named_struct('a', 1, 'b', 2) AS x, array(named_struct('a', 1, 'b', 2)) AS list;
CREATE TEMPORARY VIEW s66 AS SELECT 1 AS key, named_struct('c', 10, 'd', 20) AS x, array(named_struct('c', 10, 'd', 20)) AS list;
SET spark.databricks.delta.resolveMergeUpdateStructsByName.enabled = false;
-- name: truth table 4.2 row 66, structs by position, evolution off: other names do not matter
MERGE INTO t66 t USING s66 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t66;
-- name: truth table 4.2 row 66, structs by position, evolution on: the evolved struct has more fields than the value
MERGE WITH SCHEMA EVOLUTION INTO t66 t USING s66 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
RESET spark.databricks.delta.resolveMergeUpdateStructsByName.enabled;

CREATE TABLE t67 AS SELECT 1 AS key, array(named_struct('a', 1, 'b', 2)) AS v;
CREATE TEMPORARY VIEW s67 AS SELECT 1 AS key, array(named_struct('a', 10), named_struct('a', 10), named_struct('a', 30)) AS v;
-- name: truth table 4.2 row 67, evolution off: elements lack b
MERGE INTO t67 t USING s67 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET v = array_distinct(s.v);
-- name: truth table 4.2 row 67, evolution on: array_distinct
MERGE WITH SCHEMA EVOLUTION INTO t67 t USING s67 s ON t.key = s.key WHEN MATCHED THEN UPDATE SET v = array_distinct(s.v);
SELECT * FROM t67;
-- name: truth table 4.2 row 67, evolution on: array_union, array_intersect, array_except, array_remove
MERGE WITH SCHEMA EVOLUTION INTO t67 t USING s67 s ON t.key = s.key WHEN MATCHED
THEN UPDATE SET v = array_union(array_remove(s.v, named_struct('a', 30)), array_except(array_intersect(s.v, s.v), array(named_struct('a', 10))));
SELECT * FROM t67;
