-- A column that is added with its mask.
-- log: off

CREATE FUNCTION hide(s STRING) RETURNS STRING RETURN '***';
CREATE FUNCTION hide_of(s STRING, region STRING) RETURNS STRING RETURN if(region = 'US', s, '***');
CREATE TABLE t (id INT, region STRING);
SET deltasql.governance = RECORD;
ALTER TABLE t ADD COLUMN ssn STRING MASK hide;
ALTER TABLE t ADD COLUMNS (phone STRING COMMENT 'x' MASK hide_of USING COLUMNS (region) AFTER id, place STRING, mail STRING MASK default.hide);
SHOW CREATE TABLE t;
SELECT column_name, mask_name, using_columns FROM information_schema.column_masks;
-- name: wrong, and the table is as it was
ALTER TABLE t ADD COLUMN other STRING MASK nothing;
ALTER TABLE t ADD COLUMN other STRING MASK hide_of;
ALTER TABLE t ADD COLUMN other STRING MASK hide_of USING COLUMNS (missing);
ALTER TABLE t ADD COLUMN other STRING MASK;
ALTER TABLE t ADD COLUMN s STRUCT<a: STRING>;
ALTER TABLE t ADD COLUMN s.b STRING MASK hide;
SET deltasql.governance = ERROR;
ALTER TABLE t ADD COLUMN other STRING MASK hide;
SET deltasql.governance = WARN;
ALTER TABLE t ADD COLUMN other STRING MASK hide;
SHOW COLUMNS IN t;
