-- name: columns of every type
CREATE TABLE t (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(10,2), i STRING, j BINARY, k DATE, l TIMESTAMP, m ARRAY<INT>, n MAP<STRING, INT>, o STRUCT<x: INT, y: STRING>) USING delta;
INSERT INTO t VALUES (true, 1, 2, 3, 4, 1.5, 2.5, 3.25, 'x', X'0102', DATE'2024-01-31', TIMESTAMP'2024-01-31 10:11:12.123456', array(1, 2), map('k', 1), named_struct('x', 1, 'y', 'z'));
INSERT INTO t VALUES (null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
SELECT * FROM t;

-- name: comments of table and columns
CREATE TABLE t (a INT COMMENT 'the a', s STRUCT<x: INT COMMENT 'the x', y: STRING> COMMENT 'the s') USING delta COMMENT 'the table';
DESCRIBE TABLE t;

-- name: properties, delta's and others
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true', 'delta.checkpointInterval' = '5', 'mine' = 'yes', 'With.Case' = 'V');

-- name: property keys without quotes
CREATE TABLE t (a INT) USING delta TBLPROPERTIES (delta.checkpointInterval = 7, my.own = true);

-- name: keys of delta's properties are written in their own case
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.APPENDONLY' = 'TRUE');

-- name: unknown delta property
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.noSuchThing' = '1');

-- name: bad value of a property
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '-3');

-- name: partitioned by one column
CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL);
SELECT * FROM t WHERE p IS NULL OR p = 'x';
DESCRIBE TABLE t;

-- name: partitioned by several columns of several types
CREATE TABLE t (a INT, d DATE, n INT, b BOOLEAN, dec DECIMAL(6,3)) USING delta PARTITIONED BY (d, n, b, dec);
INSERT INTO t VALUES (1, DATE'2024-02-29', -5, true, 1.250), (2, NULL, NULL, NULL, NULL);
SELECT * FROM t;

-- name: partition column with its type
CREATE TABLE t (a INT) USING delta PARTITIONED BY (p STRING COMMENT 'the p');
INSERT INTO t VALUES (1, 'x');
SELECT * FROM t;

-- name: partitioned by an unknown column
CREATE TABLE t (a INT) USING delta PARTITIONED BY (b);

-- name: partitioned by all columns
CREATE TABLE t (a INT, b INT) USING delta PARTITIONED BY (a, b);

-- name: partitioned by a struct
CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta PARTITIONED BY (s);

-- name: duplicate columns
CREATE TABLE t (a INT, A STRING) USING delta;

-- name: characters that data files cannot have
CREATE TABLE t (`a b` INT) USING delta;

-- name: NOT NULL columns
CREATE TABLE t (a INT NOT NULL, s STRUCT<x: INT NOT NULL, y: STRING> NOT NULL) USING delta;
INSERT INTO t VALUES (1, named_struct('x', 1, 'y', NULL));
INSERT INTO t VALUES (NULL, named_struct('x', 1, 'y', 'v'));
INSERT INTO t VALUES (1, NULL);
SELECT * FROM t;

-- name: NOT NULL below a parent that may be NULL
-- differs: not-null-below-nullable DELTA_NOT_NULL_NESTED_FIELD
CREATE TABLE t (s STRUCT<x: INT NOT NULL>) USING delta;
-- state differs: not-null-below-nullable

-- name: a table that is there
CREATE TABLE t (a INT) USING delta;
CREATE TABLE t (b INT) USING delta;
CREATE TABLE IF NOT EXISTS t (b INT) USING delta;
DESCRIBE TABLE t;

-- name: CTAS
CREATE TABLE t USING delta AS SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL;
SELECT * FROM t;

-- name: CTAS with partitions, comment and properties
CREATE TABLE t USING delta PARTITIONED BY (b) COMMENT 'c' TBLPROPERTIES ('k' = 'v') AS SELECT id AS a, id % 2 AS b FROM range(6);
SELECT * FROM t;

