-- expect: no jvm

CREATE TABLE t (a TINYINT, `Bc` INT, s STRUCT<x: SMALLINT, y: DECIMAL(5,2)>, arr ARRAY<INT>, m MAP<INT, FLOAT>, d DATE, p TINYINT) PARTITIONED BY (p);
-- name: switched on
ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
-- name: plain, once and again
ALTER TABLE t ALTER COLUMN a TYPE SMALLINT;
ALTER TABLE t ALTER COLUMN a TYPE DECIMAL(12, 2);
-- name: quoted, upper case, comments, the Hive form
alter table T change column `bC` /* wide */ `Bc` BIGINT; -- no digit is lost
-- name: several, nested
ALTER TABLE t ALTER COLUMN s.x TYPE DOUBLE, s.y TYPE DECIMAL(8, 4), arr.element TYPE BIGINT, m.value TYPE DOUBLE, m.key TYPE BIGINT;
-- name: a partition column
ALTER TABLE t ALTER COLUMN p TYPE INT;
-- name: the type that it has is no change
ALTER TABLE t ALTER COLUMN p TYPE INT;
-- name: another comment at the same type is one
ALTER TABLE t CHANGE COLUMN p p INT COMMENT 'the p';
