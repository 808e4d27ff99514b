-- Two appends never conflict: neither has read what the other writes.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');

-- session: A
INSERT INTO t VALUES (1, 10);

-- session: B
INSERT INTO t VALUES (1, 20);

-- check:
SELECT * FROM t;

-- schedule: begin A, begin B, commit B, commit A