-- name: CTAS over a table that is there
CREATE TABLE t (a INT) USING delta;
CREATE TABLE t USING delta AS SELECT 1 AS b;
CREATE TABLE IF NOT EXISTS t USING delta AS SELECT 1 AS b;

-- name: CTAS drops NOT NULL
CREATE TABLE s (a INT NOT NULL) USING delta;
INSERT INTO s VALUES (1);
CREATE TABLE t USING delta AS SELECT * FROM s;

-- name: CTAS of no rows
CREATE TABLE t USING delta AS SELECT 1 AS a WHERE false;

-- name: CTAS with nested types
CREATE TABLE t USING delta AS SELECT array(named_struct('a', 1, 'b', 'x')) AS arr, map('k', named_struct('c', 2.5D)) AS m;
SELECT arr[0].b, m['k'].c FROM t;

-- name: CREATE OR REPLACE
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('k' = 'v') ;
INSERT INTO t VALUES (1);
CREATE OR REPLACE TABLE t (b STRING COMMENT 'new') USING delta TBLPROPERTIES ('l' = 'w');
SELECT * FROM t;
INSERT INTO t VALUES ('x');
SELECT * FROM t VERSION AS OF 1;

-- name: CREATE OR REPLACE of a new table
CREATE OR REPLACE TABLE t (b STRING) USING delta;

-- name: REPLACE TABLE
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) COMMENT 'old';
INSERT INTO t VALUES (1, 1);
REPLACE TABLE t (a INT, q INT) USING delta PARTITIONED BY (q);
SELECT * FROM t;

-- name: REPLACE of a missing table
REPLACE TABLE t (a INT) USING delta;

-- name: RTAS reads the table that it replaces
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
REPLACE TABLE t USING delta AS SELECT a * 10 AS b FROM t;
SELECT * FROM t;

-- name: CREATE OR REPLACE AS
CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS a;
CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (b) AS SELECT 2 AS a, 'x' AS b;
SELECT * FROM t;

-- name: external table
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/place';
INSERT INTO t VALUES (1);
SELECT * FROM delta.`{dir}/place`;
CREATE TABLE u USING delta LOCATION '{dir}/place';
SELECT * FROM u;

-- name: external table whose columns are not those of its log
CREATE TABLE t (a INT, b INT) USING delta LOCATION '{dir}/place';
CREATE TABLE u (b INT) USING delta LOCATION '{dir}/place';
CREATE TABLE v (a INT, b INT) USING delta PARTITIONED BY (a) LOCATION '{dir}/place';
CREATE TABLE w (a INT, b INT) USING delta LOCATION '{dir}/place' TBLPROPERTIES ('delta.appendOnly' = 'true');
CREATE TABLE x (a INT, b INT) USING delta LOCATION '{dir}/place';

-- name: a path as a table
CREATE TABLE delta.`{dir}/p1` (a INT, b STRING) USING delta;
INSERT INTO delta.`{dir}/p1` VALUES (1, 'x');
SELECT * FROM delta.`{dir}/p1`;

-- name: default value of a column needs its feature
CREATE TABLE t (a INT, b INT DEFAULT 7) USING delta;

-- name: timestamps without zone
CREATE TABLE t (a TIMESTAMP_NTZ) USING delta;
INSERT INTO t VALUES (TIMESTAMP_NTZ'2024-01-31 10:11:12.5');
SELECT * FROM t;

-- name: a generated column
CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1)) USING delta;

-- name: a table's name with a blank
CREATE TABLE `ta ble` (`größe` INT, `a.b` INT, `select` STRING) USING delta;
-- state differs: failed-create

-- name: quoted names
CREATE TABLE t (`größe` INT, `a.b` INT, `select` STRING) USING delta;
INSERT INTO t VALUES (1, 2, 'x');
SELECT `größe`, `a.b`, `select` FROM t;
UPDATE t SET `a.b` = `a.b` + 1 WHERE `größe` = 1;
SELECT * FROM t;

-- name: reader and writer versions
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4');

-- name: a feature by name
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.feature.appendOnly' = 'supported');

-- name: schemas in which nothing is
CREATE TABLE t USING delta;
SELECT * FROM t;
