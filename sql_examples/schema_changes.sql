-- Explicit schema changes.
-- ALTER TABLE writes metadata only: no file is read or written, and no Spark is started for this script.
-- expect: no jvm

CREATE TABLE boxes (colA STRING, colB STRUCT<field1: STRING, field2: STRING>);

-- name: a column at the end
-- Look at "schema change": new columns are nullable, so that old rows have NULL there.
ALTER TABLE boxes ADD COLUMNS (colC INT COMMENT 'how many');

-- name: a column at a place
ALTER TABLE boxes ADD COLUMNS (id BIGINT FIRST, colD DATE AFTER colA);

-- name: a field inside a struct
-- The path names the struct; AFTER names a sibling.
ALTER TABLE boxes ADD COLUMNS (colB.nested STRING AFTER field1);

-- name: two columns at once, one of them nested
ALTER TABLE boxes ADD COLUMNS (colB.field0 STRING FIRST, label STRING COMMENT 'as printed');

-- name: names are compared without regard to case
ALTER TABLE boxes ADD COLUMNS (COLA INT);

-- name: a parent must exist
ALTER TABLE boxes ADD COLUMNS (colX.field STRING);

-- name: AFTER must name a sibling
ALTER TABLE boxes ADD COLUMNS (colE STRING AFTER field1);

-- name: what the table looks like now
DESCRIBE TABLE boxes;

-- name: replacing, reordering and renaming columns come with CREATE OR REPLACE TABLE
-- See replace_table.sql; this statement is refused, and tells what would be right here.
ALTER TABLE boxes RENAME COLUMN colC TO pieces;
