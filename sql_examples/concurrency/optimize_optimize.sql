-- Two compactions of the same files: the second finds them gone.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10);
INSERT INTO t VALUES (2, 20);

-- session: A
OPTIMIZE t;

-- session: B
OPTIMIZE t;

-- check:
SELECT * FROM t;

-- schedule: begin A, begin B, commit A, commit B
