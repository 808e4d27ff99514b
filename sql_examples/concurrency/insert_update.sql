-- An append while an UPDATE runs. Under WriteSerializable both commit, as if the UPDATE had come first, and the new row
-- keeps its value; Serializable wants the order of the history, in which the UPDATE should have seen the row.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10), (2, 20);

-- session: I
INSERT INTO t VALUES (1, 11);

-- session: U
UPDATE t SET v = v + 100 WHERE id = 1;

-- check:
SELECT * FROM t;

-- name: the append first
-- schedule: begin U, begin I, commit I, commit U
-- name: an append never loses
-- schedule: begin U, begin I, commit U, commit I
