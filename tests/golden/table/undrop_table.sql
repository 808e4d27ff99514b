-- Managed tables come back for some days after DROP TABLE.
-- expect: no jvm
-- log: off
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (2);
DROP TABLE t;
SELECT * FROM t;
-- mask: /[0-9a-f]{32} .*/
SHOW TABLES DROPPED;
-- name: with its rows and versions
UNDROP TABLE t;
SELECT * FROM t ORDER BY a;
INSERT INTO t VALUES (3);
SELECT count(*) FROM t VERSION AS OF 1;
SHOW TABLES DROPPED;
-- name: its place is free for another table, and the last one dropped comes back
drop table `default`.`t`;
CREATE TABLE t (b STRING);
UNDROP TABLE t;
DROP TABLE t;
undrop table /* the younger */ `spark_catalog`.default.`t`;
DESCRIBE t;
ALTER TABLE t RENAME TO younger;
UNDROP TABLE t;
SELECT * FROM t ORDER BY a;
INSERT INTO younger VALUES ('x');
SELECT * FROM younger;
-- mask: /[0-9a-f]{32} .*/
SHOW TABLES DROPPED IN default LIMIT 5;
DROP TABLE younger;
UNDROP MATERIALIZED VIEW younger;
-- name: for good
DROP TABLE t PURGE;
UNDROP TABLE t;
SET deltasql.dropped.days = 0;
CREATE TABLE gone (a INT);
DROP TABLE gone;
RESET deltasql.dropped.days;
UNDROP TABLE gone;
-- name: external tables, ids, other objects
CREATE TABLE e (a INT) LOCATION '${WAREHOUSE}/elsewhere';
DROP TABLE e;
UNDROP TABLE e;
UNDROP TABLE WITH ID 'none';
UNDROP SCHEMA s;
SHOW SCHEMAS DROPPED;
UNDROP TABLE delta.`${WAREHOUSE}/elsewhere`;
SHOW TABLES DROPPED IN missing;
UNDROP t;
UNDROP TABLE;
