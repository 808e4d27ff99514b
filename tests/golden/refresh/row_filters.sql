-- Row filters and column masks of materialized views and streaming tables.
-- log: off

CREATE FUNCTION us(region STRING) RETURNS BOOLEAN RETURN region = 'US';
CREATE TABLE t (id INT, region STRING);
INSERT INTO t VALUES (1, 'US'), (2, 'NO');
SET deltasql.governance = ERROR;
-- name: refused
CREATE MATERIALIZED VIEW v WITH ROW FILTER us ON (region) AS SELECT id, region FROM t;
CREATE STREAMING TABLE s WITH ROW FILTER us ON (region) AS SELECT id, region FROM STREAM(t);
SHOW TABLES;

SET deltasql.governance = WARN;
-- name: ignored
CREATE MATERIALIZED VIEW w WITH ROW FILTER us ON (region) AS SELECT id, region FROM t;
SHOW CREATE TABLE w;

SET deltasql.governance = RECORD;
-- name: recorded
CREATE MATERIALIZED VIEW v WITH ROW FILTER us ON (missing) AS SELECT id, region FROM t;
CREATE MATERIALIZED VIEW v ROW FILTER us ON (region) AS SELECT id, region FROM t;
SHOW CREATE TABLE v;
CREATE OR REPLACE MATERIALIZED VIEW w WITH ROW FILTER us ON (region) AS SELECT region FROM t;
CREATE STREAMING TABLE s WITH ROW FILTER `US` ON (REGION) AS SELECT id, region FROM STREAM(t);
CREATE STREAMING TABLE r AS SELECT id, region FROM STREAM(t);
CREATE OR REFRESH STREAMING TABLE spark_catalog.default.r WITH ROW FILTER us ON (region) AS SELECT id, region FROM STREAM(t);
SELECT table_name, filter_name FROM information_schema.row_filters;
SELECT * FROM v;
REFRESH MATERIALIZED VIEW v FULL;

SET deltasql.governance.filters = true;
-- name: applied
SELECT * FROM v;
SELECT * FROM w;
SELECT * FROM s;
SELECT * FROM r;
REFRESH MATERIALIZED VIEW v;
CREATE OR REFRESH STREAMING TABLE s AS SELECT id + 1 AS id, region FROM STREAM(t);
CREATE STREAMING TABLE n WITH ROW FILTER us ON (region) AS SELECT id, region FROM STREAM(t);
CREATE OR REFRESH STREAMING TABLE n WITH ROW FILTER us ON (region) AS SELECT id, region FROM STREAM(t);
SHOW TABLES;
SHOW CREATE TABLE s;

-- name: clauses that the query leaves no place for
CREATE MATERIALIZED VIEW n DEFAULT COLLATION UTF8_BINARY AS SELECT id FROM t WHERE region = 'US';
