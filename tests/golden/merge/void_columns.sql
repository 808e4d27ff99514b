-- log: off
-- NullType (VOID) columns stay in the schema, are left out of the files, and take the type that comes first.

CREATE TABLE t30 AS SELECT * FROM VALUES (1, 't1'), (2, 't2') AS v(key, value);
-- name: truth table 4.2 row 30, evolution off: a VOID column of the source is ignored
MERGE INTO t30 t USING (SELECT 2 AS key, 's2' AS value, NULL AS extra) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 30, evolution on: it is added as VOID
MERGE WITH SCHEMA EVOLUTION INTO t30 t USING (SELECT * FROM VALUES (2, 'u2', NULL), (3, 's3', NULL) AS v(key, value, extra)) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t30;
-- name: seed, NullType: another type replaces it
MERGE WITH SCHEMA EVOLUTION INTO t30 t USING (SELECT 2 AS key, 'w2' AS value, 5 AS extra) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t30;
-- name: seed, NullType: for an existing column the table's type stays
MERGE WITH SCHEMA EVOLUTION INTO t30 t USING (SELECT 2 AS key, 'v2' AS value, NULL AS extra) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t30;

CREATE TABLE t31 AS SELECT 1 AS key, NULL AS value;
SELECT * FROM t31;
-- name: truth table 4.2 row 31, evolution off: an INT does not go into VOID
MERGE INTO t31 t USING (SELECT 1 AS key, 5 AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value;
-- name: truth table 4.2 row 31, evolution on: value becomes INT
MERGE WITH SCHEMA EVOLUTION INTO t31 t USING (SELECT 1 AS key, 5 AS value) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET value = s.value;
-- name: truth table 4.2 row 31, evolution on: VOID to an array of structs
CREATE TABLE t31a AS SELECT 1 AS key, NULL AS value;
MERGE WITH SCHEMA EVOLUTION INTO t31a t USING (SELECT 1 AS key, array(named_struct('c', 3)) AS value) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t31a;
SELECT * FROM t31;

-- name: seed, NullType in INSERT: dropped from the files, kept in the schema
CREATE TABLE v AS SELECT 1 AS id, NULL AS nothing;
DESCRIBE TABLE v;
INSERT INTO v VALUES (2, NULL);
-- name: seed, NullType in INSERT: with evolution the column takes the type
INSERT WITH SCHEMA EVOLUTION INTO v VALUES (3, 'x');
SELECT * FROM v;
