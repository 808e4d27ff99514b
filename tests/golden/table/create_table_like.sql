-- expect: no jvm

CREATE SCHEMA shop;
CREATE TABLE s (id BIGINT NOT NULL COMMENT 'the key', `a b` STRUCT<x: INT COMMENT 'x', `y z`: ARRAY<STRING>>, day DATE) PARTITIONED BY (day) COMMENT 'the source' TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'true', 'delta.columnMapping.mode' = 'name');
-- name: plain
CREATE TABLE t LIKE s;
SHOW CREATE TABLE t;
-- name: quoted, lower case, in a schema, with all clauses
create table if not exists `shop`.`my-t` like `default`.`S` using DELTA location '${WAREHOUSE}/far/away' tblproperties ('k' = 'w', delta.enableChangeDataFeed = true);
SHOW TBLPROPERTIES shop.`my-t`;
-- name: what computes and checks values is taken over
CREATE TABLE computed (n INT, twice INT GENERATED ALWAYS AS (n * 2), i BIGINT GENERATED ALWAYS AS IDENTITY, d INT DEFAULT 7, c CHAR(3), CONSTRAINT positive CHECK (n > 0)) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
CREATE TABLE copy LIKE computed;
SHOW CREATE TABLE copy;
-- name: clustering is not
CREATE TABLE clustered (id INT) CLUSTER BY (id);
CREATE TABLE not_clustered LIKE clustered;
DESCRIBE not_clustered;
-- name: row tracking begins anew
CREATE TABLE tracked (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true');
CREATE TABLE tracked_too LIKE tracked;
-- name: paths
CREATE TABLE delta.`${WAREHOUSE}/paths/like` LIKE s;
CREATE TABLE from_path LIKE delta.`${WAREHOUSE}/paths/like`;
-- name: an older version
ALTER TABLE s ADD COLUMN later INT;
CREATE TABLE t0 LIKE s@v0;
SHOW COLUMNS IN t0;
-- name: IF NOT EXISTS does nothing to a table that is there
CREATE TABLE IF NOT EXISTS t0 LIKE clustered;
SHOW COLUMNS IN t0;
-- name: a log that is there, of the same definition
CREATE TABLE again LIKE shop.`my-t` LOCATION '${WAREHOUSE}/far/away';
-- name: explained
EXPLAIN CREATE TABLE u LIKE s TBLPROPERTIES ('k' = 'w');
-- name: a property that takes a feature
CREATE TABLE vectors LIKE clustered TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');

-- name: another way of mapping columns
CREATE TABLE mapped LIKE clustered TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
CREATE TABLE mapped_by_name LIKE mapped TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
CREATE TABLE not_mapped LIKE mapped TBLPROPERTIES ('delta.columnMapping.mode' = 'none');
-- name: wrong, a clause twice, a clause of CREATE TABLE
SHOW TABLES;
