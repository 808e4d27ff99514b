-- expect: no jvm

CREATE TABLE t (id INT NOT NULL COMMENT 'the key', s STRUCT<a: INT, b: ARRAY<STRING>>, `odd-name` DECIMAL(5, 1), day DATE) PARTITIONED BY (day) COMMENT 'described' TBLPROPERTIES ('k' = 'v');
-- name: plain
DESCRIBE TABLE t;
-- name: short, lower case, quoted
desc `default`.`T`;
-- name: EXTENDED
DESCRIBE TABLE EXTENDED t;
-- name: FORMATTED
DESCRIBE FORMATTED t;
-- name: one column
DESCRIBE TABLE t id;
-- name: one column, quoted
DESCRIBE t `odd-name`;
-- name: a nested field
DESCRIBE t s.b;
-- name: a version of the past
ALTER TABLE t ADD COLUMN extra INT;
DESCRIBE TABLE t@v0;
-- name: a path
DESCRIBE TABLE delta.`${WAREHOUSE}/t`;
