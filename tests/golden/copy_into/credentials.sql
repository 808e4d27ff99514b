-- The place of WITH (CREDENTIAL …): behind the location, and behind a query, where dbt-databricks writes it.
-- expect: no jvm

CREATE TABLE t (a INT);
-- name: wrong, keys of another storage
COPY INTO t FROM (SELECT * FROM '${WAREHOUSE}/in') WITH (CREDENTIAL (AWS_ACCESS_KEY = 'a')) FILEFORMAT = CSV;
COPY INTO t FROM (SELECT * FROM '${WAREHOUSE}/in' WITH (CREDENTIAL (AWS_ACCESS_KEY = 'a'))) FILEFORMAT = CSV;
COPY INTO t FROM '${WAREHOUSE}/in' WITH (CREDENTIAL (AWS_ACCESS_KEY = 'a')) FILEFORMAT = CSV;
-- name: wrong, keys of the service
COPY INTO t FROM (SELECT * FROM 's3://bucket/in') WITH (CREDENTIAL (AWS_ACCESS_KEY = 'a') ENCRYPTION (TYPE = 'AWS_SSE_C')) FILEFORMAT = CSV;
-- name: wrong, another clause
COPY INTO t FROM (SELECT * FROM 's3://bucket/in') WITH (KEY (a = 'a')) FILEFORMAT = CSV;
