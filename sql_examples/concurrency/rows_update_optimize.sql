-- With deletion vectors, compaction and changes of rows do not conflict: rows are found again in the new files, and what
-- was deleted meanwhile is deleted there. Only ZORDER BY, which mixes rows, conflicts where rows are not tracked.
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO t VALUES (3, 30), (4, 40);
DELETE FROM t WHERE id = 4;

-- session: update
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: delete
DELETE FROM t WHERE id = 3;

-- session: compact
OPTIMIZE t;

-- session: order
OPTIMIZE t ZORDER BY (id);

-- session: purge
REORG TABLE t APPLY (PURGE);

-- check:
SELECT * FROM t;

-- schedule: begin update, begin compact, commit compact, commit update
-- schedule: begin update, begin compact, commit update, commit compact
-- schedule: begin update, begin delete, begin compact, commit compact, commit update, commit delete
-- schedule: begin delete, begin purge, commit purge, commit delete
-- schedule: begin delete, begin purge, commit delete, commit purge
-- schedule: begin update, begin order, commit order, commit update
-- schedule: begin update, begin order, commit update, commit order
