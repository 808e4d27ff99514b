-- log: off

CREATE TABLE t (id INT, name STRING, st STRUCT<a: INT>, list ARRAY<INT>);
INSERT INTO t VALUES (1, 'a', named_struct('a', 1), array(1));
CREATE TEMPORARY VIEW s AS SELECT 1 AS id, 'x' AS name, 5 AS n;
-- name: wrong, no such column in ON, in a condition, in a value
MERGE INTO t USING s ON t.id = s.idd WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND nothing THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.nothing;
-- name: wrong, a name that both sides have
MERGE INTO t USING s ON id = s.id WHEN MATCHED THEN DELETE;
-- name: wrong, no boolean
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.n + 1 THEN DELETE;
-- name: with evolution it is taken for the target's
MERGE WITH SCHEMA EVOLUTION INTO t USING s AS src ON t.id = src.id WHEN MATCHED THEN UPDATE SET src.name = 'by source';
SELECT name FROM t;
-- name: wrong, NOT NULL
CREATE TABLE nn (id INT NOT NULL, name STRING);
MERGE INTO nn USING s ON nn.id = s.id WHEN NOT MATCHED THEN INSERT (name) VALUES (s.name);
-- name: wrong, stray words in conditions
MERGE INTO nn USING s ON nn.id = s.id b WHEN MATCHED THEN DELETE;
MERGE INTO nn USING s ON nn.id = s.id WHEN MATCHED AND s.id = 1 2 THEN UPDATE SET name = 'x';
-- name: append-only: inserts alone are allowed
ALTER TABLE nn SET TBLPROPERTIES ('delta.appendOnly' = true);
MERGE INTO nn USING s ON nn.id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
MERGE INTO nn USING s ON nn.id = s.id WHEN MATCHED THEN DELETE;
