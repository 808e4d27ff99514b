-- expect: no jvm
-- The settings that make DELETE, UPDATE and MERGE rewrite files in a table with deletion vectors.

CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');

-- name: a deletion vector, as usual
DELETE FROM t WHERE id = 6;

SET spark.databricks.delta.delete.deletionVectors.persistent = false;
-- name: DELETE rewrites the file, whose rows were marked before
DELETE FROM t WHERE id = 5;
-- name: UPDATE does not
UPDATE t SET v = 'x' WHERE id = 4;

SET spark.databricks.delta.update.deletionVectors.persistent = false;
-- name: UPDATE rewrites
UPDATE t SET v = 'y' WHERE id = 3;
-- name: MERGE does not
MERGE INTO t USING (SELECT * FROM VALUES (1, 'm') AS s (id, v)) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;

SET spark.databricks.delta.merge.deletionVectors.persistent = FALSE;
-- name: MERGE rewrites
MERGE INTO t USING (SELECT * FROM VALUES (2, 'n') AS s (id, v)) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t ORDER BY id;
