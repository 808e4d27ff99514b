-- log: off
-- mask: time

CREATE TABLE changes (id INT, name STRING, op STRING, at INT);
INSERT INTO changes VALUES (1, 'a', 'I', 1), (1, 'b', 'U', 3), (2, 'c', 'I', 1), (2, 'c', 'D', 2);
-- name: a streaming table without a query gets its rows by flows
CREATE OR REFRESH STREAMING TABLE newest COMMENT 'the newest rows';
REFRESH STREAMING TABLE newest;
CREATE FLOW to_newest AS AUTO CDC INTO newest FROM STREAM(changes) KEYS (id)
  APPLY AS DELETE WHEN op = 'D' SEQUENCE BY at COLUMNS * EXCEPT (op, at) STORED AS SCD TYPE 1;
SELECT * FROM newest ORDER BY id;
-- name: late events do not come before newer ones
INSERT INTO changes VALUES (2, 'late', 'U', 1), (1, 'earlier', 'U', 2);
REFRESH STREAMING TABLE newest;
SELECT * FROM newest ORDER BY id;
-- name: the first form, with the schema LIVE
CREATE OR REFRESH STREAMING LIVE TABLE history;
apply changes into LIVE.history from stream(LIVE.changes) keys (`ID`) apply as delete when op = "D"
  sequence by at columns (id, name) stored as scd type 2 track history on (name);
SELECT * FROM history ORDER BY id, __START_AT;
SHOW CREATE TABLE history;
-- name: rows of the highest sequence replace the others of their key
CREATE TABLE events (region INT, device STRING, kind STRING, seq INT);
INSERT INTO events VALUES (1, 'iOS', 'click', 1), (1, 'Android', 'sale', 1), (2, 'iOS', 'click', 1), (2, 'desktop', 'click', 1);
CREATE OR REFRESH STREAMING TABLE regions FLOW REPLACE USING (region) SEQUENCE BY seq BY NAME SELECT * FROM STREAM(events);
SELECT * FROM regions ORDER BY region, device, seq;
INSERT INTO events VALUES (1, 'iOS', 'click', 2), (1, 'Android', 'sale', 2), (1, 'desktop', 'click', 2), (3, 'iOS', 'click', 1), (3, 'desktop', 'click', 2);
INSERT INTO events VALUES (2, 'late', 'click', 0), (2, 'tablet', 'click', 1), (1, 'none', 'click', NULL);
REFRESH STREAMING TABLE regions;
SELECT * FROM regions ORDER BY region, device, seq;
SHOW CREATE TABLE regions;
CREATE STREAMING TABLE later;
CREATE FLOW replacing AS INSERT INTO later BY NAME REPLACE USING (`Region`) SEQUENCE BY `seq` SELECT region, seq FROM STREAM events;
SELECT * FROM later ORDER BY region, seq;
CREATE OR REFRESH STREAMING TABLE bad FLOW REPLACE USING (area) SEQUENCE BY seq BY NAME SELECT * FROM STREAM(events);
CREATE OR REFRESH STREAMING TABLE bad FLOW REPLACE USING (region) SEQUENCE BY seq BY NAME SELECT * FROM events;
CREATE OR REFRESH STREAMING TABLE bad FLOW REPLACE USING (region) BY NAME SELECT * FROM STREAM events;
CREATE OR REFRESH STREAMING TABLE bad FLOW REPLACE USING (region) SEQUENCE BY missing BY NAME SELECT * FROM STREAM events;
-- name: flows that add rows
CREATE STREAMING TABLE f;
CREATE FLOW one AS INSERT INTO f BY NAME SELECT id FROM STREAM(changes);
CREATE FLOW IF NOT EXISTS once COMMENT 'now' AS INSERT INTO ONCE f BY NAME SELECT 7 AS id;
CREATE TABLE others (id INT);
INSERT INTO others VALUES (8);
CREATE FLOW two AS INSERT INTO f BY NAME SELECT id FROM STREAM others;
CREATE FLOW more AS INSERT ONCE INTO f BY NAME SELECT 9 AS id;
SELECT id, count(*) AS n FROM f GROUP BY id ORDER BY id;
-- name: two flows that read one table would miss rows of it
CREATE FLOW three AS INSERT INTO f BY NAME SELECT id FROM STREAM(others) WHERE id > 5;
-- name: materialized views and views of pipelines
CREATE OR REFRESH MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM LIVE.changes;
CREATE OR REFRESH LIVE TABLE counted2 AS SELECT count(*) AS n FROM LIVE.changes;
CREATE TEMPORARY LIVE VIEW v AS SELECT id FROM LIVE.changes WHERE id > 1;
SELECT * FROM v ORDER BY id;
CREATE PRIVATE MATERIALIZED VIEW hidden AS SELECT 1 AS a;
-- name: what is wrong
APPLY CHANGES INTO changes FROM others KEYS (id) SEQUENCE BY id;
CREATE FLOW x AS INSERT INTO changes BY NAME SELECT 1 AS id;
AUTO CDC INTO newest FROM others KEYS (nothing) SEQUENCE BY id;
AUTO CDC INTO newest FROM others KEYS (id);
AUTO CDC INTO newest FROM others SEQUENCE BY id;
AUTO CDC INTO newest FROM others KEYS (id) SEQUENCE BY id STORED AS SCD TYPE 3;
AUTO CDC INTO newest FROM others KEYS (id) SEQUENCE BY id APPLY AS TRUNCATE WHEN id = 1 STORED AS SCD TYPE 2;
AUTO CDC INTO newest FROM others KEYS (id) SEQUENCE BY id TRACK HISTORY ON (id);
AUTO CDC INTO f FROM others KEYS (id) SEQUENCE BY id;
CREATE FLOW x AS INSERT INTO newest BY NAME SELECT id FROM STREAM(others);
CREATE FLOW x AS INSERT INTO f BY NAME SELECT id FROM others;
CREATE MATERIALIZED VIEW nothing;
REPLACE STREAMING TABLE nothing;
