-- Several changes of one column in one ALTER COLUMN.
-- expect: no jvm
CREATE TABLE t (id INT, `a b` STRING, nested STRUCT<x: INT, y: STRING>)
TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO t VALUES (1, 'one', NULL);
-- name: a type and a comment
ALTER TABLE t ALTER COLUMN id TYPE BIGINT COMMENT 'wider';
alter table `t` change column `a b` comment 'text ' "of two strings" first; -- in another order
DESCRIBE t;
-- name: nested, and several columns
ALTER TABLE t ALTER COLUMN nested.x TYPE BIGINT COMMENT 'inner' AFTER y, id COMMENT 'key' AFTER `a b`;
DESCRIBE t;
SELECT * FROM t;
-- name: a table with joined comments
CREATE TABLE joined (a INT COMMENT 'x' 'y') COMMENT "first " 'second';
DESCRIBE joined;
ALTER TABLE joined ADD COLUMN b INT COMMENT 'p' 'q';
DESCRIBE joined;
CREATE SCHEMA s COMMENT 'x ' 'y';
DESCRIBE SCHEMA s;
-- name: wrong, the same change twice
ALTER TABLE t ALTER COLUMN id COMMENT 'a' TYPE BIGINT COMMENT 'b';
ALTER TABLE t ALTER COLUMN id COMMENT 'a' DROP;
ALTER TABLE t ALTER COLUMN missing TYPE BIGINT COMMENT 'b';
