-- VALUES (1, 2) (a, b): the names of the columns without an alias.
-- log: off

CREATE TABLE t (id INT, a INT);
SELECT * FROM VALUES (1, 2) (a, b);
SELECT b FROM (VALUES (1, 2), (3, 4)) (a, `b`) WHERE a > 1;
INSERT INTO t SELECT * FROM VALUES (7, 8) (p, q);
SELECT t.a, x.q FROM t JOIN (SELECT * FROM VALUES (7, 'seven') (p, q)) x ON x.p = t.id;
CREATE VIEW v AS SELECT * FROM VALUES (1, 'one') (n, word);
SELECT * FROM v;
-- name: no list of names
SELECT * FROM VALUES (1, 2), (3, 4);
SELECT x.a FROM VALUES (1, 2) AS x(a, b);
SELECT * FROM VALUES (1) (1);
