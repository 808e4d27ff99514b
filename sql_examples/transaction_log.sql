-- The transaction log. Every commit is one JSON file of actions in _delta_log; a table is what they add up to.
-- Look at "log of" in the output: protocol and metaData come with the first commit, add and remove name files,
-- commitInfo says who did what.

-- name: version 0: protocol and metaData
CREATE TABLE sales (id BIGINT, day DATE, city STRING, amount INT) PARTITIONED BY (day, city);

-- name: version 1: one add per file, with its partition
INSERT INTO sales VALUES
  (1, DATE '2019-07-10', 'Beijing', 300), (2, DATE '2019-07-10', 'Beijing', 120), (3, DATE '2019-07-11', 'Hangzhou', 80);

-- name: version 2: the file with the row is removed and its rest is added
UPDATE sales SET amount = 100 WHERE id = 2;

-- name: version 3: a whole partition goes without a new file
DELETE FROM sales WHERE day = DATE '2019-07-11';

-- name: version 4: a new metaData replaces the one before
ALTER TABLE sales SET TBLPROPERTIES ('delta.appendOnly' = 'true', 'team' = 'sales');

-- name: and it holds at once
DELETE FROM sales;

-- name: the same, as a table
DESCRIBE HISTORY sales;

-- name: what the actions add up to
DESCRIBE DETAIL sales;

-- name: rows of version 1
SELECT * FROM sales VERSION AS OF 1;
