-- expect: no jvm

-- log: off
CREATE TABLE t (id INT, s STRUCT<a: INT, b: INT>, `odd-name` STRING);
-- name: plain; a key alone
ALTER TABLE t SET TAGS ('team' = 'sales', 'pii', 'cost center' = 'it''s');
-- name: another value; quoted, upper case, comments
-- log: off
alter table `T` set /* its */ tags ('team' = 'research'); -- done
-- name: of columns: nested, quoted
ALTER TABLE t ALTER COLUMN s.a SET TAGS ('pii' = 'no');
-- log: off
ALTER TABLE t CHANGE COLUMN `odd-name` SET TAGS ('pii' = 'yes', 'seen');
-- name: the other form
-- log: off
SET TAG ON TABLE t owner = grace;
set tag on /* a */ column spark_catalog.default.t.`odd-name` `Cost Center` = 'x';
-- log: off
SET TAG ON COLUMN t.id pii;
-- name: of a schema
ALTER SCHEMA default SET TAGS ('level' = '1', 'mine');
SET TAG ON DATABASE default stage = prod;
DESCRIBE SCHEMA EXTENDED default;
-- name: what is shown
DESCRIBE EXTENDED t;
DESCRIBE EXTENDED t AS JSON;
SHOW TBLPROPERTIES t;
-- log: off
CREATE TABLE copy LIKE t;
-- name: a copy has none
DESCRIBE EXTENDED copy;
-- log: off
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- log: off
ALTER TABLE t RENAME COLUMN `odd-name` TO even;
-- log: off
ALTER TABLE t DROP COLUMN s.a;
-- name: they follow a rename, and go with their column
DESCRIBE EXTENDED t;
-- log: off
CREATE OR REPLACE TABLE t (id INT);
-- name: a table that is replaced keeps them
DESCRIBE EXTENDED t;
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS id;
ALTER TABLE v SET TAGS ('a');
ALTER VIEW v SET TAGS ('a');
-- name: explained
EXPLAIN ALTER TABLE t SET TAGS ('a' = 'b');
-- name: still a setting
SET tag = x;
