-- ALTER of what is not about the rows: comments, tags, clustering, row filters, masks and owners.
-- log: off

CREATE TABLE t (id INT, r STRING);
INSERT INTO t VALUES (1, 'US'), (2, 'NO');
CREATE FUNCTION us(r STRING) RETURNS BOOLEAN RETURN r = 'US';
CREATE FUNCTION hide(r STRING) RETURNS STRING RETURN '***';
CREATE MATERIALIZED VIEW v (id INT NOT NULL, r STRING) AS SELECT id, r FROM t;
CREATE STREAMING TABLE s AS SELECT id, r FROM STREAM(t);
-- name: comments
ALTER MATERIALIZED VIEW v ALTER COLUMN id COMMENT 'x';
alter /* the */ materialized view spark_catalog.default.`V` change r comment 'y';
ALTER STREAMING TABLE s ALTER COLUMN ID COMMENT 'z';
ALTER TABLE v ALTER COLUMN id COMMENT 'w';
ALTER TABLE v ALTER COLUMN id COMMENT 'w', r COMMENT 'q';
DESCRIBE v;
DESCRIBE s;
REFRESH MATERIALIZED VIEW v;
-- name: tags
ALTER MATERIALIZED VIEW v SET TAGS ('a' = 'b', 'c');
ALTER MATERIALIZED VIEW v ALTER COLUMN id SET TAGS ('d' = 'e');
ALTER STREAMING TABLE s ALTER COLUMN r SET TAGS ('f');
SELECT table_name, tag_name, tag_value FROM information_schema.table_tags;
SELECT table_name, column_name, tag_name, tag_value FROM information_schema.column_tags;
ALTER MATERIALIZED VIEW v UNSET TAGS ('c');
ALTER MATERIALIZED VIEW v ALTER COLUMN id UNSET TAGS ('d');
ALTER STREAMING TABLE s ALTER COLUMN r UNSET TAGS ('f');
SELECT table_name, tag_name FROM information_schema.table_tags;
SELECT table_name, tag_name FROM information_schema.column_tags;
-- name: clustering
ALTER STREAMING TABLE s CLUSTER BY (id);
ALTER MATERIALIZED VIEW v CLUSTER BY (r);
SHOW CREATE TABLE s;
ALTER STREAMING TABLE s CLUSTER BY NONE;
SHOW CREATE TABLE s;
SET deltasql.governance = ERROR;
-- name: governance is refused
ALTER STREAMING TABLE s SET OWNER TO bob;
-- name: governance is recorded
SET deltasql.governance = RECORD;
ALTER MATERIALIZED VIEW v SET ROW FILTER us ON (r);
ALTER MATERIALIZED VIEW v ALTER COLUMN r SET MASK hide;
ALTER MATERIALIZED VIEW v OWNER TO `amy`;
ALTER STREAMING TABLE s SET ROW FILTER us ON (r);
ALTER STREAMING TABLE s SET OWNER TO bob;
SHOW CREATE TABLE v;
SELECT table_name, table_owner FROM information_schema.tables WHERE table_schema = 'default' AND table_owner IS NOT NULL;
ALTER MATERIALIZED VIEW v DROP ROW FILTER;
ALTER MATERIALIZED VIEW v ALTER COLUMN r DROP MASK;
ALTER STREAMING TABLE s DROP ROW FILTER;
SHOW CREATE TABLE v;
-- name: refused
ALTER MATERIALIZED VIEW s ALTER COLUMN id COMMENT 'x';
