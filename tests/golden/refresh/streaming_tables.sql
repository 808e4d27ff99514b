-- name: rows of a table
CREATE TABLE events (id INT, kind STRING);
INSERT INTO events VALUES (1, 'a'), (2, 'b');
CREATE OR REFRESH STREAMING TABLE seen (number COMMENT 'of the event', kind) AS SELECT id, upper(kind) FROM STREAM(events) WHERE kind <> 'x';
SELECT * FROM seen;
REFRESH STREAMING TABLE seen;
INSERT INTO events VALUES (3, 'c'), (4, 'x');
EXPLAIN REFRESH STREAMING TABLE seen;
REFRESH STREAMING TABLE seen;
SELECT * FROM seen;
-- name: with another query it goes on
-- log: off
CREATE OR REFRESH STREAMING TABLE seen AS SELECT id + 100 AS number, kind FROM STREAM events;
INSERT INTO events VALUES (5, 'e');
-- log: off
REFRESH STREAMING TABLE seen;
SELECT * FROM seen;
SHOW CREATE TABLE seen;
-- name: changed rows
DELETE FROM events WHERE id = 1;
REFRESH STREAMING TABLE seen;
-- log: off
REFRESH STREAMING TABLE seen FULL;
SELECT * FROM seen;
-- name: STREAMING may be left out
INSERT INTO events VALUES (6, 'f');
EXPLAIN REFRESH TABLE seen;
-- log: off
refresh /* it */ table spark_catalog.`default`.Seen;
REFRESH seen;
REFRESH TABLE seen ASYNC;
-- log: off
REFRESH TABLE seen FULL;
REFRESH TABLE events;
REFRESH TABLE delta.`${WAREHOUSE}/seen`;
SELECT count(*) FROM seen;
-- name: files, each once
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/one' USING csv OPTIONS (header = true) SELECT 1 AS id, 'Ada' AS name;
-- log: off
CREATE STREAMING TABLE people AS SELECT id, name, _metadata.file_path LIKE '%/one/%' AS first FROM STREAM read_files('${WAREHOUSE}/in', format => 'csv', header => true);
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/two' USING csv OPTIONS (header = true) SELECT 2 AS id;
-- log: off
REFRESH STREAMING TABLE people;
REFRESH STREAMING TABLE people;
SELECT * FROM people;
-- log: off
REFRESH STREAMING TABLE people FULL;
SELECT count(*) FROM people;
DROP STREAMING TABLE people;
