-- expect: no jvm

CREATE TABLE t (id INT NOT NULL, a INT COMMENT 'first', s STRUCT<x: INT, y: INT>, list ARRAY<STRUCT<e: INT>>, day DATE) PARTITIONED BY (day);
-- name: plain: order, a comment, a column more
ALTER TABLE t REPLACE COLUMNS (a INT COMMENT 'second', id INT NOT NULL, s STRUCT<x: INT, y: INT>, list ARRAY<STRUCT<e: INT>>, day DATE, note STRING);
-- name: nested: order and a field more
ALTER TABLE t REPLACE COLUMNS (a INT COMMENT 'second', id INT NOT NULL, s STRUCT<y: INT, x: INT, z: STRING>, list ARRAY<STRUCT<e: INT, f: INT>>, day DATE, note STRING);
-- name: NULL is allowed from now on; quoted, upper case, comments
alter /* a table */ TABLE T replace COLUMNS (`a` int, ID INT, `s` STRUCT<y: INT, x: INT, z: STRING>, list ARRAY<STRUCT<e: INT, f: INT>>, day DATE, `note` STRING -- done
);
DESCRIBE TABLE t;
-- name: with column mapping a column may go
CREATE TABLE m (a INT, b INT, s STRUCT<x: INT, y: INT>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE m REPLACE COLUMNS (b INT, s STRUCT<x: INT>);
-- name: wrong, one goes and one comes
ALTER TABLE m REPLACE COLUMNS (c INT, s STRUCT<x: INT>);
-- name: a wider type, where the table allows it
CREATE TABLE w (a INT) TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE w REPLACE COLUMNS (a BIGINT);
-- name: wrong, an identity column
CREATE TABLE i (id BIGINT GENERATED ALWAYS AS IDENTITY, a INT);
ALTER TABLE i REPLACE COLUMNS (id BIGINT, a INT);
