-- With deletion vectors, rows are told apart. Under Serializable an append conflicts only if it brings a row that the
-- other statement would have changed; under WriteSerializable it never does. An append itself never loses.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10), (2, 20);

-- session: same
INSERT INTO t VALUES (1, 11);

-- session: other
INSERT INTO t VALUES (9, 90);

-- session: update
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: delete
DELETE FROM t WHERE id = 1;

-- session: merge
MERGE INTO t USING (SELECT 9 AS id, 99 AS v) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- session: compact
OPTIMIZE t;

-- check:
SELECT * FROM t;

-- name: a row that the UPDATE would have changed
-- schedule: begin update, begin same, commit same, commit update
-- name: a row that the DELETE would have taken away
-- schedule: begin delete, begin same, commit same, commit delete
-- name: a row that the MERGE would have found
-- schedule: begin merge, begin other, commit other, commit merge
-- name: a row that is no concern of the UPDATE
-- schedule: begin update, begin other, commit other, commit update
-- name: an append never loses
-- schedule: begin update, begin same, commit update, commit same
-- name: two appends
-- schedule: begin same, begin other, commit other, commit same
