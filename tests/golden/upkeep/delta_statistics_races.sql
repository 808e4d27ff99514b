-- Statistics are computed while others write: what they touched stays as they left it.
-- log: off

CREATE TABLE t (id INT, v ARRAY<INT>) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t VALUES (1, array(1)), (2, NULL);
INSERT INTO t VALUES (3, array());

-- session: A
ANALYZE TABLE t COMPUTE DELTA STATISTICS;

-- session: D
DELETE FROM t WHERE id = 1;

-- session: O
OPTIMIZE t;

-- session: I
INSERT INTO t VALUES (4, NULL);

-- check:
SELECT * FROM t;

-- name: rows are deleted meanwhile
-- schedule: begin A, begin D, commit D, commit A

-- name: the other way round
-- schedule: begin D, begin A, commit A, commit D

-- name: files are put together meanwhile
-- schedule: begin A, begin O, commit O, commit A

-- name: the other way round, with files
-- schedule: begin O, begin A, commit A, commit O

-- name: rows come
-- schedule: begin A, begin I, commit I, commit A
