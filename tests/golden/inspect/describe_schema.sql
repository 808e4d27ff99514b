-- expect: no jvm

CREATE SCHEMA s COMMENT 'it''s' LOCATION '${WAREHOUSE}/elsewhere/s' WITH DBPROPERTIES ('b' = '2', 'a' = '1');
CREATE SCHEMA `select`;
-- name: plain
DESCRIBE SCHEMA s;
-- name: EXTENDED
DESCRIBE SCHEMA EXTENDED s;
-- name: its other names; quoted, upper case, comments
desc /* a schema */ DATABASE extended `SELECT` -- done
;
DESCRIBE NAMESPACE s;
-- name: default, and with the catalog
DESCRIBE SCHEMA default;
DESCRIBE SCHEMA spark_catalog.s;
-- name: secrets are not shown
CREATE SCHEMA vault WITH DBPROPERTIES ('password' = 'hunter2', 'a' = '1');
DESCRIBE SCHEMA EXTENDED vault;
