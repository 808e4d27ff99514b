-- Tables whose commits the catalog of the warehouse ratifies.
-- expect: no jvm

CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
INSERT INTO t VALUES (1), (2);
UPDATE t SET id = 3 WHERE id = 2;
SELECT * FROM t ORDER BY id;
SELECT count(*) FROM t VERSION AS OF 1;
SHOW TBLPROPERTIES t;
CREATE OR REPLACE TABLE t (id INT, v STRING);
SHOW TBLPROPERTIES t ('delta.feature.catalogManaged');
-- name: a table that is there
CREATE TABLE p (id INT);
INSERT INTO p VALUES (1);
ALTER TABLE p SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
INSERT INTO p VALUES (2);
SELECT * FROM p ORDER BY id;
-- name: back to the log alone
ALTER TABLE p DROP FEATURE catalogManaged TRUNCATE HISTORY;
ALTER TABLE p DROP FEATURE catalogManaged;
INSERT INTO p VALUES (3);
SHOW TBLPROPERTIES p;
ALTER TABLE p DROP FEATURE catalogManaged;
-- name: the default of a schema
CREATE SCHEMA s WITH DBPROPERTIES ('deltasql.catalogManaged' = 'true');
CREATE TABLE s.t (id INT);
SHOW TBLPROPERTIES s.t ('delta.feature.catalogManaged');
-- name: copies are plain
CREATE TABLE l LIKE t;
SHOW TBLPROPERTIES l ('delta.feature.catalogManaged');
