CREATE TABLE t (id INT, name STRING, n INT, s STRUCT<a: INT, b: STRUCT<c: STRING, d: INT>>, list ARRAY<INT>);
INSERT INTO t VALUES (1, 'a', 10, named_struct('a', 1, 'b', named_struct('c', 'x', 'd', 5)), array(1)), (2, 'b', 20, NULL, NULL);
-- name: plain
UPDATE t SET n = 11 WHERE id = 1;
-- name: no WHERE, all values read the old row
UPDATE t SET id = n, n = id;
-- name: alias, qualified names, lower case, comments, quotes
update t as x set x.n = x.n + 1, /* the name */ `Name` = concat(x.name, '!') where x.n = 2;
-- name: wrong, the alias hides the table's name
UPDATE t AS x SET n = t.n;
-- name: wrong, no boolean
UPDATE t SET n = 0 WHERE id + 1;
-- name: nested
UPDATE t SET s.b.c = 'y' WHERE n = 1;
-- name: nested, two fields of one struct
UPDATE t SET s.a = s.a + 1, s.b.d = NULL WHERE n = 1;
-- name: a part of a NULL struct makes it a struct
UPDATE t SET s.a = 7 WHERE n > 1;
-- name: a whole struct, fields by name
UPDATE t SET s = named_struct('b', named_struct('d', 1, 'c', 'z'), 'a', 0) WHERE n = 1;
-- name: DEFAULT is NULL where no default is declared
UPDATE t SET name = DEFAULT WHERE n = 1;
-- name: with a CTE and a sub-query
WITH big AS (SELECT 1 AS k) UPDATE t SET name = 'from a query' WHERE n IN (SELECT k FROM big);
-- name: a scalar sub-query as a value
UPDATE t SET list = array((SELECT max(n) FROM t)) WHERE list IS NULL;
-- name: no match, no commit
UPDATE t SET n = 0 WHERE id = 999;
-- name: a condition that is NULL changes nothing
UPDATE t SET n = 0 WHERE id > CAST(NULL AS INT);
SELECT * FROM t;

CREATE TABLE p (id INT, day STRING) PARTITIONED BY (day);
INSERT INTO p VALUES (1, 'mon'), (2, 'tue');
-- name: a partition column: the row moves
UPDATE p SET day = 'wed' WHERE day = 'mon';
SELECT * FROM p;
-- name: wrong, a struct with other fields
UPDATE t SET s = named_struct('a', 1, 'e', 2);
-- name: wrong, no such column in a value
UPDATE t SET n = nothing + 1;
-- name: wrong, no such column in the condition
UPDATE t SET n = 1 WHERE nothing = 1;
-- name: wrong, too big
UPDATE t SET n = 3000000000L WHERE n = 1;
-- name: wrong, an array for a number
UPDATE t SET n = array(1);
-- name: wrong, NOT NULL
CREATE TABLE nn (id INT NOT NULL, n INT);
INSERT INTO nn VALUES (1, 1);
UPDATE nn SET id = NULL;
-- name: wrong, no expressions
UPDATE nn SET n = 1 b WHERE id = 1;
UPDATE nn SET n = 1
WHERE id = = 1;
-- name: wrong, append-only
ALTER TABLE nn SET TBLPROPERTIES ('delta.appendOnly' = true);
UPDATE nn SET n = 1;
-- name: a struct column that is called like the alias
CREATE TABLE st (k INT, s STRUCT<a: INT, b: INT>);
INSERT INTO st SELECT 1, named_struct('a', 1, 'b', 2);
UPDATE st AS s SET s.a = 9;
UPDATE st AS s SET s.s.b = 10, s.k = 2;
UPDATE st AS S SET `s`.`A` = s.s.a + 1;
UPDATE st AS s SET s.z = 1;
SELECT * FROM st;
