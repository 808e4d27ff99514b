-- OPTIMIZE and statements that rewrite its files conflict at either level, whoever is first. The rows would allow both.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10);
INSERT INTO t VALUES (2, 20);

-- session: U
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: O
OPTIMIZE t;

-- check:
SELECT * FROM t;

-- schedule: begin U, begin O, commit U, commit O
-- schedule: begin U, begin O, commit O, commit U
