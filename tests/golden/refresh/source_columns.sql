-- Columns that the source of a streaming table has got since.
-- log: off
CREATE TABLE events (id INT, kind STRING);
INSERT INTO events VALUES (6, 'f');
-- name: new columns of files
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/grows/one' USING json SELECT 1 AS id, 'Ada' AS name;
-- log: off
CREATE STREAMING TABLE grown AS SELECT * FROM STREAM read_files('${WAREHOUSE}/grows', format => 'json');
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/grows/two' USING json SELECT 2 AS id, 'NL' AS land;
EXPLAIN REFRESH STREAMING TABLE grown;
-- mask: /"definition": "[0-9a-f]+"/
REFRESH STREAMING TABLE grown;
SELECT id, name, land FROM grown;
SHOW CREATE TABLE grown;
-- name: new columns of a table
-- log: off
CREATE OR REFRESH STREAMING TABLE twice AS SELECT *, id * 2 AS two FROM STREAM(events);
ALTER TABLE events ADD COLUMN place STRING;
INSERT INTO events VALUES (7, 'g', 'here');
-- log: off
CREATE OR REFRESH STREAMING TABLE twice AS SELECT *, id * 2 AS two FROM STREAM(events);
SELECT id, place, two FROM twice WHERE id > 5;
SHOW CREATE TABLE twice;
ALTER TABLE events ADD COLUMN who STRING FIRST;
INSERT INTO events VALUES ('me', 8, 'h', 'there');
-- log: off
REFRESH STREAMING TABLE twice;
SELECT who, id, place, two FROM twice WHERE id > 5;
-- log: off
REFRESH STREAMING TABLE twice FULL;
DESCRIBE TABLE twice;
SELECT who, id, place, two FROM twice WHERE id > 5;
-- name: without a star, and with names, they are left out
-- log: off
CREATE STREAMING TABLE plain AS SELECT id FROM STREAM(events);
-- log: off
CREATE STREAMING TABLE named (a, b, c, d) AS SELECT * FROM STREAM(events);
ALTER TABLE events ADD COLUMN more INT;
-- log: off
INSERT INTO events VALUES ('you', 9, 'i', 'there', 1);
-- log: off
REFRESH TABLE plain;
-- log: off
REFRESH TABLE named;
SELECT * FROM plain WHERE id = 9;
SELECT * FROM named WHERE b = 9;
-- log: off
CREATE OR REFRESH STREAMING TABLE plain AS SELECT id, more FROM STREAM(events);
-- name: a file whose column is gone
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/grows/two' USING json SELECT 3 AS id;
-- log: off
-- mask: /"definition": "[0-9a-f]+"/
REFRESH STREAMING TABLE grown;
SELECT id, name, land FROM grown;
