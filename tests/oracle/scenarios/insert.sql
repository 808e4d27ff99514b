-- name: by position
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, 'y');
INSERT INTO t SELECT 3, 'z';
INSERT INTO TABLE t TABLE t;
SELECT * FROM t;

-- name: column list
CREATE TABLE t (a INT, b STRING, c DOUBLE) USING delta;
INSERT INTO t (b, a) VALUES ('x', 1);
INSERT INTO t (c, b, a) SELECT 1.5, 'y', 2;
SELECT * FROM t;

-- name: column list errors
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t (a, nope) VALUES (1, 2);
INSERT INTO t (a, a) VALUES (1, 2);
INSERT INTO t (a, b) VALUES (1);
INSERT INTO t (a) VALUES (1, 2);

-- name: by name
CREATE TABLE t (a INT, b STRING, c INT) USING delta;
INSERT INTO t BY NAME SELECT 'x' AS b, 1 AS a, 2 AS c;
INSERT INTO t BY NAME SELECT 3 AS C, 'y' AS B, 4 AS A;
SELECT * FROM t;

-- name: by name with a missing column
CREATE TABLE t (a INT, b STRING, c INT) USING delta;
INSERT INTO t BY NAME SELECT 'x' AS b, 1 AS a;
SELECT * FROM t;

-- name: by name with an unknown column
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t BY NAME SELECT 'x' AS b, 1 AS a, 2 AS extra;
INSERT INTO t BY NAME SELECT 'x' AS other, 1 AS a;

-- name: too few and too many values
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (1, 'x', 2);
INSERT INTO t SELECT 1;

-- name: casts to the column's type
CREATE TABLE t (a INT, b STRING, c DOUBLE, d DECIMAL(6,2), e DATE, f TIMESTAMP, g BIGINT) USING delta;
INSERT INTO t VALUES (1L, 2, 3, 4.567, DATE'2024-01-01', TIMESTAMP'2024-01-01 01:02:03', 5);
SELECT * FROM t;

-- name: text into a number
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES ('12');
INSERT INTO t VALUES ('x');
SELECT * FROM t;

-- name: types that do not go together
CREATE TABLE t (a INT, d DATE, b BOOLEAN) USING delta;
INSERT INTO t VALUES (DATE'2024-01-01', DATE'2024-01-01', true);
INSERT INTO t VALUES (1, 5, true);
INSERT INTO t VALUES (1, DATE'2024-01-01', 3);
INSERT INTO t VALUES (array(1), DATE'2024-01-01', true);

-- name: overflow
CREATE TABLE t (a TINYINT, b INT, c DECIMAL(4,2)) USING delta;
INSERT INTO t (a) SELECT 300;
INSERT INTO t (b) SELECT 3000000000L;
INSERT INTO t (c) SELECT 1234.5;

-- name: overflow under LEGACY
SET spark.sql.storeAssignmentPolicy = LEGACY;
CREATE TABLE t (a TINYINT, b INT) USING delta;
INSERT INTO t SELECT 300, 'x';
-- differs: legacy-overflow
SELECT * FROM t;
-- state differs: legacy-overflow

-- name: STRICT takes only what loses nothing
SET spark.sql.storeAssignmentPolicy = STRICT;
CREATE TABLE t (a INT, b BIGINT) USING delta;
INSERT INTO t SELECT 1, 2;
INSERT INTO t SELECT 1L, 2L;

-- name: NOT NULL
CREATE TABLE t (a INT NOT NULL, b STRING) USING delta;
INSERT INTO t VALUES (NULL, 'x');
INSERT INTO t (b) VALUES ('x');
INSERT INTO t SELECT CASE WHEN id < 3 THEN id END, 'x' FROM range(5);
SELECT * FROM t;

-- name: a higher writer version
CREATE TABLE t (a INT, b STRING) USING delta TBLPROPERTIES ('delta.minWriterVersion' = '3');
ALTER TABLE t ADD COLUMN c INT;
INSERT INTO t VALUES (1, 'x', 3);

