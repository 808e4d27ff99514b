-- Two statements that rewrite one file: the second conflicts at either level, though their rows are not the same.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10), (2, 20);

-- session: A
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: B
DELETE FROM t WHERE id = 2;

-- check:
SELECT * FROM t;

-- schedule: begin A, begin B, commit A, commit B
