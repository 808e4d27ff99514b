-- Columns without a type. SELECT NULL AS c gives a column of type void, which Parquet files cannot hold: it stands in the
-- schema, not in the files, and the first write that knows better gives it its type.

-- name: a void column is kept in the schema
CREATE TABLE notes AS SELECT 1 AS id, NULL AS remark;

DESCRIBE TABLE notes;

-- name: a write with a type decides
INSERT WITH SCHEMA EVOLUTION INTO notes BY NAME SELECT 2 AS id, 'fragile' AS remark;

SELECT * FROM notes;

-- name: a void column in a later write leaves the type as it is
INSERT INTO notes BY NAME SELECT 3 AS id, NULL AS remark;

SELECT * FROM notes;

-- name: evolution never turns a column back into a void one
INSERT WITH SCHEMA EVOLUTION INTO notes BY NAME SELECT 4 AS id, NULL AS remark, NULL AS later;

DESCRIBE TABLE notes;
