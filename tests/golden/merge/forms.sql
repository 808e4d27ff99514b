CREATE TABLE t (id INT, name STRING, s STRUCT<a: INT, b: STRING>);
INSERT INTO t VALUES (1, 'one', named_struct('a', 1, 'b', 'x')), (2, 'two', NULL);
CREATE TABLE src AS SELECT * FROM VALUES (2, 'TWO', 20), (3, 'THREE', 30) AS v(id, name, n);
-- name: plain
MERGE INTO t USING src ON t.id = src.id
WHEN MATCHED THEN UPDATE SET name = src.name
WHEN NOT MATCHED THEN INSERT (id, name) VALUES (src.id, src.name);
SELECT * FROM t;
-- name: aliases with and without AS, lower case, quotes, comments
merge into `default`.`T` as `Target` using (select * from src where id > 2) s -- the new
on `target`.`ID` = s.`Id` when matched then update set `Target`.`Name` = lower(s.name) /* small letters */;
-- name: nothing happens: no commit
MERGE INTO t USING src ON t.id = src.id WHEN MATCHED AND false THEN DELETE;
-- name: DELETE, and no alias at all
MERGE INTO t USING src ON t.id = src.id AND src.id = 3 WHEN MATCHED THEN DELETE;
-- name: clauses in any order, several of a kind, BY TARGET
MERGE INTO t USING (SELECT * FROM src UNION ALL SELECT 4, 'FOUR', 40 UNION ALL SELECT 5, 'FIVE', 50) s ON t.id = s.id
WHEN NOT MATCHED BY SOURCE AND t.id > 100 THEN DELETE
WHEN NOT MATCHED BY TARGET AND s.n > 40 THEN INSERT (id, name) VALUES (s.id, 'big')
WHEN MATCHED AND t.id > 100 THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'lonely'
WHEN NOT MATCHED AND s.n > 30 THEN INSERT (name, id) VALUES (s.name, s.id)
WHEN MATCHED THEN UPDATE SET name = concat(t.name, '/', s.name);
SELECT * FROM t;
-- name: nested assignments, DEFAULT
MERGE INTO t USING src s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET t.s.a = s.n, t.s.b = concat(s.name, '!'), name = DEFAULT
WHEN NOT MATCHED THEN INSERT (id, name, s) VALUES (s.id, DEFAULT, named_struct('b', 'new', 'a', s.n));
SELECT * FROM t;
-- An engine counts no row of the source that met none of the target.
-- mask: /numSourceRows=\d+/
-- name: BY SOURCE: the whole ON counts, a condition on the target in it too
MERGE INTO t USING src s ON t.id = s.id AND t.id > 2 WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'unmatched';
-- name: an empty source: every row is unmatched
MERGE INTO t USING (SELECT * FROM src WHERE false) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE;
-- name: NULL in ON is no match
MERGE INTO t USING (SELECT CAST(NULL AS INT) AS id, 'null' AS name) s ON t.id = s.id
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
SELECT id, name FROM t;
-- name: a table as its own source, a path as the target
MERGE INTO delta.`${WAREHOUSE}/t` AS t USING t AS s ON t.id = s.id WHEN MATCHED AND s.id IS NOT NULL THEN UPDATE SET name = concat(s.name, '?');
-- mask: /numSourceRows=\d+/
-- name: a source of the past, by clause and by suffix
MERGE INTO t USING t VERSION AS OF 1 AS old ON t.id = old.id WHEN MATCHED THEN UPDATE SET name = old.name;
-- mask: /numSourceRows=\d+/
MERGE INTO t USING t@v1 AS old ON t.id = old.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (old.id, old.name);
-- name: a CTE, and a view
CREATE TEMPORARY VIEW v AS SELECT id, upper(name) AS name FROM src;
WITH c AS (SELECT * FROM v WHERE id = 3) MERGE INTO t USING c ON t.id = c.id WHEN MATCHED THEN UPDATE SET name = c.name;
MERGE INTO t USING v ON t.id = v.id WHEN MATCHED AND v.id = 2 THEN UPDATE SET name = v.name;
-- name: VALUES as the source
MERGE INTO t USING (VALUES (2, 'values')) s ON t.id = s.col1 WHEN MATCHED THEN UPDATE SET name = s.col2;
SELECT id, name FROM t;
-- name: a target that is partitioned: only the partitions of ON are read
CREATE TABLE p (id INT, day STRING, n INT) PARTITIONED BY (day);
INSERT INTO p VALUES (1, 'mon', 1), (2, 'tue', 2);
MERGE INTO p USING (SELECT 1 AS id, 'mon' AS day, 10 AS n) s ON p.id = s.id AND p.day = 'mon'
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM p;
-- name: an empty target
CREATE TABLE empty (id INT, name STRING);
MERGE INTO empty t USING src s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM empty;
