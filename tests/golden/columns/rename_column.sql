-- expect: no jvm

-- name: wrong, without column mapping
-- log: off
CREATE TABLE plain (a INT, b INT);
-- log: off
CREATE TABLE t (id INT, a INT COMMENT 'first', s STRUCT<x: INT, y: STRUCT<p: INT>>, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'a,s.x');
-- name: plain; the comment stays, the property follows
ALTER TABLE t RENAME COLUMN a TO b;
-- name: nested
ALTER TABLE t RENAME COLUMN s.y.p TO q;
-- name: a struct with its fields
ALTER TABLE t RENAME COLUMN s TO struct;
-- name: in an array and in a map
-- log: off
CREATE TABLE n (list ARRAY<STRUCT<e: INT>>, m MAP<STRING, STRUCT<v: INT>>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE n RENAME COLUMN list.element.e TO f;
ALTER TABLE n RENAME COLUMN m.value.v TO w;
-- name: quoted, upper case, comments
alter /* a table */ TABLE T rename COLUMN `b` to `b ``and`` c.d` -- done
;
-- name: only the case
ALTER TABLE t RENAME COLUMN id TO ID;
-- name: a partition column
ALTER TABLE t RENAME COLUMN day TO on_day;
DESCRIBE TABLE t;
SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns');

-- name: wrong, no such table
ALTER TABLE tt RENAME COLUMN id TO b;
-- name: wrong, no such column
ALTER TABLE t RENAME COLUMN idd TO b;
-- name: wrong, no such field
ALTER TABLE t RENAME COLUMN struct.xx TO b;
-- name: wrong, what an array or a map holds has no name
ALTER TABLE n RENAME COLUMN list.element TO x;
ALTER TABLE n RENAME COLUMN m.key TO x;
-- name: wrong, the name is taken
ALTER TABLE t RENAME COLUMN id TO STRUCT;
-- name: wrong, the field's name is taken
ALTER TABLE t RENAME COLUMN struct.x TO Y;
-- name: wrong, a constraint needs it
-- log: off
ALTER TABLE t ADD CONSTRAINT positive CHECK (struct.x > 0);
ALTER TABLE t RENAME COLUMN struct.x TO z;
ALTER TABLE t RENAME COLUMN struct TO z;
-- name: wrong, a generated column needs it
-- log: off
CREATE TABLE g (a INT, b INT GENERATED ALWAYS AS (a + 1)) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE g RENAME COLUMN a TO c;
-- name: the generated column itself
ALTER TABLE g RENAME COLUMN b TO c;
-- name: a clustering column
-- log: off
CREATE TABLE c (a INT, b INT) CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
ALTER TABLE c RENAME COLUMN a TO c;
SHOW CREATE TABLE c;
