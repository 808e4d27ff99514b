-- expect: no jvm

-- name: columns, elements, values of maps and fields
CREATE TABLE names (id INT, name STRING COLLATE utf8_lcase NOT NULL COMMENT 'any case', tags ARRAY<STRING COLLATE unicode_ci>, m MAP<STRING, STRING COLLATE de_ci>, s STRUCT<x: STRING COLLATE UNICODE, y: STRING>);
DESCRIBE names;
SHOW CREATE TABLE names;
-- name: new columns
ALTER TABLE names ADD COLUMNS (city STRING COLLATE `UNICODE_AI` AFTER id, s.z STRING COLLATE UTF8_LCASE);
-- name: another collation, and none
ALTER TABLE names ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI;
alter table names change column CITY city string /* bytes */ collate utf8_binary;
ALTER TABLE names ALTER COLUMN tags.element TYPE STRING, s.x TYPE STRING COLLATE de_CI;
-- name: the one that it has
ALTER TABLE names ALTER COLUMN name TYPE STRING COLLATE unicode_ci;
-- name: a name keeps it
ALTER TABLE names SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE names RENAME COLUMN name TO `full name`;
-- name: copies of the definition
CREATE TABLE copied LIKE names;
DESCRIBE copied;
