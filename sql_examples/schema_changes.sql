-- Explicit schema changes: add, alter and replace columns.
-- ALTER TABLE writes metadata only: no file is read or written, and no Spark is started for this script.
-- Look at "schema change" in the output.
-- expect: no jvm
-- log: off

CREATE TABLE boxes (colA STRING, colB STRUCT<field1: STRING, field2: STRING>);

-- name: add a field inside a struct
-- The path names the struct; AFTER names a sibling. New columns are nullable: old rows have NULL there.
ALTER TABLE boxes ADD COLUMNS (colB.nested STRING AFTER field1);

-- name: add columns at places, with comments
ALTER TABLE boxes ADD COLUMNS (id BIGINT FIRST, colC INT COMMENT 'how many' AFTER colA, colD DATE);

-- name: names are compared without regard to case
ALTER TABLE boxes ADD COLUMNS (COLA INT);

-- name: a parent must exist
ALTER TABLE boxes ADD COLUMNS (colX.field STRING);

-- name: AFTER must name a sibling
ALTER TABLE boxes ADD COLUMNS (colE STRING AFTER field1);

-- name: change a comment
ALTER TABLE boxes ALTER COLUMN colC COMMENT 'pieces in the box';

-- name: change the order
ALTER TABLE boxes ALTER COLUMN colD FIRST;

-- name: change the order inside a struct
ALTER TABLE boxes ALTER COLUMN colB.field2 FIRST;

-- name: a type can be changed by writing the table anew only; see replace_table.sql
ALTER TABLE boxes ALTER COLUMN colC TYPE STRING;

-- name: what the table looks like now
DESCRIBE TABLE boxes;

-- Replacing the columns: those that are not listed would go, which needs column mapping (rename_and_drop.sql), but the
-- order may change and columns may come.
CREATE TABLE crates (colA STRING, colB STRUCT<field1: STRING, field2: STRING>);

-- name: replace the columns
ALTER TABLE crates REPLACE COLUMNS (colC STRING, colB STRUCT<field2: STRING, nested: STRING, field1: STRING>, colA STRING);

DESCRIBE TABLE crates;
