CREATE SCHEMA IF NOT EXISTS information_schema;

CREATE TABLE t (a INT);

ALTER TABLE t RENAME TO information_schema.t;

SELECT nothing FROM information_schema.information_schema_catalog_name;

SHOW TABLES;
