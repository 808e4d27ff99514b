-- log: off

CREATE TABLE t (id INT, c CHAR(3), v VARCHAR(3));
-- name: CHAR is padded, VARCHAR is not; blanks at the end may be too many
INSERT INTO t VALUES (1, 'a', 'b'), (2, 'abc  ', 'abc  '), (3, NULL, NULL);
SELECT id, concat('[', c, ']') AS c, concat('[', v, ']') AS v FROM t;
-- name: wrong, too long
INSERT INTO t VALUES (4, 'abcd', 'x');
INSERT INTO t VALUES (4, 'abc', 'abcd');
UPDATE t SET v = concat(v, v, v, v) WHERE id = 1;
MERGE INTO t USING (SELECT 5 AS id, 'long text' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);

-- name: comparisons pad the literal, as Spark's do
SELECT id FROM t WHERE c = 'a';
SELECT id FROM t WHERE c IN ('a', 'z') AND 'a' = c AND c <=> 'a' AND c > ' ' AND NOT c <> 'a';
SELECT x.id, y.id AS other FROM t x JOIN t y ON x.c = y.c AND x.c = 'a';
UPDATE t SET v = 'u' WHERE c = 'a';
MERGE INTO t USING t AS s ON t.c = s.c AND s.c = 'a' WHEN MATCHED THEN UPDATE SET v = 'm';
DELETE FROM t WHERE c = 'a';
SELECT id FROM t;
-- name: partitions
CREATE TABLE p (id INT, c CHAR(3)) PARTITIONED BY (c);
INSERT INTO p VALUES (1, 'x'), (2, 'yy');
SELECT id FROM p WHERE c = 'x';
INSERT OVERWRITE p PARTITION (c = 'x') VALUES (3);
INSERT INTO p REPLACE WHERE c = 'yy' VALUES (4, 'yy');
SELECT id, concat('[', c, ']') AS c FROM p ORDER BY id;
-- name: wrong, outside of the range that is replaced
INSERT INTO p REPLACE WHERE c = 'x' VALUES (5, 'z');
DELETE FROM p WHERE c = 'x';
SELECT id FROM p;
-- name: inside of structs, arrays and maps
CREATE TABLE n (id INT, s STRUCT<c: CHAR(3), v: ARRAY<VARCHAR(2)>>, m MAP<CHAR(2), STRUCT<c: CHAR(2)>>);
INSERT INTO n VALUES (1, named_struct('c', 'x', 'v', array('a', 'bb  ')), map('k', named_struct('c', 'y'))), (2, NULL, NULL);
SELECT id, length(s.c) AS c, length(s.v[1]) AS v, length(map_keys(m)[0]) AS k, length(map_values(m)[0].c) AS w FROM n;
DESCRIBE n;
UPDATE n SET s.c = 'z' WHERE id = 1;
SELECT id FROM n WHERE s.c = 'z  ';
-- name: wrong, too long inside
INSERT INTO n VALUES (3, named_struct('c', 'long', 'v', NULL), NULL);
INSERT INTO n VALUES (3, named_struct('c', 'x', 'v', array('long')), NULL);
INSERT INTO n VALUES (3, NULL, map('long', NULL));
-- name: the lengths stay with their fields
ALTER TABLE n ADD COLUMNS (s.d CHAR(4));
ALTER TABLE n ALTER COLUMN m.value.c TYPE VARCHAR(9);
ALTER TABLE n SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE n RENAME COLUMN s.c TO first;
ALTER TABLE n DROP COLUMN s.v;
DESCRIBE n;
UPDATE n SET s.d = 'd' WHERE id = 1;
SELECT id, length(s.first) AS first, length(s.d) AS d FROM n ORDER BY id;
-- name: CHECK and generated columns
CREATE TABLE g (c CHAR(3), b BOOLEAN GENERATED ALWAYS AS (c IN ('x', 'q')), CONSTRAINT known CHECK (c = 'x' OR c = 'y'));
INSERT INTO g (c) VALUES ('x'), ('y');
UPDATE g SET c = 'x' WHERE c = 'y';
SELECT c, b FROM g;
INSERT INTO g (c) VALUES ('z');
-- name: a query's columns are declared as those that it reads
CREATE TABLE copied AS SELECT c, upper(c) AS u FROM g;
DESCRIBE copied;
