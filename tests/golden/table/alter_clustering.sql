-- expect: no jvm

CREATE TABLE t (id INT, name STRING, s STRUCT<x: INT, y: BOOLEAN>, list ARRAY<INT>, `odd.name` DATE);
-- name: NONE of a table that was never clustered
ALTER TABLE t CLUSTER BY NONE;
-- name: plain: the table feature comes with it
ALTER TABLE t CLUSTER BY (id);
-- name: nested, two of them
ALTER TABLE t CLUSTER BY (s.x, name);
-- name: quoted, in other case, comments
alter /* a table */ TABLE T cluster BY (`odd.name`, S.X) -- done
;
DESCRIBE DETAIL t;
-- name: the same again
ALTER TABLE t CLUSTER BY (`odd.name`, s.x);
-- name: automatic
ALTER TABLE t CLUSTER BY AUTO;
-- name: none any more
ALTER TABLE t CLUSTER BY NONE;
SHOW CREATE TABLE t;
-- name: wrong, too many
CREATE TABLE many (a INT, b INT, c INT, d INT, e INT);
ALTER TABLE many CLUSTER BY (a, b, c, d, e);
-- name: wrong, a column without statistics
CREATE TABLE few (a INT, b INT) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'a');
ALTER TABLE few CLUSTER BY (b);
-- name: wrong, a table with partitions
CREATE TABLE p (a INT, b INT) PARTITIONED BY (b);
ALTER TABLE p CLUSTER BY (a);
