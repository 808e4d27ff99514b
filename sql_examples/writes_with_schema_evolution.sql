-- Adding columns with automatic schema update.
-- A write may bring columns that the table lacks. They are added when the statement says WITH SCHEMA EVOLUTION, or
-- when the session's setting autoMerge is on; otherwise the write is refused.
-- log: off

CREATE TABLE people (id INT, name STRING);

INSERT INTO people VALUES (1, 'Ada'), (2, 'Grace');

-- name: without evolution a column too many is an error
INSERT INTO people BY NAME SELECT 3 AS id, 'Edsger' AS name, DATE '1930-05-11' AS born;

-- name: with evolution the column is added at the end
-- Its case is kept as written. The rows that were there have NULL.
INSERT WITH SCHEMA EVOLUTION INTO people BY NAME
SELECT 3 AS id, 'Edsger' AS name, DATE '1930-05-11' AS Born;

SELECT * FROM people;

-- name: the setting does the same for every write of the session
SET spark.databricks.delta.schema.autoMerge.enabled = true;

-- name: by name, in any order, with a column missing
INSERT INTO people BY NAME SELECT 'Barbara' AS name, 4 AS id, 'MIT' AS school;

-- name: fields of structs are added as well
INSERT INTO people BY NAME SELECT 5 AS id, named_struct('city', 'Bern') AS home;

INSERT INTO people BY NAME SELECT 6 AS id, named_struct('city', 'Oslo', 'zip', '0150') AS home;

RESET spark.databricks.delta.schema.autoMerge.enabled;

-- name: all rows
SELECT * FROM people;
