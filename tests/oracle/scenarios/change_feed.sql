-- name: every kind of change
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(10);
UPDATE t SET v = 'u' WHERE id IN (1, 2);
DELETE FROM t WHERE id = 3;
MERGE INTO t USING (SELECT * FROM VALUES (4, 'm'), (5, 'd'), (50, 'n') AS s(id, v)) s ON t.id = s.id WHEN MATCHED AND s.id = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
INSERT OVERWRITE t SELECT 7, 'o';
DELETE FROM t;
SELECT * FROM t;
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 0);
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 2, 3);
SELECT count(*), min(_commit_version), max(_commit_version) FROM table_changes('t', 1, 100) WHERE _change_type <> 'insert';
SELECT c.id, o.v FROM table_changes('t', 4, 4) AS c JOIN t VERSION AS OF 1 o ON o.id = c.id WHERE c._change_type = 'update_preimage';

-- name: with deletion vectors
CREATE TABLE t (id INT, v STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT cast(id AS INT), 'v' || id, cast(id % 2 AS INT) FROM range(0, 10, 1, 1);
DELETE FROM t WHERE id IN (0, 1, 2);
UPDATE t SET v = 'u', p = 5 WHERE id = 4;
DELETE FROM t WHERE id < 6;
MERGE INTO t USING (SELECT 7 AS id UNION ALL SELECT 70) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 9);
SELECT id, v, p, _change_type, _commit_version FROM table_changes('t', 1);

-- name: columns that came later
CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN v STRING;
INSERT INTO t VALUES (2, 'x');
UPDATE t SET v = 'y' WHERE id = 1;
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 0);

-- name: ranges that cannot be
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SELECT * FROM table_changes('t', 0);
ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (2);
SELECT id, _change_type FROM table_changes('t', 2);
SELECT id, _change_type FROM table_changes('t', 1, 3);
SELECT id, _change_type FROM table_changes('t', 9);
SELECT id, _change_type FROM table_changes('t', 3, 2);
SELECT id, _change_type FROM table_changes('t', NULL);
SELECT id, _change_type FROM table_changes('t');
SELECT id, _change_type FROM table_changes('t', 1, 2, 3);
SELECT id, _change_type FROM table_changes('nope', 1);
SELECT id, _change_type FROM table_changes('t', '2000-01-01', '2001-01-01');
SELECT id, _change_type FROM table_changes('t', '2999-01-01');

-- name: replace where
CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range(6);
INSERT INTO t REPLACE WHERE id > 3 SELECT 4, 'r';
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 2);

-- name: an end that is not there yet
CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (1);
SELECT id, _change_type FROM table_changes('t', 0, '2999-01-01');

-- name: mapped columns
CREATE TABLE t (id INT, v STRING, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y');
UPDATE t SET v = 'c' WHERE id = 1;
DELETE FROM t WHERE p = 'y';
SELECT id, v, p, _change_type, _commit_version FROM table_changes('t', 0);
