-- Keys, policies, views and refreshed tables as DESCRIBE … AS JSON tells programs of them.
-- mask: /"size_in_bytes":\d+/

CREATE TABLE owners (id INT NOT NULL, `odd-name` STRING NOT NULL, CONSTRAINT owners_pk PRIMARY KEY (id, `odd-name`));
CREATE TABLE t (
  id INT NOT NULL, owner INT, name STRING, region STRING,
  CONSTRAINT t_pk PRIMARY KEY (id TIMESERIES), CONSTRAINT t_owner FOREIGN KEY (owner, name) REFERENCES owners
);
CREATE FUNCTION hidden(name STRING, region STRING) RETURNS STRING RETURN 'x';
CREATE FUNCTION seen(region STRING) RETURNS BOOLEAN RETURN true;
-- name: keys
DESCRIBE EXTENDED t AS JSON;
-- name: a row filter, masks with and without other columns, an owner
ALTER TABLE t SET ROW FILTER seen ON (region);
ALTER TABLE t ALTER COLUMN name SET MASK hidden USING COLUMNS (region);
ALTER TABLE t ALTER COLUMN region SET MASK seen;
ALTER TABLE t OWNER TO `ada@example.com`;
DESCRIBE EXTENDED t AS JSON;
SELECT filter_catalog, filter_schema, filter_name, target_columns FROM information_schema.row_filters;
SELECT column_name, mask_catalog, mask_schema, mask_name, using_columns FROM information_schema.column_masks;
-- name: views
CREATE VIEW v (a COMMENT 'first') COMMENT 'some' TBLPROPERTIES ('k' = 'v') AS (SELECT 1);
DESCRIBE EXTENDED v AS JSON;
CREATE TEMPORARY VIEW mine AS SELECT 1 AS a;
DESCRIBE EXTENDED mine AS JSON;
DESCRIBE EXTENDED information_schema.catalog_tags AS JSON;
-- name: refreshed tables
CREATE STREAMING TABLE s AS SELECT id, name FROM STREAM t;
DESCRIBE EXTENDED s AS JSON;
-- name: no such table
DESCRIBE EXTENDED absent AS JSON;
