-- log: off
-- The document's table of MERGE with and without schema evolution, row by row.

CREATE TABLE a AS SELECT * FROM VALUES (1, 'v1'), (2, 'v2') AS v(key, value);
CREATE TEMPORARY VIEW src AS SELECT * FROM VALUES (2, 'w2', 'n2'), (3, 'w3', 'n3') AS v(key, value, new_value);
-- name: seed, evolution table row 1, off: schema unchanged, only key and value are updated and inserted
MERGE INTO a t USING src s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM a;
-- name: seed, evolution table row 1, on: (key, value, new_value)
MERGE WITH SCHEMA EVOLUTION INTO a t USING (SELECT key + 1 AS key, value, new_value FROM src) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM a;

CREATE TEMPORARY VIEW other AS SELECT key, new_value FROM src;
CREATE TABLE b AS SELECT * FROM VALUES (1, 'o1'), (2, 'o2') AS v(key, old_value);
-- name: seed, evolution table row 2, on: old_value kept in updated rows and NULL in new ones
MERGE WITH SCHEMA EVOLUTION INTO b t USING other s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM b;

CREATE TABLE c AS SELECT * FROM VALUES (1, 'o1'), (2, 'o2') AS v(key, old_value);
-- name: seed, evolution table row 3, off: new_value is not in the table
MERGE INTO c t USING other s ON t.key = s.key WHEN MATCHED THEN UPDATE SET new_value = s.new_value;
-- name: seed, evolution table row 3, on: old_value kept; rows that do not match have new_value NULL
MERGE WITH SCHEMA EVOLUTION INTO c t USING other s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET new_value = s.new_value;
SELECT * FROM c;

CREATE TABLE d AS SELECT * FROM VALUES (1, 'o1'), (2, 'o2') AS v(key, old_value);
-- name: seed, evolution table row 4, off: new_value is not in the table
MERGE INTO d t USING other s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, new_value) VALUES (s.key, s.new_value);
SET spark.databricks.delta.schema.autoMerge.enabled = true;
-- name: seed, evolution table row 4, on by the session's setting: new rows have old_value NULL, old ones new_value NULL
MERGE INTO d t USING other s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, new_value) VALUES (s.key, s.new_value);
SELECT * FROM d;
