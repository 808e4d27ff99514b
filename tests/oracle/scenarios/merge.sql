-- name: update and insert
CREATE TABLE t (key INT, value STRING) USING delta;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
MERGE INTO t USING (SELECT * FROM VALUES (2, 'B'), (3, 'C') AS q(key, value)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, s.value);
SELECT * FROM t;

-- name: stars
CREATE TABLE t (key INT, value STRING) USING delta;
CREATE TABLE s (key INT, value STRING) USING delta;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO s VALUES (2, 'B'), (3, 'C');
MERGE INTO t USING s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: every kind of clause with conditions
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50);
MERGE INTO t AS x USING (SELECT id AS key, id * 100 AS value FROM range(3, 9)) AS y ON x.key = y.key WHEN MATCHED AND x.key = 3 THEN DELETE WHEN MATCHED AND y.value > 400 THEN UPDATE SET x.value = y.value + x.value WHEN MATCHED THEN UPDATE SET value = -1 WHEN NOT MATCHED AND y.key = 6 THEN INSERT (key) VALUES (y.key) WHEN NOT MATCHED AND y.key < 8 THEN INSERT * WHEN NOT MATCHED BY SOURCE AND x.key = 1 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = x.value * 1000;
SELECT * FROM t;

-- name: a condition that is NULL does not fire
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, NULL), (2, 2), (NULL, 3);
MERGE INTO t USING (SELECT * FROM VALUES (1, 5), (2, 6), (NULL, 7) AS q(key, value)) s ON t.key = s.key WHEN MATCHED AND t.value > 0 THEN UPDATE SET value = s.value WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: only delete
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
MERGE INTO t USING (SELECT 2 AS key UNION ALL SELECT 3 UNION ALL SELECT 3) s ON t.key = s.key WHEN MATCHED THEN DELETE;
SELECT * FROM t;

-- name: only insert, source rows twice
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT * FROM VALUES (1, 9), (2, 2), (2, 3) AS q(key, value)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: only insert, with conditions
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT id AS key, id AS value FROM range(6)) s ON t.key = s.key WHEN NOT MATCHED BY TARGET AND s.key = 2 THEN INSERT (value, key) VALUES (s.value * 2, s.key) WHEN NOT MATCHED AND s.key > 3 THEN INSERT *;
SELECT * FROM t;

-- name: only by source
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
MERGE INTO t USING (SELECT 2 AS key) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE AND t.key > 2 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = 0;
SELECT * FROM t;

-- name: an empty source
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key, 2 AS value WHERE false) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 1 AS key WHERE false) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM t;

-- name: an empty target
CREATE TABLE t (key INT, value INT) USING delta;
MERGE INTO t USING (SELECT 1 AS key, 2 AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: nothing happens
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 7 AS key, 2 AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;

-- name: several matches
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT * FROM VALUES (1, 5), (1, 6) AS q(key, value)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT * FROM VALUES (1, 5), (1, 6) AS q(key, value)) s ON t.key = s.key WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: several matches of which one is used
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
-- differs: precise-multiple-match
MERGE INTO t USING (SELECT * FROM VALUES (1, 5), (1, 6) AS q(key, value)) s ON t.key = s.key WHEN MATCHED AND s.value = 6 THEN UPDATE SET *;
-- state differs: precise-multiple-match

-- name: several matches for a conditional delete
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT * FROM VALUES (1, 5), (1, 6) AS q(key, value)) s ON t.key = s.key WHEN MATCHED AND s.value > 0 THEN DELETE;

-- name: clauses in another order
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
-- differs: any-clause-order
MERGE INTO t USING (SELECT 2 AS key, 2 AS value) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED THEN INSERT *;
-- state differs: any-clause-order

-- name: without WHEN
CREATE TABLE t (key INT) USING delta;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key;

-- name: clauses after one without a condition
CREATE TABLE t (key INT) USING delta;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED AND s.key = 1 THEN INSERT *;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE;

-- name: names that are not there
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.nope = s.key WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN MATCHED AND s.nope = 1 THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET nope = 1;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.nope;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (nope) VALUES (1);
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key) VALUES (s.nope);
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 1 AS key, 2 AS other) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET s.key = 1;
MERGE INTO nothing_here USING (SELECT 1 AS key) s ON true WHEN MATCHED THEN DELETE;
MERGE INTO t USING nothing_here s ON true WHEN MATCHED THEN DELETE;

