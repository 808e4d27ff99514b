-- Tags of the columns of views, which ALTER TABLE sets as well as SET TAG ON COLUMN.
-- expect: no jvm

CREATE TABLE t (id INT, s STRUCT<a: INT>);
CREATE VIEW v AS SELECT id, s, id AS `odd-name` FROM t;
-- name: set
ALTER TABLE v ALTER COLUMN ID SET TAGS ('pii' = 'yes', 'unit', 'api_token' = 'hush');
SET TAG ON COLUMN default.v.`odd-name` stage = raw;
ALTER VIEW v SET TAGS ('team' = 'sales');
SELECT table_name, column_name, tag_name, tag_value FROM information_schema.column_tags;
DESCRIBE EXTENDED v;
DESCRIBE EXTENDED v AS JSON;
SHOW TBLPROPERTIES v;
-- name: unset
ALTER TABLE v ALTER COLUMN id UNSET TAGS ('unit', 'absent');
UNSET TAG ON COLUMN v.`odd-name` stage;
SELECT table_name, column_name, tag_name, tag_value FROM information_schema.column_tags;
-- name: another query keeps them
ALTER VIEW v AS SELECT s, id FROM t;
SELECT table_name, column_name, tag_name, tag_value FROM information_schema.column_tags;
-- name: those of a column that is gone are not shown
ALTER VIEW v AS SELECT s FROM t;
SELECT table_name, column_name, tag_name, tag_value FROM information_schema.column_tags;
ALTER VIEW v AS SELECT id FROM t;
-- name: wrong
ALTER TABLE v ALTER COLUMN absent SET TAGS ('a' = 'b');
SET TAG ON COLUMN v.id pii = no;
UNSET TAG ON COLUMN v.id unit;
CREATE TEMPORARY VIEW mine AS SELECT 1 AS id;
ALTER TABLE mine ALTER COLUMN id SET TAGS ('a' = 'b');
CREATE VIEW w AS SELECT s FROM t;
ALTER TABLE w ALTER COLUMN s.a SET TAGS ('a' = 'b');
ALTER TABLE information_schema.tables ALTER COLUMN table_name SET TAGS ('a' = 'b');
