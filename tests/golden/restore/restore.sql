-- expect: no jvm

CREATE TABLE t (a INT, s STRUCT<x: INT>) TBLPROPERTIES ('own' = '1');
ALTER TABLE t ADD COLUMNS (b STRING, s.y INT);
ALTER TABLE t SET TBLPROPERTIES ('own' = '2', 'delta.enableChangeDataFeed' = 'true');
-- name: schema and properties
RESTORE TABLE t TO VERSION AS OF 0;
DESCRIBE TABLE t;
SHOW TBLPROPERTIES t;
-- name: forwards again; quoted, lower case, a comment, without TABLE and TO
restore `t` -- this one
  version as of 2;
-- name: FOR, and another word for it
RESTORE t TO FOR SYSTEM_VERSION AS OF '1';
-- name: the newest version: nothing happens
RESTORE t TO VERSION AS OF 5;
-- name: what it would do
EXPLAIN RESTORE t TO VERSION AS OF 0;
-- name: wrong, before the first version
RESTORE t TO TIMESTAMP AS OF '1999-12-31';
