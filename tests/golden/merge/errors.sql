-- log: off

CREATE TABLE t (id INT, name STRING, st STRUCT<a: INT>, list ARRAY<INT>);
INSERT INTO t VALUES (1, 'a', named_struct('a', 1), array(1));
CREATE TEMPORARY VIEW s AS SELECT 1 AS id, 'x' AS name, 5 AS n;
-- name: wrong, no clause
MERGE INTO t USING s ON t.id = s.id;
-- name: wrong, only the last clause of a kind may lack a condition
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED AND s.n = 5 THEN UPDATE SET name = 'x';
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id) WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE;
-- name: wrong, what a clause cannot see
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id);
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED AND t.id = 1 THEN INSERT (id) VALUES (s.id);
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND s.n = 1 THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = s.name;
-- name: wrong, no such column in ON, in a condition, in a value
MERGE INTO t USING s ON t.id = s.idd WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND nothing THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.nothing;
-- name: wrong, a name that both sides have
MERGE INTO t USING s ON id = s.id WHEN MATCHED THEN DELETE;
-- name: wrong, an aggregate, a sub-query, chance
MERGE INTO t USING s ON t.id = max(s.id) WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND t.id IN (SELECT id FROM s) THEN DELETE;
MERGE INTO t USING s ON t.id = s.id AND rand() > 0.5 WHEN MATCHED THEN DELETE;
-- name: wrong, no boolean
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.n + 1 THEN DELETE;
-- name: wrong, assignments that meet
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'x', NAME = 'y';
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET st = NULL, t.st.a = 1;
-- name: wrong, a part of an array
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET list.element = 1;
-- name: wrong, the target of SET is the source's column
MERGE INTO t USING s AS src ON t.id = src.id WHEN MATCHED THEN UPDATE SET src.name = 'x';
-- name: with evolution it is taken for the target's
MERGE WITH SCHEMA EVOLUTION INTO t USING s AS src ON t.id = src.id WHEN MATCHED THEN UPDATE SET src.name = 'by source';
SELECT name FROM t;
-- name: wrong, INSERT with a column twice, too few values, a nested column
MERGE INTO t USING s AS src ON t.id = src.id WHEN NOT MATCHED THEN INSERT (id, id) VALUES (src.id, src.id);
MERGE INTO t USING s AS src ON t.id = src.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (src.id);
MERGE INTO t USING s AS src ON t.id = src.id WHEN NOT MATCHED THEN INSERT (id, st.a) VALUES (src.id, 1);
-- name: wrong, actions in the wrong clause
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN INSERT *;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *;
-- name: wrong, no such table, in target and source
MERGE INTO tt USING s ON tt.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO t USING ss ON t.id = ss.id WHEN MATCHED THEN DELETE;
-- name: wrong, a version of the target
MERGE INTO t@v1 USING s ON t.id = s.id WHEN MATCHED THEN DELETE;
-- name: wrong, no ON
MERGE INTO t USING s WHEN MATCHED THEN DELETE;
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
-- name: two spellings of one column
MERGE INTO t USING (SELECT 1 AS q) s ON t.id = s.q WHEN NOT MATCHED THEN INSERT (id, ID) VALUES (1, 2);
MERGE INTO t USING (SELECT 1 AS q) s ON t.id = s.q WHEN NOT MATCHED THEN INSERT (`Id`, t.`iD`) VALUES (1, 2);
MERGE INTO t USING (SELECT 1 AS q) s ON t.id = s.q WHEN MATCHED THEN UPDATE SET id = 1, T.ID = 2;
