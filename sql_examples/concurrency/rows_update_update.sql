-- With deletion vectors, two statements that change different rows of one file both commit; the same row is a conflict.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10), (2, 20), (3, 30);

-- session: update1
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: again1
UPDATE t SET v = v + 1000 WHERE id = 1;

-- session: update2
UPDATE t SET v = v + 100 WHERE id = 2;

-- session: delete1
DELETE FROM t WHERE id = 1;

-- session: merge3
MERGE INTO t USING (VALUES (3, 33), (4, 44) AS q (id, v)) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- session: merge4
MERGE INTO t USING (SELECT 4 AS id, 45 AS v) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- session: copy1
INSERT INTO t SELECT id + 10, v FROM t WHERE id = 1;

-- session: rename2
UPDATE t SET id = 1 WHERE id = 2;

-- check:
SELECT * FROM t;

-- name: other rows
-- schedule: begin update1, begin update2, commit update1, commit update2
-- name: other rows, three writers
-- schedule: begin update2, begin delete1, begin merge3, commit merge3, commit delete1, commit update2
-- name: the same row, changed twice
-- schedule: begin update1, begin again1, commit update1, commit again1
-- name: the same row, deleted before it is changed
-- schedule: begin update1, begin delete1, commit delete1, commit update1
-- name: the same new row, inserted once
-- schedule: begin merge3, begin merge4, commit merge3, commit merge4
-- name: a row that becomes one of the other's
-- schedule: begin update1, begin rename2, commit rename2, commit update1
-- name: a query that reads a row which changes
-- schedule: begin copy1, begin update1, commit update1, commit copy1
-- name: a query that reads other rows
-- schedule: begin copy1, begin update2, commit update2, commit copy1
