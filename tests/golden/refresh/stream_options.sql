-- Options of the source of a streaming table: STREAM t WITH (option = value, …).
-- log: off
CREATE TABLE t (id INT, v STRING);
-- log: off
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- log: off
INSERT INTO t VALUES (3, 'c');

-- name: versions with changed rows are left out
-- log: off
CREATE STREAMING TABLE kept AS SELECT * FROM STREAM(t) WITH (skipChangeCommits = true);
-- log: off
CREATE STREAMING TABLE flagged AS SELECT s.id, s.v AS w FROM STREAM t WITH (SKIPCHANGECOMMITS) AS s WHERE s.id < 100;
-- log: off
CREATE STREAMING TABLE inside AS SELECT * FROM STREAM(t WITH ('skipChangeCommits' = 'true', 'maxFilesPerTrigger' '1'));
-- log: off
CREATE STREAMING TABLE plain AS SELECT * FROM STREAM t;
-- log: off
UPDATE t SET v = 'changed' WHERE id = 1;
-- log: off
INSERT INTO t VALUES (4, 'd');
REFRESH STREAMING TABLE kept;
SELECT * FROM kept ORDER BY id;
-- log: off
REFRESH STREAMING TABLE flagged;
SELECT * FROM flagged ORDER BY id;
-- log: off
REFRESH STREAMING TABLE inside;
SELECT * FROM inside ORDER BY id;
REFRESH STREAMING TABLE plain;
REFRESH STREAMING TABLE kept;
REFRESH STREAMING TABLE kept FULL;
SELECT * FROM kept ORDER BY id;

-- name: versions that only delete rows
-- log: off
CREATE STREAMING TABLE deletes AS SELECT * FROM STREAM(t) WITH (ignoreDeletes = 'TRUE');
-- log: off
CREATE TABLE by_id (id INT, v STRING) PARTITIONED BY (id);
-- log: off
INSERT INTO by_id VALUES (1, 'a'), (2, 'b');
-- log: off
CREATE STREAMING TABLE of_parts AS SELECT * FROM STREAM(by_id) WITH (ignoreDeletes = true);
-- log: off
DELETE FROM by_id WHERE id = 1;
-- log: off
INSERT INTO by_id VALUES (3, 'c');
REFRESH STREAMING TABLE of_parts;
SELECT * FROM of_parts ORDER BY id;
-- log: off
UPDATE t SET v = 'again' WHERE id = 2;
REFRESH STREAMING TABLE deletes;

-- name: where it begins
-- log: off
CREATE STREAMING TABLE later AS SELECT * FROM STREAM(t) WITH (startingVersion = 2, skipChangeCommits = true);
SELECT * FROM later ORDER BY id;
-- log: off
INSERT INTO t VALUES (5, 'e');
REFRESH STREAMING TABLE later;
SELECT * FROM later ORDER BY id;
REFRESH STREAMING TABLE later FULL;
SELECT * FROM later ORDER BY id;
-- log: off
CREATE STREAMING TABLE since AS SELECT * FROM STREAM(t) WITH (startingTimestamp = '2000-01-01', skipChangeCommits);
SELECT * FROM since ORDER BY id;

-- name: another option is another query
-- log: off
CREATE OR REFRESH STREAMING TABLE plain AS SELECT * FROM STREAM(t) WITH (skipChangeCommits = true);
SELECT * FROM plain ORDER BY id;
SHOW CREATE TABLE plain;

-- name: flows
-- log: off
CREATE STREAMING TABLE two (id INT, v STRING);
-- log: off
CREATE FLOW f AS INSERT INTO two BY NAME SELECT * FROM STREAM(t) WITH (skipChangeCommits, startingVersion = 6);
SELECT * FROM two ORDER BY id;
