-- A year of flights from New York: load, evolve, correct, look back.
-- Run from the top of the checkout, after: python sql_examples/flights_data.py

DROP TABLE IF EXISTS flights;

CREATE OR REPLACE TEMPORARY VIEW flights_csv USING csv
OPTIONS (path 'sql_examples/data/flights.csv', header 'true', inferSchema 'true', nullValue 'NA');

CREATE OR REPLACE TEMPORARY VIEW airlines USING csv
OPTIONS (path 'sql_examples/data/airlines.csv', header 'true');

-- name: version 0: 336,776 flights, one partition per month
-- log: off
CREATE TABLE flights PARTITIONED BY (month)
COMMENT 'All flights that left New York in 2013'
AS SELECT year, month, day, carrier, flight, tailnum, origin, dest, dep_delay, arr_delay, air_time, distance
FROM flights_csv;

-- name: where one waits longest
SELECT origin, count(*) AS flights, round(avg(dep_delay), 1) AS mean_delay
FROM flights
GROUP BY origin
ORDER BY mean_delay DESC;

-- name: only two of the twelve partitions are read
EXPLAIN SELECT avg(arr_delay) FROM flights WHERE month IN (6, 7);

-- name: which airlines are late in summer
SELECT a.name, count(*) AS flights, round(avg(f.arr_delay), 1) AS mean_delay
FROM flights f JOIN airlines a ON f.carrier = a.carrier
WHERE f.month IN (6, 7)
GROUP BY a.name
HAVING count(*) > 1000
ORDER BY mean_delay DESC
LIMIT 5;

-- name: version 1: a new column, without touching a file
ALTER TABLE flights ADD COLUMN (remark STRING COMMENT 'why a record was changed' AFTER dest);

-- A file of corrections for one day arrives. It lacks most columns, brings one that the table does not have, and its
-- distances are not to be trusted.
-- name: the corrections
CREATE OR REPLACE TEMPORARY VIEW corrections AS
SELECT year, month, day, carrier, flight, origin, dest, arr_delay - 10 AS arr_delay, 0 AS distance,
       'clock was wrong' AS remark, 'tower log' AS source
FROM flights VERSION AS OF 0
WHERE month = 12 AND day = 24 AND origin = 'JFK' AND arr_delay > 60;

-- name: version 2: merged by name, with the new column, without the distances
-- log: on
MERGE WITH SCHEMA EVOLUTION INTO flights t
USING corrections s
ON t.month = s.month AND t.day = s.day AND t.carrier = s.carrier AND t.flight = s.flight AND t.origin = s.origin
WHEN MATCHED THEN UPDATE SET * EXCEPT (distance)
WHEN NOT MATCHED THEN INSERT * EXCEPT (distance);

-- name: corrected, and what the table does not know is NULL or as it was
SELECT carrier, flight, dest, remark, arr_delay, distance, source
FROM flights
WHERE month = 12 AND day = 24 AND remark IS NOT NULL
ORDER BY arr_delay DESC
LIMIT 3;

-- name: before and after
SELECT old.carrier, old.flight, old.arr_delay AS before, new.arr_delay AS after
FROM flights VERSION AS OF 0 AS old
JOIN flights AS new USING (month, day, carrier, flight, origin)
WHERE month = 12 AND new.arr_delay <> old.arr_delay
ORDER BY before DESC
LIMIT 3;

-- name: version 3: cancelled flights go
DELETE FROM flights WHERE dep_delay IS NULL AND arr_delay IS NULL;

SELECT (SELECT count(*) FROM flights@v2) AS before, (SELECT count(*) FROM flights) AS after;

-- name: who did what
DESCRIBE HISTORY flights;
