-- expect: no jvm

-- name: wrong, without column mapping
-- log: off
CREATE TABLE plain (a INT, b INT);
-- log: off
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT, y: STRUCT<p: INT, q: INT>, z: INT>, list ARRAY<STRUCT<e: INT, f: INT>>, m MAP<STRING, STRUCT<v: INT, w: INT>>, `odd.name` INT, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: plain
ALTER TABLE t DROP COLUMN a;
-- name: several, nested, in an array and in a map
ALTER TABLE t DROP COLUMNS (b, s.y.p, list.element.e, m.value.v);
-- name: quoted, upper case, comments
alter /* a table */ TABLE T drop COLUMN `odd.name` -- done
;
-- name: without parentheses, names in other case
ALTER TABLE t DROP COLUMNS S.X, S.y;
-- name: IF EXISTS
ALTER TABLE t DROP COLUMN IF EXISTS nothing;
ALTER TABLE t DROP COLUMNS IF EXISTS (nothing, s.nothing, m);
DESCRIBE TABLE t;
-- name: a column of the same name is another one
ALTER TABLE t ADD COLUMN a STRING;

-- name: wrong, no such table
ALTER TABLE tt DROP COLUMN a;
-- name: wrong, no such column
ALTER TABLE t DROP COLUMN dayy;
-- name: wrong, no such field
ALTER TABLE t DROP COLUMN s.zz;
-- name: wrong, one of several is missing
ALTER TABLE t DROP COLUMNS (a, nothing);
-- name: wrong, twice
ALTER TABLE t DROP COLUMNS (a, A);
-- name: wrong, a partition column
ALTER TABLE t DROP COLUMN day;
-- name: wrong, the only field of its struct
ALTER TABLE t DROP COLUMN s.z;
-- name: wrong, the element of an array
ALTER TABLE t DROP COLUMN list.element;
-- name: wrong, all columns that are left
-- log: off
CREATE TABLE one (a INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE one DROP COLUMN a;
-- name: wrong, a clustering column
-- log: off
CREATE TABLE c (a INT, b INT) CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE c DROP COLUMN a;
-- name: wrong, a constraint needs it
-- log: off
ALTER TABLE c ADD CONSTRAINT positive CHECK (b > 0);
ALTER TABLE c DROP COLUMN b;
-- name: wrong, a generated column needs it
-- log: off
CREATE TABLE g (a INT, b INT GENERATED ALWAYS AS (a + 1), c INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE g DROP COLUMN a;
-- name: the generated column itself
ALTER TABLE g DROP COLUMN b;
