-- What tables of other formats do not have, and what is wrong with their definition.
-- expect: no jvm
-- log: off

-- name: the folder of a Delta table
CREATE TABLE d (a INT) LOCATION '${WAREHOUSE}/delta';
-- name: names
CREATE VIEW v AS SELECT 1 AS a;
CREATE TABLE IF NOT EXISTS v (a INT) USING csv LOCATION '${WAREHOUSE}/f';

-- name: a transaction
SHOW TABLES;
