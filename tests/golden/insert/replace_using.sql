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
