CREATE TABLE t (id INT, v STRING, n INT);
INSERT INTO t VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', 3), (NULL, 'd', 4);
-- name: all rows of a key make way for all new ones; NULL is equal to nothing
INSERT INTO t REPLACE USING (id) SELECT * FROM VALUES (1, 'x', 10), (1, 'y', 11), (NULL, 'z', 12) AS s(id, v, n);
-- name: BY NAME, several columns, upper case, comments
insert into table T by name /* these */ replace -- two
using (ID, `v`) select 'c' as v, 30 as n, 2 as id;
-- name: a column list names the values
INSERT INTO t (v, id) REPLACE USING (id) VALUES ('w', 2);
-- name: no rows replace nothing
INSERT INTO t REPLACE USING (id) SELECT * FROM t WHERE false;
-- name: a query of the table itself
INSERT INTO t REPLACE USING (id) SELECT id, upper(v) AS v, n FROM t WHERE id = 1;
SELECT * FROM t ORDER BY id, v;
-- name: WITH before INSERT, values that are cast
WITH s AS (SELECT '2' AS id, 'k' AS v) INSERT INTO t BY NAME REPLACE USING (id) SELECT * FROM s;
-- name: new columns
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME REPLACE USING (id) SELECT 2 AS id, 'm' AS v, true AS extra;
SELECT * FROM t ORDER BY id, v;
-- name: what is done, before it is done
EXPLAIN INSERT INTO t BY NAME REPLACE USING (id) SELECT 1 AS id;
-- name: wrong
INSERT INTO t REPLACE USING (nope) SELECT 1 AS id, 'a' AS v, 1 AS n, true AS extra;
INSERT INTO t REPLACE USING (v.x) SELECT 1 AS id, 'a' AS v, 1 AS n, true AS extra;
INSERT INTO t REPLACE USING (id) VALUES (1, 'a', 1, true);
INSERT INTO t REPLACE USING (id) SELECT 'a' AS v, 1 AS id, 1 AS n, true AS extra;
INSERT INTO t BY NAME REPLACE USING (v) SELECT 1 AS id;
INSERT INTO t (v) REPLACE USING (id) VALUES ('a');
INSERT INTO t REPLACE USING (id, ID) SELECT * FROM t;
INSERT INTO t REPLACE USING () SELECT * FROM t;
INSERT OVERWRITE t REPLACE USING (id) SELECT * FROM t;
INSERT INTO t AS x BY NAME REPLACE USING (id) SELECT 1 AS id;
INSERT INTO nowhere REPLACE USING (id) SELECT 1 AS id;
INSERT INTO t AS x REPLACE WHERE x.id = 1 SELECT * FROM t;
-- name: defaults, generated and identity columns, CHAR, constraints, deletion vectors, change feed
CREATE TABLE u (
  id BIGINT GENERATED ALWAYS AS IDENTITY, c CHAR(3), d INT DEFAULT 7, g INT GENERATED ALWAYS AS (d + 1), s STRUCT<a: INT>
) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.feature.allowColumnDefaults' = 'supported');
ALTER TABLE u ADD CONSTRAINT small CHECK (d < 100);
INSERT INTO u (c, d, s) VALUES ('a', 1, named_struct('a', 1)), ('b', 2, NULL), ('c', 3, named_struct('a', 3));
INSERT INTO u (c, s) REPLACE USING (c) VALUES ('b', named_struct('a', 9)), ('z', NULL);
INSERT INTO u (c, s) REPLACE USING (s) VALUES ('S', named_struct('a', 3));
SELECT id IS NOT NULL AS numbered, c, d, g, s FROM u ORDER BY c;
SELECT c, d, _change_type FROM table_changes('u', 3) ORDER BY _commit_version, c, _change_type;
INSERT INTO u (c, d) REPLACE USING (c) VALUES ('a', 100);
-- name: partitions
CREATE TABLE p (id INT, day DATE, v STRING) PARTITIONED BY (day);
INSERT INTO p VALUES (1, DATE '2024-01-01', 'a'), (2, DATE '2024-01-01', 'b'), (3, DATE '2024-01-02', 'c'), (4, NULL, 'd');
INSERT INTO p BY NAME REPLACE USING (day) SELECT 5 AS id, DATE '2024-01-01' AS day, 'n' AS v UNION ALL SELECT 6, NULL, 'o';
SELECT * FROM p ORDER BY id;
