-- Renaming and dropping columns, without rewriting a file.
-- With column mapping a column's name in the files stands apart from its name in the schema. It is switched on per
-- table, once; readers must then know of it, which the protocol in the log tells them.

CREATE TABLE boxes (colA STRING, colB STRUCT<field1: STRING, field2: STRING>, colC INT);

INSERT INTO boxes VALUES ('a', named_struct('field1', 'b1', 'field2', 'b2'), 3);

-- name: without column mapping it is refused, with advice
ALTER TABLE boxes RENAME COLUMN colB.field1 TO field001;

-- name: column mapping: each field gets an id and a physical name
ALTER TABLE boxes SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');

-- log: off
-- name: rename a nested field
ALTER TABLE boxes RENAME COLUMN colB.field1 TO field001;

-- log: off
-- name: rename a column
ALTER TABLE boxes RENAME COLUMN colC TO pieces;

-- name: old rows under new names
SELECT * FROM boxes;

-- log: off
-- name: drop a field
ALTER TABLE boxes DROP COLUMN colB.field2;

-- log: off
-- name: drop several columns at once
ALTER TABLE boxes DROP COLUMNS (colA, pieces);

SELECT * FROM boxes;

-- log: off
-- name: the same name again is another column: what was dropped does not come back
ALTER TABLE boxes ADD COLUMN colA STRING;

SELECT * FROM boxes;

-- name: as it was before all that
SELECT * FROM boxes@v1;
