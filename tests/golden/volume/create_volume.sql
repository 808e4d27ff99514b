-- expect: no jvm
-- name: managed and external ones
CREATE VOLUME files COMMENT 'raw files';
CREATE EXTERNAL VOLUME IF NOT EXISTS spark_catalog.default.`Landing` LOCATION '${WAREHOUSE}/landing' COMMENT 'from outside';
CREATE VOLUME IF NOT EXISTS FILES;
SHOW VOLUMES;
SHOW VOLUMES IN default LIKE 'land*';
DESCRIBE VOLUME files;
DESC VOLUME landing;
-- name: comments
COMMENT ON VOLUME files IS NULL;
COMMENT ON VOLUME landing IS 'arrivals';
-- name: another name: the files stay, and the old name is free
ALTER VOLUME files RENAME TO raw;
CREATE VOLUME files;
-- mask: created
SELECT * FROM information_schema.volumes;
EXPLAIN DROP VOLUME raw;
DROP VOLUME raw;
DROP VOLUME IF EXISTS raw;
SHOW VOLUMES;
-- name: a schema with a volume is not empty
CREATE SCHEMA s;
CREATE VOLUME s.v;
DROP SCHEMA s CASCADE;
