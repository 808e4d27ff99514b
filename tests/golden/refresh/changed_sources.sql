-- log: off
CREATE TABLE t (id INT, pair ARRAY<STRING>, m MAP<STRING, INT>);
-- log: off
INSERT INTO t VALUES (1, array('a', 'b'), map('x', 3)), (2, array('c'), map('y', 1));
-- log: off
CREATE TABLE u (id INT, w STRING);
-- log: off
INSERT INTO u VALUES (1, 'one'), (2, 'two');
-- name: functions that give several columns
-- log: off
CREATE MATERIALIZED VIEW numbered AS SELECT posexplode(pair) AS (place, value), id FROM t;
-- log: off
CREATE MATERIALIZED VIEW entries AS SELECT id, explode(m) AS (key, id_of_entry), pair FROM t;
-- log: off
UPDATE t SET pair = array('d', 'e', 'f'), m = map('z', 1) WHERE id = 2;
REFRESH MATERIALIZED VIEW numbered;
SELECT * FROM numbered;
REFRESH MATERIALIZED VIEW entries;
SELECT * FROM entries;
-- name: new columns of a source
-- log: off
CREATE MATERIALIZED VIEW all_of_u AS SELECT *, upper(w) AS big FROM u;
-- log: off
CREATE MATERIALIZED VIEW both AS SELECT * FROM t NATURAL JOIN u;
-- log: off
ALTER TABLE u ADD COLUMN pair ARRAY<STRING>;
EXPLAIN REFRESH MATERIALIZED VIEW both;
REFRESH MATERIALIZED VIEW all_of_u;
-- log: off
UPDATE u SET w = 'zwei' WHERE id = 2;
REFRESH MATERIALIZED VIEW all_of_u;
SELECT * FROM all_of_u;
-- log: off
INSERT INTO u VALUES (3, 'three', NULL);
REFRESH MATERIALIZED VIEW all_of_u;
SELECT * FROM all_of_u;
-- name: a source without a column
-- log: off
CREATE TABLE mapped (a INT, b INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- log: off
CREATE MATERIALIZED VIEW of_a AS SELECT a FROM mapped;
-- log: off
ALTER TABLE mapped DROP COLUMN a;
REFRESH MATERIALIZED VIEW of_a;
-- name: names of files
-- log: off
CREATE MATERIALIZED VIEW places AS SELECT id, _metadata.file_name IS NULL AS missing FROM u;
-- log: off
INSERT INTO u VALUES (4, 'four', NULL);
REFRESH MATERIALIZED VIEW places;
SELECT * FROM places;
