-- A table, its rows, and every version that it ever had.
CREATE TABLE people (
  id INT NOT NULL,
  name STRING,
  home STRUCT<town: STRING, since: DATE>,
  CONSTRAINT positive CHECK (id > 0)
) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');

INSERT INTO people VALUES
  (1, 'Ada', named_struct('town', 'London', 'since', DATE'1835-07-08')),
  (2, 'Grace', named_struct('town', 'New York', 'since', DATE'1906-12-09'));

-- The source has a column more; a column may be left as it is.
MERGE WITH SCHEMA EVOLUTION INTO people AS p
USING (SELECT 2 AS id, 'Grace Hopper' AS name, 1943 AS navy UNION ALL SELECT 3, 'Alan', NULL) AS s
ON p.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;

SELECT id, name, home.town, navy FROM people ORDER BY id;

ALTER TABLE people ADD COLUMN home.country STRING AFTER town;

DELETE FROM people WHERE id IN (SELECT id FROM people WHERE home IS NULL);

SELECT id, name FROM people VERSION AS OF 2 ORDER BY id;

RESTORE TABLE people TO VERSION AS OF 2;

SELECT id, name, home.town FROM people ORDER BY id;
