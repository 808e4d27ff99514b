-- name: delete
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(20);
DELETE FROM t WHERE id IN (3, 4, 15);
SELECT * FROM t;
DELETE FROM t WHERE id < 5;
SELECT * FROM t;
DELETE FROM t WHERE id < 100;
SELECT * FROM t;
DELETE FROM t;

-- name: update
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(20);
UPDATE t SET v = 'u' WHERE id = 7;
UPDATE t SET v = 'w' WHERE id IN (7, 8);
SELECT * FROM t;
UPDATE t SET id = id + 100;
SELECT * FROM t;

-- name: merge
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(20);
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a'), (2, 'b'), (50, 'c') AS s(id, v)) s ON t.id = s.id WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 17 THEN UPDATE SET v = 'old';
SELECT * FROM t;
MERGE INTO t USING (SELECT 3 AS id UNION ALL SELECT 3) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x';
MERGE INTO t USING (SELECT 3 AS id UNION ALL SELECT 3) s ON t.id = s.id WHEN MATCHED THEN DELETE;
SELECT * FROM t;

-- name: switched on and off
CREATE TABLE t (id INT, v STRING) USING delta;
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(6);
ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
DELETE FROM t WHERE id = 1;
ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false');
DELETE FROM t WHERE id = 2;
UPDATE t SET v = 'u' WHERE id = 3;
SELECT * FROM t;
