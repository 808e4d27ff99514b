-- log: off

CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRING>, list ARRAY<STRUCT<x: INT, y: INT>>, m MAP<STRING, STRUCT<v: INT>>);
-- name: by position, and structs of the same field names by name
INSERT INTO t VALUES (1, named_struct('b', 'one', 'a', 1), array(named_struct('Y', 10, 'X', 20)), map('k', named_struct('v', 5)));
-- name: the same with a column list
INSERT INTO t (list, s, id) VALUES (array(named_struct('y', 10, 'x', 20)), named_struct('b', 'one', 'A', 1), 11);
-- name: structs of other names by position
INSERT INTO t VALUES (12, struct(12, 'twelve'), array(named_struct('x', 1, 'z', 2)), map('k', named_struct('w', 5)));
-- name: wrong, names of the column in other places
INSERT INTO t (id, s) VALUES (13, named_struct('b', 1, 'c', 'x'));
-- name: wrong, the same inside an array
INSERT INTO t (id, list) SELECT 13, array(named_struct('y', 1, 'z', 2));
-- name: wrong, the same inside a map
CREATE TABLE keys (m MAP<STRUCT<p: INT, q: INT>, INT>);
INSERT INTO keys SELECT map(named_struct('q', 1, 'r', 2), 3);
-- name: keys of maps by name
INSERT INTO keys SELECT map(named_struct('q', 1, 'p', 2), 3);
SELECT k.p, k.q, v FROM keys LATERAL VIEW explode(m) AS k, v;
-- name: wrong, one name twice
INSERT INTO t BY NAME SELECT 4 AS id, named_struct('a', 1, 'b', 'x', 'A', 2) AS s;
-- name: OVERWRITE and REPLACE WHERE too
CREATE TABLE o (id INT, s STRUCT<a: INT, b: INT>);
INSERT OVERWRITE o SELECT 1, named_struct('b', 20, 'a', 10);
INSERT INTO o REPLACE WHERE id = 2 SELECT 2, named_struct('b', 20, 'a', 10);
SELECT id, s.a, s.b FROM o ORDER BY id;
-- name: BY NAME, nested fields by name
INSERT INTO t BY NAME SELECT named_struct('b', 'two', 'a', 2) AS s, 2 AS id, array(named_struct('y', 10, 'x', 20)) AS list;
-- name: a NULL struct stays NULL
INSERT INTO t (id, s) VALUES (3, NULL);
SELECT * FROM t;
-- name: wrong, a field too few
INSERT INTO t (id, s) VALUES (4, named_struct('a', 1));
-- name: wrong, a field too many
INSERT INTO t (id, s) VALUES (4, named_struct('a', 1, 'b', 'x', 'c', 2));
-- name: wrong, a field too few inside an array
INSERT INTO t (id, list) VALUES (4, array(named_struct('x', 1)));
-- name: wrong, BY NAME with another field
INSERT INTO t BY NAME SELECT 4 AS id, named_struct('a', 1, 'c', 'x') AS s;
-- name: wrong, a struct for a number
INSERT INTO t (id) VALUES (named_struct('a', 1));
