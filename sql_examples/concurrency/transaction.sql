-- A block of statements while others write other rows, and the same ones.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}', 'delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ id, id FROM range(6);

-- session: T
BEGIN ATOMIC
  UPDATE t SET v = v + 10 WHERE id = 1;
  DELETE FROM t WHERE id = 2;
  INSERT INTO t VALUES (7, 70);
END;

-- session: U
UPDATE t SET v = v + 100 WHERE id = 3;

-- session: D
DELETE FROM t WHERE id = 2;

-- check:
SELECT * FROM t;

-- name: another row of the same file
-- schedule: begin T, begin U, commit U, commit T
-- name: a row that the block deletes
-- schedule: begin T, begin D, commit D, commit T
-- name: the block first
-- schedule: begin T, begin D, begin U, commit T, commit U, commit D
