-- expect: no jvm
-- The information schema tells shallow clones from other tables.
CREATE TABLE s (a INT);
INSERT INTO s VALUES (1);
CREATE TABLE shallow SHALLOW CLONE s;
CREATE TABLE deep DEEP CLONE s;
CREATE TABLE place SHALLOW CLONE s LOCATION '${WAREHOUSE}/place';
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'default' ORDER BY table_name;
-- name: tables that others replace, and a new name
CREATE OR REPLACE TABLE shallow (a INT);
CREATE OR REPLACE TABLE deep SHALLOW CLONE s;
ALTER TABLE deep RENAME TO renamed;
CREATE OR REPLACE TABLE place DEEP CLONE s;
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'default' ORDER BY table_name;
-- name: DESCRIBE says where the files are
DESCRIBE EXTENDED renamed;