-- name: what a clause cannot see
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED AND t.value = 1 THEN INSERT *;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, t.value);
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE AND s.key = 1 THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = s.key;

-- name: an ambiguous name
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key, 2 AS value) s ON t.key = s.key WHEN MATCHED AND value = 2 THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key, 2 AS value) s ON key = 1 WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key, 2 AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = value + 1;

-- name: conditions that are not allowed
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key AND rand() > 0.5 WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = max(s.key) WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED AND t.key IN (SELECT key FROM t) THEN DELETE;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED AND rand() < 2 THEN DELETE;

-- name: conflicts and doubles
CREATE TABLE t (key INT, value INT, st STRUCT<x: INT>) USING delta;
INSERT INTO t VALUES (1, 1, NULL);
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = 1, value = 2;
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET st = NULL, st.x = 2;
MERGE INTO t USING (SELECT 2 AS key) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, value) VALUES (1);
MERGE INTO t USING (SELECT 2 AS key) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, st.x) VALUES (1, 2);

-- name: ON with more than keys
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (5, 5), (9, 9);
MERGE INTO t USING (SELECT * FROM VALUES (1, 10), (5, 50), (9, 90) AS q(key, value)) s ON s.key = t.key AND t.key > 4 AND s.value < 80 WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = -t.value;
SELECT * FROM t;

-- name: ON without an equality
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (5, 5);
MERGE INTO t USING (SELECT 3 AS key, 30 AS value) s ON t.key > s.key WHEN MATCHED THEN UPDATE SET value = s.value WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM t;

-- name: ON is always true or never
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 3 AS key, 30 AS value) s ON true WHEN MATCHED THEN UPDATE SET value = s.value;
MERGE INTO t USING (SELECT 3 AS key, 31 AS value) s ON false WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: null-safe keys
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (NULL, 1), (2, 2);
MERGE INTO t USING (SELECT CAST(NULL AS INT) AS key, 30 AS value) s ON t.key <=> s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: keys of different types
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2);
MERGE INTO t USING (SELECT '1' AS key, 30L AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: a partitioned target
CREATE TABLE t (key INT, value INT, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'x'), (3, 3, 'y'), (4, 4, NULL);
MERGE INTO t USING (SELECT * FROM VALUES (1, 10, 'y'), (3, 30, 'y'), (7, 70, 'z') AS q(key, value, p)) s ON t.key = s.key AND t.p IN ('x', 'y') WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 'x' AS p) s ON t.p = s.p WHEN MATCHED THEN DELETE;
SELECT * FROM t;

-- name: several files
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT INTO t VALUES (11, 11), (12, 12);
INSERT INTO t VALUES (21, 21), (22, 22);
MERGE INTO t USING (SELECT * FROM VALUES (11, 0), (13, 13) AS q(key, value)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: nested assignments
CREATE TABLE t (key INT, st STRUCT<x: INT, y: STRUCT<z: STRING, w: INT>>) USING delta;
INSERT INTO t VALUES (1, named_struct('x', 1, 'y', named_struct('z', 'a', 'w', 1))), (2, NULL);
MERGE INTO t USING (SELECT id AS key, 'new' AS z FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET st.y.z = s.z, st.x = t.st.y.w + 1;
SELECT * FROM t;

-- name: a whole struct by name
CREATE TABLE t (key INT, st STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t VALUES (1, NULL);
MERGE INTO t USING (SELECT id AS key, named_struct('y', 'v', 'x', 5L) AS st FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET st = s.st WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;
MERGE INTO t USING (SELECT 1 AS key, named_struct('y', 'v') AS st) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET st = s.st;
MERGE INTO t USING (SELECT 1 AS key, named_struct('y', 'v', 'x', 1, 'z', 2) AS st) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT 7 AS key, named_struct('y', 'v', 'z', 1) AS st) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;

-- name: structs by position
SET spark.databricks.delta.resolveMergeUpdateStructsByName.enabled = false;
CREATE TABLE t (key INT, st STRUCT<x: INT, y: INT>) USING delta;
INSERT INTO t VALUES (1, NULL);
MERGE INTO t USING (SELECT id AS key, named_struct('y', 3, 'x', 5) AS st FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET st = s.st WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: casts
CREATE TABLE t (key INT, a TINYINT, b STRING, c DECIMAL(6,2), d DATE) USING delta;
INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL);
MERGE INTO t USING (SELECT id AS key, 12L AS a, 5 AS b, 7 AS c, '2024-01-01' AS d FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;
MERGE INTO t USING (SELECT 1 AS key, 1200 AS a) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET a = s.a;
MERGE INTO t USING (SELECT 9 AS key, 1200 AS a) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, a) VALUES (s.key, s.a);
MERGE INTO t USING (SELECT 1 AS key, 'x' AS a) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET a = s.a;
MERGE INTO t USING (SELECT 1 AS key, array(1) AS a) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET a = s.a;

-- name: NOT NULL
CREATE TABLE t (key INT NOT NULL, value INT NOT NULL) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key, CAST(NULL AS INT) AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT 2 AS key, CAST(NULL AS INT) AS value) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 2 AS key) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key) VALUES (s.key);
SELECT * FROM t;

