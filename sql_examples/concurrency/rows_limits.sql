-- What makes the files decide, not the rows: conditions on structs, arrays or maps, and a second look at the table.
-- levels: WriteSerializable
-- log: off

CREATE TABLE t (id INT, v INT, s STRUCT<k: INT>) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.isolationLevel' = '${LEVEL}');
INSERT INTO t VALUES (1, 10, named_struct('k', 1)), (2, 20, named_struct('k', 2));
CREATE TABLE wanted (id INT);
INSERT INTO wanted VALUES (2);

-- session: plain
UPDATE t SET v = v + 100 WHERE id = 1;

-- session: nested
UPDATE t SET v = v + 100 WHERE s.k = 2;

-- session: highest
DELETE FROM t WHERE id IN (SELECT max(id) FROM t);

-- session: correlated
DELETE FROM t WHERE EXISTS (SELECT 1 FROM wanted AS w WHERE w.id = t.id);

-- session: listed
DELETE FROM t WHERE id IN (SELECT id FROM wanted);

-- check:
SELECT * FROM t;

-- name: a field of a struct
-- schedule: begin plain, begin nested, commit plain, commit nested
-- name: a sub-query on the table itself
-- schedule: begin plain, begin highest, commit plain, commit highest
-- name: a sub-query that depends on the row
-- schedule: begin plain, begin correlated, commit plain, commit correlated
-- name: a sub-query that is the same for all rows is no obstacle
-- schedule: begin plain, begin listed, commit plain, commit listed
