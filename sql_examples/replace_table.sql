-- Replacing a table's schema.
-- Overwriting rows keeps the schema; CREATE OR REPLACE TABLE takes a new one, and new partitioning. Both are one
-- commit: readers see the old table or the new one, and the old one stays readable by its version.

CREATE TABLE birthdays (name STRING, birthDate STRING);

INSERT INTO birthdays VALUES ('Ada', '1815-12-10'), ('Grace', '1906-12-09');

-- name: overwriting rows does not change the type
INSERT OVERWRITE birthdays SELECT name, concat(birthDate, '') FROM birthdays;

-- name: a new type, by writing the table anew from itself
CREATE OR REPLACE TABLE birthdays PARTITIONED BY (century) AS
SELECT name, CAST(birthDate AS DATE) AS birthDate, CAST(floor(year(birthDate) / 100) AS INT) AS century
FROM birthdays;

SELECT * FROM birthdays;

-- name: a new name for a column, the same way
CREATE OR REPLACE TABLE birthdays AS SELECT name, birthDate AS dateOfBirth FROM birthdays;

SELECT * FROM birthdays;

-- name: the first version is still there
SELECT * FROM birthdays VERSION AS OF 1;

-- name: REPLACE TABLE wants a table that exists
REPLACE TABLE strangers (id INT);
