-- BEGIN ATOMIC … END: one commit of the files, vectors and change rows that are left in the end.
-- mask: metrics

CREATE TABLE t (id INT, v STRING, s STRUCT<x: INT>) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT /*+ COALESCE(1) */ id, 'old', named_struct('x', id) FROM range(10);
CREATE TABLE source (id INT, v STRING);
INSERT INTO source VALUES (6, 'merged'), (20, 'new');

-- name: rows that come, change and go
BEGIN ATOMIC
  DELETE FROM t WHERE id = 5;
  INSERT INTO t VALUES (10, 'new', NULL), (11, 'new', NULL);
  /* sees the rows before it; */
  UPDATE t SET v = concat(v, ';'), s.x = 100 WHERE id IN (6, 10);
  DELETE FROM `t` WHERE id = 11; -- END
END;
SELECT * FROM t ORDER BY id;
-- name: a file that goes, of which rows had gone
BEGIN ATOMIC
  DELETE FROM t WHERE id = 0;
  MERGE INTO t USING source ON t.id = source.id WHEN MATCHED THEN UPDATE SET v = source.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (source.id, source.v);
  INSERT OVERWRITE t SELECT /*+ COALESCE(1) */ * FROM t WHERE id > 5;
END
;
SELECT id, v FROM t ORDER BY id;
-- name: the last one is a query
begin atomic
  TRUNCATE TABLE t;
  INSERT INTO t (id) VALUES (1), (2);
  INSERT INTO t REPLACE WHERE id = 2 SELECT id, 'replaced' AS v, NULL AS s FROM source WHERE false;
  SELECT id, (SELECT count(*) FROM source) AS n, (SELECT count(*) FROM t VERSION AS OF 1) AS before FROM t;
END;
-- name: what cancels out is no version
BEGIN ATOMIC INSERT INTO t (id) VALUES (7); DELETE FROM t WHERE id = 7; END;
BEGIN ATOMIC SELECT 1; END;
BEGIN ATOMIC SET deltasql.retry.maxAttempts = 5; END;
-- name: any error undoes all
BEGIN ATOMIC
  INSERT INTO t (id) VALUES (7);
  ALTER TABLE t ADD COLUMN w INT;
  UPDATE t SET w = 1 / (id - 7);
END;
BEGIN ATOMIC
  INSERT INTO t (id) VALUES (7);
  SELECT assert_true(count(*) = 1, 'one row only') FROM t;
END;
BEGIN ATOMIC INSERT INTO t (id) VALUES (7); INSERT INTO source VALUES (7, 'x'); END;
BEGIN ATOMIC INSERT INTO t (id) VALUES (7); OPTIMIZE t; END;
BEGIN ATOMIC INSERT INTO t (id) VALUES (7); UPDATE missing SET a = 1; END;
BEGIN ATOMIC INSERT INTO t (id) VALUES (7); UPDATE t SET nothing = 1; END;
SELECT id FROM t ORDER BY id;
-- name: identity and generated columns count on
CREATE TABLE i (id BIGINT GENERATED ALWAYS AS IDENTITY, v INT, double INT GENERATED ALWAYS AS (v * 2));
BEGIN ATOMIC INSERT INTO i (v) VALUES (1); INSERT INTO i (v) VALUES (2); UPDATE i SET v = 3 WHERE v = 2; END;
INSERT INTO i (v) VALUES (4);
SELECT * FROM i ORDER BY id;
