-- expect: no jvm

-- name: volumes and their files
ALTER VOLUME v SET TAGS ('a' = 'b');
LS '/Volumes/main/s/v';
RM '/Volumes/main/s/v/f.csv';
LIST 's3://bucket/folder' WITH (CREDENTIAL c);

-- name: materialized views and streaming tables
CREATE OR REFRESH PRIVATE STREAMING TABLE s AS SELECT 1 AS id;
CREATE OR REPLACE TEMPORARY MATERIALIZED VIEW m AS SELECT 1 AS id;

-- name: metric views
CREATE OR REPLACE METRIC VIEW m AS SELECT 1 AS id;
ALTER METRIC VIEW m SET TAGS ('a' = 'b');
DROP METRIC VIEW m;
REFRESH METRIC VIEW m;
