-- log: off
-- INSERT WITH SCHEMA EVOLUTION is what mergeSchema is for DataFrames: new columns come at the end of their struct.

CREATE TABLE t (id INT, s STRUCT<a: INT>);
INSERT INTO t VALUES (1, named_struct('a', 1));
-- name: without evolution a further column is an error
INSERT INTO t SELECT 2, named_struct('a', 2), 'x' AS Extra;
-- name: seed, added columns: at the end, case kept, named by the query
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 2 AS id, named_struct('a', 2) AS s, 'x' AS Extra;
-- name: seed, added columns: nested, at the end of the struct
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 3, named_struct('a', 3, 'b', 'new'), 'y';
-- name: BY NAME, a column left out, a column added
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 'z' AS more, 4 AS id;
-- name: a column list may name a new column
INSERT WITH SCHEMA EVOLUTION INTO t (id, another) VALUES (5, 1.5);
-- name: types are not widened without type widening
INSERT WITH SCHEMA EVOLUTION INTO t (id) VALUES (6L);
SELECT * FROM t;
-- name: wrong, types that do not go together
INSERT WITH SCHEMA EVOLUTION INTO t (id, s) VALUES (7, array(1));
-- name: the session's setting does the same
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t BY NAME SELECT 8 AS id, true AS flag;
RESET spark.databricks.delta.schema.autoMerge.enabled;
SELECT id, flag FROM t WHERE id >= 6;
-- name: OVERWRITE with evolution keeps the columns and adds the new ones
INSERT WITH SCHEMA EVOLUTION OVERWRITE t BY NAME SELECT 9 AS id, 'last' AS final;
SELECT * FROM t;
-- name: a table without columns takes those of the query
CREATE TABLE e;
INSERT WITH SCHEMA EVOLUTION INTO e SELECT 1 AS a, 'x' AS b;
SELECT * FROM e;
-- name: structs go by name, so that a field that is added gets its value
CREATE TABLE nested (k INT, s STRUCT<a: INT, b: STRING>, list ARRAY<STRUCT<a: INT, b: STRING>>, m MAP<STRING, STRUCT<a: INT, b: STRING>>);
INSERT WITH SCHEMA EVOLUTION INTO nested SELECT 1, named_struct('a', 1, 'c', 'c1'), array(named_struct('c', 'c2', 'a', 2)), map('k', named_struct('c', 'c3'));
INSERT WITH SCHEMA EVOLUTION INTO nested (s, k) SELECT named_struct('d', 'd4', 'b', 'b4', 'a', 4), 2;
SELECT * FROM nested ORDER BY k;
DESCRIBE nested;
-- name: wrong, arrays and maps that have no type
INSERT WITH SCHEMA EVOLUTION INTO nested (k, x) SELECT 3, array();
INSERT WITH SCHEMA EVOLUTION INTO nested (k, x) SELECT 3, map('k', NULL);
MERGE WITH SCHEMA EVOLUTION INTO nested t USING (SELECT 1 AS k, array(named_struct('q', NULL)) AS x) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *;
CREATE TABLE made AS SELECT 1 AS a, array() AS x;
-- name: a typed column takes them
INSERT INTO nested (k, list, m) SELECT 3, array(), map();
SELECT count(*) FROM nested;
-- name: wrong, a column by position that would also be added
CREATE TABLE ab (a INT, b STRING);
INSERT WITH SCHEMA EVOLUTION INTO ab SELECT 2 AS a, 'x' AS c, 'y' AS B;
INSERT WITH SCHEMA EVOLUTION INTO ab BY NAME SELECT 2 AS c, 'x' AS C;
