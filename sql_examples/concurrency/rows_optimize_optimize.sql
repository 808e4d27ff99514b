-- With deletion vectors, a compaction that finds its files compacted already has nothing left to do; with ZORDER BY the
-- second conflicts.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10);
INSERT INTO t VALUES (2, 20);

-- session: compact
OPTIMIZE t;

-- session: again
OPTIMIZE t;

-- session: order
OPTIMIZE t ZORDER BY (id);

-- check:
SELECT * FROM t;

-- schedule: begin compact, begin again, commit compact, commit again
-- schedule: begin compact, begin order, commit compact, commit order
-- schedule: begin compact, begin order, commit order, commit compact
