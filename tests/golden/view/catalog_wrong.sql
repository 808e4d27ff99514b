-- expect: no jvm

CREATE SCHEMA s;
CREATE TABLE t (a INT COMMENT 'ca', b STRUCT<c: INT>);
CREATE VIEW v AS SELECT * FROM t;
CREATE VIEW w AS SELECT a FROM v;
-- name: wrong, what is of this session alone
CREATE TEMP VIEW tv AS SELECT 1 AS a;
CREATE VIEW x AS SELECT * FROM tv;
-- name: a dropped table, a dropped schema
DROP TABLE t;
DESCRIBE v;
SHOW CREATE TABLE v;
CREATE VIEW s.x AS SELECT 1 AS a;
DROP SCHEMA s;
DROP SCHEMA s CASCADE;
SHOW VIEWS;