-- name: append only
CREATE TABLE t (key INT, value INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true');
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 2 AS key, 2 AS value) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 2 AS key, 2 AS value) s ON t.key = s.key WHEN MATCHED THEN DELETE;
SELECT * FROM t;

-- name: source is another version
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2);
UPDATE t SET value = 0;
-- differs: merge-source-version
MERGE INTO t USING t VERSION AS OF 1 AS s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value;
-- state differs: merge-source-version

-- name: source is the target, a view and a common table expression
CREATE TABLE t (key INT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2);
MERGE INTO t USING t s ON t.key = s.key + 1 WHEN MATCHED THEN UPDATE SET value = s.value + 100;
CREATE TEMPORARY VIEW v AS SELECT 3 AS key, 3 AS value;
MERGE INTO t USING v ON t.key = v.key WHEN NOT MATCHED THEN INSERT *;
WITH q AS (SELECT 4 AS key, 4 AS value) MERGE INTO t USING q ON t.key = q.key WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: names without aliases
CREATE TABLE t (key INT, value INT) USING delta;
CREATE TABLE s (k INT, v INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT INTO s VALUES (1, 10), (3, 30);
MERGE INTO t USING s ON key = k WHEN MATCHED THEN UPDATE SET value = v WHEN NOT MATCHED THEN INSERT (key, value) VALUES (k, v);
SELECT * FROM t;

-- name: arrays and maps
CREATE TABLE t (key INT, a ARRAY<INT>, m MAP<STRING, INT>) USING delta;
INSERT INTO t VALUES (1, array(1), map('k', 1));
MERGE INTO t USING (SELECT id AS key, array(5L, NULL) AS a, map('z', 2L) AS m FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: arrays of structs by name
CREATE TABLE t (key INT, v ARRAY<STRUCT<a: INT, b: INT>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', 1, 'b', 2)));
MERGE INTO t USING (SELECT id AS key, array(named_struct('b', '5', 'a', '6'), NULL) AS v FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: a source that changes from run to run
CREATE TABLE t (key INT, value DOUBLE) USING delta;
INSERT INTO t VALUES (1, 1);
MERGE INTO t USING (SELECT 1 AS key, rand() AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = 2;
SELECT * FROM t;

-- name: current_date and other functions
CREATE TABLE t (key INT, d DATE, n INT) USING delta;
INSERT INTO t VALUES (1, NULL, 0);
MERGE INTO t USING (SELECT 1 AS key) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET d = DATE'2024-01-01' + INTERVAL 1 DAY, n = CASE WHEN t.n = 0 THEN length('abc') END;
SELECT * FROM t;

-- name: EXCEPT after a star
CREATE TABLE t (key INT, value INT, other INT) USING delta;
INSERT INTO t VALUES (1, 1, 1);
-- differs: merge-except
MERGE INTO t USING (SELECT id AS key, 10 AS value, 10 AS other FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (other) WHEN NOT MATCHED THEN INSERT * EXCEPT (other);
-- state differs: merge-except
