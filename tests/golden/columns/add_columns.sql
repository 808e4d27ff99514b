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

-- name: wrong, no such table
ALTER TABLE tt ADD COLUMN a INT;
-- name: wrong, the name is taken
ALTER TABLE t ADD COLUMN A INT;
-- name: wrong, the nested name is taken
ALTER TABLE t ADD COLUMN s.X INT;
-- name: wrong, twice in one statement
ALTER TABLE t ADD COLUMNS (n INT, N STRING);
-- name: wrong, no such parent
ALTER TABLE t ADD COLUMN nothing.n INT;
-- name: wrong, the parent is no struct
ALTER TABLE t ADD COLUMN id.n INT;
-- name: seed, arrays are not entered by name
ALTER TABLE t ADD COLUMN list.n INT;
-- name: seed, maps are not entered by name
ALTER TABLE t ADD COLUMN m.n INT;
-- name: wrong, AFTER a column that is not there
ALTER TABLE t ADD COLUMN n INT AFTER idd;
-- name: wrong, AFTER a column of another struct
ALTER TABLE t ADD COLUMN s.n INT AFTER id;
-- name: wrong, NOT NULL
ALTER TABLE t ADD COLUMN n INT NOT NULL;
-- name: wrong, DEFAULT
ALTER TABLE t ADD COLUMN n INT DEFAULT 5;
-- name: wrong, a character that files cannot hold
ALTER TABLE t ADD COLUMN `a b` INT;
-- name: wrong, a reserved name
ALTER TABLE t ADD COLUMN _change_type STRING;
-- name: wrong, no such type
ALTER TABLE t ADD COLUMN n INTT;
-- name: wrong, an unsupported type
ALTER TABLE t ADD COLUMN n INTERVAL DAY TO SECOND;
-- name: wrong, decimal precision
ALTER TABLE t ADD COLUMN n DECIMAL(39, 0);
-- name: wrong, a word too many
ALTER TABLE t ADD COLUMN IF NOT EXISTS n INT;
-- name: a type that needs a table feature
ALTER TABLE t ADD COLUMN ts TIMESTAMP_NTZ;
