-- log: off

CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRING>, list ARRAY<STRUCT<x: INT, y: INT>>, m MAP<STRING, STRUCT<v: INT>>);
-- name: by position, nested fields too: names do not matter
INSERT INTO t VALUES (1, named_struct('b', 1, 'a', 'one'), array(named_struct('y', 10, 'x', 20)), map('k', named_struct('w', 5)));
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
-- name: wrong, a number for a struct
INSERT INTO t (id, s) VALUES (4, 5);
-- name: wrong, a struct for a number
INSERT INTO t (id) VALUES (named_struct('a', 1));
