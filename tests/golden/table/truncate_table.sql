CREATE TABLE t AS SELECT * FROM VALUES (1), (2) AS v(id);
-- name: plain
TRUNCATE TABLE t;
SELECT * FROM t;
-- name: an empty table stays as it is
truncate table `default`.t;
-- name: wrong, append-only
ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = true);
TRUNCATE TABLE t;
