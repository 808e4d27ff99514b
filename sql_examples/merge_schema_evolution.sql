-- Automatic schema evolution for MERGE, case by case.
-- Each case runs twice: first without evolution (what happens by default), then WITH SCHEMA EVOLUTION.
-- log: off

CREATE TABLE new_values (key INT, new_value STRING);

INSERT INTO new_values VALUES (2, 'new two'), (3, 'new three');

-- Case 1: the source has a column more.
CREATE TABLE prices (key INT, value STRING);

INSERT INTO prices VALUES (1, 'one'), (2, 'two');

-- name: case 1, without: the extra column is ignored
MERGE INTO prices t
USING (SELECT key, concat('source ', key) AS value, new_value FROM new_values) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM prices;

-- name: case 1, with: the column is added, and filled in the rows that the source has
MERGE WITH SCHEMA EVOLUTION INTO prices t
USING (SELECT key, concat('source ', key) AS value, new_value FROM new_values) s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM prices;

-- Case 2: source and target each have a column that the other lacks.
CREATE TABLE renamed (key INT, old_value STRING);

INSERT INTO renamed VALUES (1, 'old one'), (2, 'old two');

-- name: case 2, without: old_value is missing in the source
MERGE INTO renamed t
USING new_values s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

-- name: case 2, with: old_value stays as it is in updated rows, and is NULL in new ones
MERGE WITH SCHEMA EVOLUTION INTO renamed t
USING new_values s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT * FROM renamed;

-- Case 3: UPDATE names a column that only the source has.
CREATE TABLE updated (key INT, old_value STRING);

INSERT INTO updated VALUES (1, 'old one'), (2, 'old two');

-- name: case 3, without
MERGE INTO updated t
USING new_values s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET new_value = s.new_value;

-- name: case 3, with: rows that do not match get NULL
MERGE WITH SCHEMA EVOLUTION INTO updated t
USING new_values s
ON t.key = s.key
WHEN MATCHED THEN UPDATE SET new_value = s.new_value;

SELECT * FROM updated;

-- Case 4: INSERT names a column that only the source has.
CREATE TABLE inserted (key INT, old_value STRING);

INSERT INTO inserted VALUES (1, 'old one'), (2, 'old two');

-- name: case 4, without
MERGE INTO inserted t
USING new_values s
ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, new_value) VALUES (s.key, s.new_value);

-- name: case 4, with
MERGE WITH SCHEMA EVOLUTION INTO inserted t
USING new_values s
ON t.key = s.key
WHEN NOT MATCHED THEN INSERT (key, new_value) VALUES (s.key, s.new_value);

SELECT * FROM inserted;
