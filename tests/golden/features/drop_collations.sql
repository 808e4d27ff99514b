-- expect: no jvm

CREATE TABLE names (id INT, name STRING, tags ARRAY<STRING>, m MAP<STRING, STRING>, s STRUCT<x: STRING COLLATE UNICODE, `y z`: ARRAY<STRUCT<k: STRING>>>) DEFAULT COLLATION UTF8_LCASE TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: wrong, some still have one
ALTER TABLE names ALTER COLUMN name TYPE STRING, m.value TYPE STRING COLLATE UTF8_BINARY, tags.element TYPE STRING;
ALTER TABLE default.names drop feature 'COLLATIONS';
ALTER TABLE names ALTER COLUMN s.x TYPE STRING, s.`y z`.element.k TYPE STRING;
-- name: it goes, and the default collation before it
EXPLAIN ALTER TABLE names DROP FEATURE collations;
alter table spark_catalog.default.`names` drop feature /* bytes */ `collations`;
-- name: a new column has none
ALTER TABLE names ADD COLUMN more STRING;
DESCRIBE names;
-- name: wrong, it is gone
ALTER TABLE names DROP FEATURE collations;
-- name: a new one brings it back
ALTER TABLE names ADD COLUMN again STRING COLLATE UNICODE_CI;
-- name: the feature of the preview
CREATE TABLE early (a STRING COLLATE UNICODE) TBLPROPERTIES ('delta.feature.collations-preview' = 'supported');
ALTER TABLE early DROP FEATURE `collations-preview`;
ALTER TABLE early ALTER COLUMN a TYPE STRING;
ALTER TABLE early DROP FEATURE `collations-preview`;
ALTER TABLE early DROP FEATURE domainMetadata;
