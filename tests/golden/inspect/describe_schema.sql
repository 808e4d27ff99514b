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
-- name: wrong, no such schema
DESCRIBE SCHEMA nothing;
-- name: wrong, another catalog
DESCRIBE SCHEMA main.s;
-- name: wrong, too many parts
DESCRIBE SCHEMA spark_catalog.s.t;
-- name: wrong, the statement stops early
DESCRIBE SCHEMA EXTENDED;
-- name: secrets are not shown
CREATE SCHEMA vault WITH DBPROPERTIES ('password' = 'hunter2', 'a' = '1');
DESCRIBE SCHEMA EXTENDED vault;
CREATE SCHEMA twice WITH DBPROPERTIES ('k' = '1', 'k' = '2');
