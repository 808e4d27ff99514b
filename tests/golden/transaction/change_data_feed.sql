-- The change data feed of a version that several statements have made.
-- mask: metrics

CREATE TABLE t (id INT, v STRING, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT id, 'old', id % 2 FROM range(6);

-- name: derived for all: a row that came and went is not told
BEGIN ATOMIC
  INSERT INTO t VALUES (10, 'new', 0), (11, 'new', 1);
  DELETE FROM t WHERE id IN (0, 10);
END;
SELECT id, v, p, _change_type, _commit_version FROM table_changes('t', 2) ORDER BY id;
-- name: those that would be derived are written before those that are
BEGIN ATOMIC
  INSERT INTO t VALUES (12, 'new', 0);
  DELETE FROM t WHERE id = 1;
  UPDATE t SET v = 'changed' WHERE id = 2;
END;
SELECT id, v, p, _change_type FROM table_changes('t', 3) ORDER BY id, _change_type DESC;
-- name: and behind them
BEGIN ATOMIC
  UPDATE t SET v = 'twice' WHERE id = 4;
  INSERT INTO t VALUES (13, 'new', 1);
  ALTER TABLE t ADD COLUMN w INT;
  MERGE INTO t USING (SELECT 3 AS id UNION ALL SELECT 14) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p, w) VALUES (s.id, 0, 1);
  DELETE FROM t WHERE id = 2;
END;
-- name: a row is changed once
BEGIN TRANSACTION;
UPDATE t SET v = 'a' WHERE id = 5;
UPDATE t SET v = 'b' WHERE id = 5;
DELETE FROM t WHERE id = 5;
ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableChangeDataFeed');
-- name: only whole versions
SELECT count(*) FROM table_changes('t', 3);
DELETE FROM t WHERE p = 0 AND id < 100;
COMMIT;
SELECT id, v, p, _change_type FROM table_changes('t', 4) ORDER BY id, _change_type DESC;
-- name: files that are written anew hold rows that were not changed
CREATE TABLE c (id INT, v STRING) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO c SELECT /*+ COALESCE(1) */ id, 'old' FROM range(4);
BEGIN ATOMIC INSERT INTO c VALUES (4, 'new'); UPDATE c SET v = 'changed' WHERE id = 1; END;
SELECT id, v, _change_type FROM table_changes('c', 2) ORDER BY id, _change_type DESC;
BEGIN ATOMIC UPDATE c SET v = 'again' WHERE id = 1; DELETE FROM c WHERE id = 2; END;