-- name: nested structs by position
-- state differs: structs-by-name
CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRUCT<z: STRING, w: INT>>) USING delta;
INSERT INTO t VALUES (1, named_struct('x', 1, 'y', named_struct('z', 'q', 'w', 2)));
-- differs: structs-by-name CAST_INVALID_INPUT
INSERT INTO t VALUES (2, named_struct('other', 1L, 'names', named_struct('w', 'q', 'z', 2)));
INSERT INTO t VALUES (3, NULL);
-- differs: structs-by-name
SELECT * FROM t;

-- name: struct with a wrong number of fields
CREATE TABLE t (s STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t VALUES (named_struct('x', 1));
INSERT INTO t VALUES (named_struct('x', 1, 'y', 'a', 'z', 2));
INSERT INTO t SELECT 5;

-- name: structs by name
CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t BY NAME SELECT named_struct('y', 'v', 'x', 1) AS s, 1 AS a;
SELECT * FROM t;

-- name: arrays and maps of structs
CREATE TABLE t (a ARRAY<STRUCT<x: INT, y: STRING>>, m MAP<STRING, STRUCT<z: BIGINT>>) USING delta;
INSERT INTO t VALUES (array(named_struct('x', 1, 'y', 'v'), NULL), map('k', named_struct('z', 5)));
INSERT INTO t VALUES (array(), map());
INSERT INTO t VALUES (NULL, NULL);
SELECT * FROM t;

-- name: overwrite
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT OVERWRITE t VALUES (3);
INSERT OVERWRITE TABLE t SELECT a + 1 FROM t;
SELECT * FROM t;

-- name: overwrite with nothing
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT OVERWRITE t SELECT 1 WHERE false;
SELECT * FROM t;

-- name: overwrite with a list and by name
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x');
INSERT OVERWRITE t (b, a) VALUES ('y', 2);
SELECT * FROM t;
INSERT OVERWRITE t BY NAME SELECT 'z' AS b, 3 AS a;
SELECT * FROM t;

-- name: static partition
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t PARTITION (p = 1) VALUES (10), (11);
INSERT INTO t PARTITION (p = 2) SELECT 20;
INSERT OVERWRITE t PARTITION (p = 1) VALUES (12);
SELECT * FROM t;

-- name: static partition with a list
CREATE TABLE t (a INT, b STRING, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t PARTITION (p = 'x') (b, a) VALUES ('v', 1);
SELECT * FROM t;

-- name: static and dynamic partition columns
CREATE TABLE t (a INT, p INT, q STRING) USING delta PARTITIONED BY (p, q);
INSERT INTO t PARTITION (p = 1, q) VALUES (10, 'x'), (11, 'y');
INSERT INTO t PARTITION (p, q) VALUES (20, 2, 'x');
INSERT OVERWRITE t PARTITION (p = 1, q) VALUES (12, 'z');
SELECT * FROM t;

-- name: partition values are cast
CREATE TABLE t (a INT, p INT, d DATE) USING delta PARTITIONED BY (p, d);
INSERT INTO t PARTITION (p = '7', d = '2024-03-01') VALUES (1);
SELECT * FROM t;

-- name: PARTITION of an unknown column
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t PARTITION (q = 1) VALUES (1);
INSERT INTO t PARTITION (a = 1) VALUES (1);

-- name: overwrite of a partitioned table is of all of it
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT OVERWRITE t VALUES (3, 1);
SELECT * FROM t;

-- name: dynamic overwrite
SET spark.sql.sources.partitionOverwriteMode = dynamic;
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
INSERT OVERWRITE t VALUES (4, 1), (5, 4);
SELECT * FROM t;
INSERT OVERWRITE t PARTITION (p) SELECT 6, 2;
SELECT * FROM t;

-- name: odd partition values
CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, ''), (2, NULL), (3, 'a b'), (4, 'a%b'), (5, 'a/b=c'), (6, 'ü'), (7, '__HIVE_DEFAULT_PARTITION__'), (8, ' '), (9, 'a:b#c?d');
SELECT * FROM t;
SELECT * FROM t WHERE p = 'a/b=c';
SELECT * FROM t WHERE p IS NULL;

-- name: timestamps as partitions
CREATE TABLE t (a INT, p TIMESTAMP) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, TIMESTAMP'2024-01-01 12:00:00'), (2, TIMESTAMP'2024-01-01 12:00:00.123456'), (3, NULL);
SELECT * FROM t;

