-- log: off

CREATE TABLE t AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name);
CREATE TEMPORARY VIEW twice AS SELECT * FROM VALUES (1, 'x'), (1, 'y'), (3, 'z'), (3, 'zz') AS v(id, name);
-- name: wrong, two source rows for one target row
MERGE INTO t USING twice s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name;
-- name: wrong, two keys
MERGE INTO t USING (SELECT * FROM twice UNION ALL SELECT 2, 'p' UNION ALL SELECT 2, 'q') s ON t.id = s.id AND length(t.name) = length(s.name)
WHEN MATCHED THEN UPDATE SET *;
-- name: wrong, a DELETE with a condition
MERGE INTO t USING twice s ON t.id = s.id WHEN MATCHED AND s.name <> 'none' THEN DELETE;
-- name: conditions are looked at first: only one of the rows fires
MERGE INTO t USING twice s ON t.id = s.id WHEN MATCHED AND s.name = 'y' THEN UPDATE SET name = s.name;
SELECT * FROM t;
-- name: two rows match, none fires
MERGE INTO t USING twice s ON t.id = s.id WHEN MATCHED AND s.name = 'none' THEN DELETE;
-- name: inserts only: every source row
MERGE INTO t USING twice s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;
-- name: one DELETE without a condition: a row goes once
MERGE INTO t USING twice s ON t.id = s.id AND s.id = 1 WHEN MATCHED THEN DELETE;
SELECT * FROM t;
-- name: the same with an INSERT
MERGE INTO t USING (SELECT * FROM twice UNION ALL SELECT 9, 'n') s ON t.id = s.id
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id = 9 THEN INSERT *;
SELECT * FROM t;
