-- Schema evolution inside arrays of structs: fields are matched by name, at any depth.
-- log: off

CREATE TABLE plain (key INT, items ARRAY<STRUCT<a: INT, b: INT>>);

INSERT INTO plain VALUES (1, array(named_struct('a', 1, 'b', 2)));

-- name: by name, and cast: the source has strings, in the other order
MERGE INTO plain t
USING (SELECT 2 AS key, array(named_struct('b', '20', 'a', '10')) AS items) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM plain;

CREATE TABLE wide (key INT, items ARRAY<STRUCT<a: STRING, b: STRING>>);

INSERT INTO wide VALUES (1, array(named_struct('a', 'a1', 'b', 'b1'))), (2, array(named_struct('a', 'a2', 'b', 'b2')));

-- name: without evolution, unknown fields c and d are an error
MERGE INTO wide t
USING (SELECT 2 AS key, array(named_struct('a', 5, 'c', 'c5', 'd', 'd5')) AS items) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

-- name: with evolution they are added; a is cast to the target's STRING, b is NULL
MERGE WITH SCHEMA EVOLUTION INTO wide t
USING (SELECT 2 AS key, array(named_struct('a', 5, 'c', 'c5', 'd', 'd5')) AS items) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM wide;

CREATE TABLE deep (key INT, items ARRAY<STRUCT<a: STRING, b: STRUCT<c: STRING>>>);

INSERT INTO deep VALUES (1, array(named_struct('a', 'a1', 'b', named_struct('c', 'c1'))));

-- name: without evolution, a field too many deeper down is an error as well
MERGE INTO deep t
USING (SELECT 1 AS key, array(named_struct('a', 'a2', 'b', named_struct('c', 'c2', 'd', 'd2'))) AS items) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

-- name: with evolution b gets the field d
MERGE WITH SCHEMA EVOLUTION INTO deep t
USING (SELECT 2 AS key, array(named_struct('a', 'a2', 'b', named_struct('c', 'c2', 'd', 'd2'))) AS items) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM deep;