-- name: REPLACE WHERE
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT INTO t REPLACE WHERE p = 1 VALUES (5, 1);
SELECT * FROM t;
INSERT INTO t REPLACE WHERE p = 1 VALUES (6, 2);
INSERT INTO t REPLACE WHERE a > 1 VALUES (7, 3);
SELECT * FROM t;

-- name: a common table expression
CREATE TABLE t (a INT) USING delta;
WITH q AS (SELECT 1 AS a UNION ALL SELECT 2) INSERT INTO t SELECT * FROM q;
INSERT INTO t WITH r AS (SELECT 3 AS a) SELECT * FROM r;
SELECT * FROM t;

-- name: from the table itself, another version and a view
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
INSERT INTO t SELECT a + 1 FROM t;
INSERT INTO t SELECT a + 10 FROM t VERSION AS OF 1;
CREATE TEMPORARY VIEW v AS SELECT max(a) AS a FROM t;
INSERT INTO t SELECT a FROM v;
SELECT * FROM t;

-- name: evolution by the session's setting
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (a INT) USING delta;
INSERT INTO t SELECT 1 AS a, 'x' AS extra;
INSERT INTO t BY NAME SELECT 'y' AS extra, 2.5D AS third, 2 AS a;
SELECT * FROM t;

-- name: evolution by the statement
CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta;
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS a, named_struct('x', 1, 'y', 'v') AS s, 'x' AS extra;
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 2 AS a, 7L AS more;
SELECT * FROM t;

-- name: unknown table
INSERT INTO no_such_table VALUES (1);

-- name: append only
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true');
INSERT INTO t VALUES (1);
INSERT OVERWRITE t VALUES (2);
DELETE FROM t;
UPDATE t SET a = 1;
SELECT * FROM t;

-- name: CHAR and VARCHAR
CREATE TABLE t (a CHAR(3), b VARCHAR(3)) USING delta;
INSERT INTO t VALUES ('x', 'y');
INSERT INTO t VALUES ('abcd', 'y');
INSERT INTO t VALUES ('a', 'abcd');
SELECT * FROM t;
-- state differs: char-padding

-- name: special numbers
CREATE TABLE t (a DOUBLE, b FLOAT) USING delta;
INSERT INTO t VALUES (double('NaN'), float('Infinity')), (double('-Infinity'), float('NaN')), (-0.0D, 0.1F);
SELECT * FROM t;
SELECT * FROM t WHERE a > 1;
DELETE FROM t WHERE a = double('NaN');

-- name: several inserts from one source
CREATE TABLE a (id INT, v STRING) USING delta;
CREATE TABLE b (id INT, v STRING) USING delta;
CREATE TABLE s (id INT, v STRING) USING delta;
INSERT INTO s VALUES (1, 'a'), (2, 'b');
FROM s INSERT INTO a SELECT * WHERE id = 1 INSERT OVERWRITE b SELECT id, upper(v);
WITH c AS (SELECT 7 AS i) FROM c INSERT INTO a SELECT i, 'w1' INSERT INTO a SELECT i, 'w2';
FROM s INSERT INTO a SELECT * INSERT INTO nowhere SELECT *;
SELECT * FROM a ORDER BY id, v;
SELECT * FROM b ORDER BY id, v;

-- name: names that are given as texts
CREATE TABLE IDENTIFIER('t' || '1') (IDENTIFIER('id') INT, v STRING) USING delta;
INSERT INTO IDENTIFIER('t1') VALUES (1, 'a');
UPDATE IDENTIFIER('t1') SET v = 'b' WHERE IDENTIFIER('id') = 1;
ALTER TABLE IDENTIFIER('t1') ADD COLUMN IDENTIFIER('d') INT;
SELECT IDENTIFIER('id'), IDENTIFIER('upper')(v) FROM IDENTIFIER('t1');
SELECT * FROM IDENTIFIER('a b');
SELECT IDENTIFIER(id) FROM t1;
SELECT * FROM IDENTIFIER(1);
