-- expect: no jvm

-- name: the document's example, before
CREATE TABLE boxes (colA INT, colB STRUCT<field1: STRING, field2: STRING>);
-- name: seed, ADD COLUMNS: colB.nested goes between field1 and field2
ALTER TABLE boxes ADD COLUMNS (colB.nested STRING AFTER field1);

CREATE TABLE t (id INT, s STRUCT<x: INT, y: STRUCT<p: INT>>, list ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<v: INT>>);
-- name: plain, at the end
ALTER TABLE t ADD COLUMN a INT;
-- name: comment, FIRST and AFTER
ALTER TABLE t ADD COLUMNS (b STRING COMMENT 'second' FIRST, c DATE AFTER id, d DECIMAL(10, 2));
-- name: later columns may stand after earlier ones; no parentheses
ALTER TABLE t ADD COLUMNS e INT AFTER a, f INT AFTER e;
-- name: nested, two levels, FIRST and AFTER
ALTER TABLE t ADD COLUMNS (s.y.q INT FIRST, s.z STRING AFTER x);
-- name: into the elements of an array and the values of a map
ALTER TABLE t ADD COLUMNS (list.element.b STRING, m.value.w STRING);
-- name: upper and lower case, comments, names in other case
alter /* the table */ TABLE T aDd ColumnS (S.Y.r int -- at the end
);
-- name: quoted, with a dot
ALTER TABLE `t` ADD COLUMN (`g.h` INT, `s`.`with``tick` INT);
-- name: complex types
ALTER TABLE t ADD COLUMN deep ARRAY<MAP<STRING, STRUCT<k: BIGINT COMMENT 'the key', l: ARRAY<DOUBLE>>>>;
DESCRIBE TABLE t;
