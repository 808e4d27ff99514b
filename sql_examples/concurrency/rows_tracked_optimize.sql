-- Where rows are tracked, they are found again wherever ZORDER BY puts them: OPTIMIZE conflicts with no change of rows.
-- levels: WriteSerializable
-- log: off

CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}', 'delta.enableRowTracking' = 'true');
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO t VALUES (3, 30), (4, 40);

-- session: update
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: order
OPTIMIZE t ZORDER BY (id);

-- check:
SELECT *, _metadata.row_id FROM t;

-- schedule: begin update, begin order, commit order, commit update
-- schedule: begin update, begin order, commit update, commit order
