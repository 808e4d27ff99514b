-- expect: no jvm

CREATE TABLE t (a INT, p INT) PARTITIONED BY (p) LOCATION '${WAREHOUSE}/one';
CREATE TABLE delta.`${WAREHOUSE}/two` (a INT, p INT) PARTITIONED BY (p) COMMENT 'two';
-- name: plain
ALTER TABLE t SET LOCATION '${WAREHOUSE}/two';
DESCRIBE EXTENDED t;
-- name: lower case, quoted, back again
alter table `default`.`T` set location "${WAREHOUSE}/one";
-- name: a managed table becomes external, and its files stay
CREATE TABLE m (a INT, p INT) PARTITIONED BY (p);
ALTER TABLE m SET LOCATION '${WAREHOUSE}/two';
DROP TABLE m;
DESCRIBE delta.`${WAREHOUSE}/two`;
DESCRIBE delta.`${WAREHOUSE}/m`;
-- name: explained
EXPLAIN ALTER TABLE t SET LOCATION '${WAREHOUSE}/two';
-- name: wrong, other columns
CREATE TABLE delta.`${WAREHOUSE}/other` (a STRING, p INT) PARTITIONED BY (p);
ALTER TABLE t SET LOCATION '${WAREHOUSE}/other';
-- name: wrong, other partitions
CREATE TABLE delta.`${WAREHOUSE}/flat` (a INT, p INT);
ALTER TABLE t SET LOCATION '${WAREHOUSE}/flat';
-- name: unless the session allows it
SET spark.databricks.delta.alterLocation.bypassSchemaCheck = true;
ALTER TABLE t SET LOCATION '${WAREHOUSE}/flat';
RESET spark.databricks.delta.alterLocation.bypassSchemaCheck;
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS a;
ALTER TABLE v SET LOCATION '${WAREHOUSE}/one';
