-- OPTIMIZE and appends never conflict: it changes no rows, and what came later stays in a file of its own.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10);
INSERT INTO t VALUES (2, 20);

-- session: I
INSERT INTO t VALUES (3, 30);

-- session: O
OPTIMIZE t;

-- check:
SELECT * FROM t;

-- schedule: begin I, begin O, commit I, commit O
-- schedule: begin I, begin O, commit O, commit I
