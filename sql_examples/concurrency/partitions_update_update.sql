-- In a partitioned table the partitions decide: a condition that names its partition does not conflict with changes of
-- another one. One that does not name it may mean them all.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10, 1), (2, 20, 2);
INSERT INTO t VALUES (3, 30, 1);

-- session: first
UPDATE t SET v = v + 100 WHERE id = 1 AND p = 1;

-- session: second
UPDATE t SET v = v + 100 WHERE id = 2 AND p = 2;

-- session: unnamed
UPDATE t SET v = v + 1000 WHERE id = 2;

-- session: insert1
INSERT INTO t VALUES (1, 11, 1);

-- session: compact1
OPTIMIZE t WHERE p = 1;

-- session: merge2
MERGE INTO t USING (SELECT 2 AS id, 22 AS v, 2 AS p) AS s ON t.id = s.id AND t.p = 2
WHEN MATCHED THEN UPDATE SET *;

-- check:
SELECT * FROM t;

-- name: each names its partition
-- schedule: begin first, begin second, commit first, commit second
-- name: one does not
-- schedule: begin first, begin unnamed, commit first, commit unnamed
-- name: MERGE names it by a constant in ON
-- schedule: begin first, begin merge2, commit first, commit merge2
-- name: an append to another partition
-- schedule: begin second, begin insert1, commit insert1, commit second
-- name: an append to the same partition
-- schedule: begin first, begin insert1, commit insert1, commit first
-- name: a compaction of another partition
-- schedule: begin second, begin compact1, commit compact1, commit second
