-- log: off
-- Source values of another type than the table's column, with schema evolution off and on.

CREATE TABLE t32 AS SELECT 1 AS key, 10 AS value;
CREATE TEMPORARY VIEW b AS SELECT * FROM VALUES (1, X'31'), (2, X'32') AS v(key, value);
-- name: truth table 4.2 row 32, evolution off: BINARY into INT is an error of the cast
MERGE INTO t32 t USING b s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;

-- name: truth table 4.2 row 32, evolution on: BINARY and INT do not merge
CREATE TABLE t33 AS SELECT 1 AS key, true AS value;
CREATE TEMPORARY VIEW f AS SELECT * FROM VALUES (1, 'false'), (2, 'true') AS v(key, value);
-- name: truth table 4.2 row 33, evolution off: STRING into BOOLEAN is cast
MERGE INTO t33 t USING f s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t33;
-- name: truth table 4.2 row 33, evolution on: STRING and BOOLEAN do not merge
MERGE WITH SCHEMA EVOLUTION INTO t33 t USING f s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SET spark.sql.storeAssignmentPolicy = STRICT;
-- name: truth table 4.2 row 33, STRICT, evolution off: no up-cast
MERGE INTO t33 t USING f s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 34, STRICT, evolution off: no up-cast
MERGE INTO t32 t USING (SELECT 1 AS key, '11' AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 34, STRICT, evolution on: no up-cast
MERGE WITH SCHEMA EVOLUTION INTO t32 t USING (SELECT 1 AS key, '11' AS value) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
CREATE TABLE t39 AS SELECT 1 AS key, 'one' AS value;
-- name: truth table 4.2 row 39, STRICT, evolution off: LONG into STRING is an up-cast
MERGE INTO t39 t USING (SELECT 1L AS key, 11L AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value;
-- name: truth table 4.2 row 39, STRICT, evolution on: value stays STRING
MERGE WITH SCHEMA EVOLUTION INTO t39 t USING (SELECT * FROM VALUES (1, 12L), (2, 22L) AS v(key, value)) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t39;

SET spark.sql.storeAssignmentPolicy = LEGACY;
-- name: truth table 4.2 row 34, LEGACY, evolution off: bad text becomes NULL
MERGE INTO t32 t USING (SELECT * FROM VALUES (1, '11'), (2, 'two') AS v(key, value)) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t32;
-- name: truth table 4.2 row 40, LEGACY, evolution off: DOUBLE into INT loses its fraction
MERGE INTO t32 t USING (SELECT * FROM VALUES (3, 3.9D) AS v(key, value)) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 40, LEGACY, evolution on: the same
MERGE WITH SCHEMA EVOLUTION INTO t32 t USING (SELECT 5 AS key, 5.9D AS value) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t32;
RESET spark.sql.storeAssignmentPolicy;

CREATE TABLE t34 AS SELECT 1 AS key, 10 AS value;
-- name: truth table 4.2 row 34, ANSI, evolution off: STRING into INT is cast
MERGE INTO t34 t USING (SELECT * FROM VALUES (1, '11'), (2, '22') AS v(key, value)) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 34, ANSI, evolution on: value stays INT
MERGE WITH SCHEMA EVOLUTION INTO t34 t USING (SELECT 2 AS key, '23' AS value) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 34, ANSI: bad text is an error
MERGE INTO t34 t USING (SELECT 1 AS key, 'one' AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t34;
-- name: truth table 4.2 row 35, evolution off: LONG into INT is cast
MERGE INTO t34 t USING (SELECT 1 AS key, 12L AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 35, evolution on: value stays INT
MERGE WITH SCHEMA EVOLUTION INTO t34 t USING (SELECT 3 AS key, 33L AS value) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 35, evolution off: overflow
MERGE INTO t34 t USING (SELECT 1 AS key, 3000000000L AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 35, evolution on: overflow
MERGE WITH SCHEMA EVOLUTION INTO t34 t USING (SELECT 4 AS key, 3000000000L AS value) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 37, evolution off: SHORT and BYTE into INT
MERGE INTO t34 t USING (SELECT 2Y AS key, 24S AS value) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 row 37, evolution on: value stays INT
MERGE WITH SCHEMA EVOLUTION INTO t34 t USING (SELECT 4Y AS key, 44S AS value) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t34;

CREATE TABLE t36 AS SELECT 1L AS key, 10L AS value, 5Y AS b, 6S AS s;
-- name: truth table 4.2 rows 36 and 38, evolution off: INT into LONG, and into BYTE and SHORT
MERGE INTO t36 t USING (SELECT 1 AS key, 11 AS value, 15 AS b, 16 AS s) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
-- name: truth table 4.2 rows 36 and 38, evolution on: the table's types stay
MERGE WITH SCHEMA EVOLUTION INTO t36 t USING (SELECT 2 AS key, 22 AS value, 25 AS b, 26 AS s) s ON t.key = s.key
WHEN NOT MATCHED THEN INSERT *;
-- name: truth table 4.2 row 38: overflow of a BYTE
MERGE INTO t36 t USING (SELECT 1 AS key, 11 AS value, 128 AS b, 16 AS s) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t36;

SET spark.sql.storeAssignmentPolicy = ANSI;
CREATE TABLE t41 (
  key INT, a SMALLINT, b SMALLINT, p STRUCT<x: SMALLINT, y: SMALLINT>, l ARRAY<SMALLINT>, m MAP<STRING, SMALLINT>
) TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
INSERT INTO t41 VALUES (1, 1, 2, named_struct('x', 3, 'y', 4), array(5), map('k', 6));
CREATE TEMPORARY VIEW w AS SELECT 1 AS key, 40000 AS a, 2 AS b, named_struct('x', 50000, 'y', 4) AS p, array(60000) AS l, map('k', 70000) AS m;
-- name: truth table 4.2 row 41, evolution off: a SHORT is too small
MERGE INTO t41 t USING w s ON t.key = s.key WHEN MATCHED THEN UPDATE SET a = s.a + 1;
-- name: truth table 4.2 row 41, evolution on: only the column that is assigned widens
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING w s ON t.key = s.key WHEN MATCHED THEN UPDATE SET a = s.a + 1;
-- name: truth table 4.2 row 41, evolution on: only the field that is assigned
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING w s ON t.key = s.key WHEN MATCHED THEN UPDATE SET p.x = s.p.x;
-- name: truth table 4.2 row 41, evolution on: an element and a value, of a row that is inserted
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING w s ON t.key = s.key + 1
WHEN NOT MATCHED THEN INSERT (key, l, m) VALUES (s.key, s.l, s.m);
-- name: truth table 4.2 row 42, evolution on: INT stays
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING (SELECT 1 AS key, 7S AS a) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SET spark.databricks.delta.typeWidening.allowAutomaticWidening = NEVER;
-- name: truth table 4.2 row 43, NEVER, evolution on: b stays SHORT
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING (SELECT 2 AS key, 7D AS b) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
SET spark.databricks.delta.typeWidening.allowAutomaticWidening = ALWAYS;
-- name: truth table 4.2 row 43, ALWAYS, evolution off: b stays SHORT
MERGE INTO t41 t USING (SELECT 3 AS key, 8D AS b) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, b) VALUES (s.key, s.b);
-- name: truth table 4.2 row 43, ALWAYS, evolution on: b becomes DOUBLE
MERGE WITH SCHEMA EVOLUTION INTO t41 t USING (SELECT 4 AS key, 8.5D AS b) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t41;
