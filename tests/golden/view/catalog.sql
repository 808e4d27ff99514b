-- expect: no jvm

CREATE SCHEMA s;
CREATE TABLE t (a INT COMMENT 'ca', b STRUCT<c: INT>);
-- name: plain
CREATE VIEW v AS SELECT * FROM t;
DESCRIBE v;
-- name: names, comments, properties, a mode; quoted, upper case, comments between words
create OR replace VIEW S.`W` /* c */ (`x y` COMMENT 'it''s', z) COMMENT 'of t' TBLPROPERTIES ('k' = 'v')
WITH SCHEMA BINDING AS SELECT a, 1 AS one FROM spark_catalog.default.t WHERE a > 0; -- end
DESCRIBE EXTENDED s.w;
SHOW CREATE TABLE S.W;
SHOW TBLPROPERTIES s.w;
SHOW TBLPROPERTIES s.w ('nope');
SHOW COLUMNS IN s.w;
SHOW TABLE EXTENDED IN s LIKE 'w';
-- name: among tables and temporary views
CREATE TEMP VIEW v AS SELECT 1 AS one;
SHOW TABLES;
SHOW VIEWS;
SHOW VIEWS IN s LIKE 'w*';
DROP VIEW v;
-- name: changed
ALTER VIEW s.w SET TBLPROPERTIES ('l' = 'm', 'k' = 'n');
ALTER VIEW s.w UNSET TBLPROPERTIES IF EXISTS ('k', 'nothing');
ALTER VIEW s.w WITH SCHEMA TYPE EVOLUTION;
COMMENT ON VIEW s.w IS 'other';
COMMENT ON COLUMN s.w.z IS 'cz';
ALTER VIEW s.w RENAME TO default.w;
SHOW CREATE TABLE w;
ALTER VIEW w AS SELECT a FROM v;
DESCRIBE w;
-- name: nothing to do
CREATE VIEW IF NOT EXISTS v AS SELECT 1 AS one;
CREATE TABLE IF NOT EXISTS v (a INT);
DROP VIEW IF EXISTS nothing;
REFRESH TABLE v;
EXPLAIN CREATE OR REPLACE VIEW v AS SELECT a FROM t;
