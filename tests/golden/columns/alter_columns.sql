-- expect: no jvm

-- name: a table whose columns are read by their names
CREATE TABLE boxes (colA STRING, colB STRUCT<field1: STRING, field2: STRING>, n INT NOT NULL) PARTITIONED BY (n);
-- name: comment
ALTER TABLE boxes ALTER COLUMN colA COMMENT 'first';
-- name: the document's reordering of a nested field
ALTER TABLE boxes ALTER COLUMN colB.field2 FIRST;
-- name: several at once, other words and case
alter table boxes change column COLB.FIELD2 after field1, colB comment 'a struct';
-- name: the Hive form
ALTER TABLE boxes CHANGE COLUMN colA colA STRING COMMENT 'again' AFTER colB;
-- name: NOT NULL of a table without rows, and back
ALTER TABLE boxes ALTER COLUMN colA SET NOT NULL;
ALTER TABLE boxes ALTER COLUMN colA DROP NOT NULL;
-- name: the document's REPLACE COLUMNS
ALTER TABLE boxes REPLACE COLUMNS (colC STRING, colB STRUCT<field1: STRING, nested: STRING, field2: STRING>, colA STRING, n INT);
-- name: RENAME and DROP need column mapping
ALTER TABLE boxes SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: the document's RENAME of a nested field
ALTER TABLE boxes RENAME COLUMN colB.field1 TO field001;
ALTER TABLE boxes RENAME COLUMN colA TO `col a`;
-- name: a partition column
ALTER TABLE boxes RENAME COLUMN n TO number;
-- name: names that are taken or missing
ALTER TABLE boxes RENAME COLUMN nope TO x;
ALTER TABLE boxes DROP COLUMNS (colC, nope);
-- name: several, nested, and only if they exist
ALTER TABLE boxes DROP COLUMNS IF EXISTS (colB.nested, `col a`, nope);
ALTER TABLE boxes ADD COLUMN `col a` INT;
-- name: column mapping is not taken away
DESCRIBE boxes;
