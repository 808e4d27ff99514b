-- A partitioned table with deletion vectors: changes of one partition conflict with each other, compaction with none.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10, 1), (2, 20, 1);
INSERT INTO t VALUES (3, 30, 1);

-- session: update1
UPDATE t SET v = v + 100 WHERE id = 1 AND p = 1;

-- session: update2
UPDATE t SET v = v + 100 WHERE id = 2 AND p = 1;

-- session: compact
OPTIMIZE t;

-- session: order
OPTIMIZE t ZORDER BY (id);

-- check:
SELECT * FROM t;

-- schedule: begin update1, begin update2, commit update1, commit update2
-- schedule: begin update1, begin compact, commit compact, commit update1
-- schedule: begin update1, begin compact, commit update1, commit compact
-- schedule: begin update1, begin order, commit order, commit update1
