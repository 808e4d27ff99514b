-- The type TIME: in queries, and in no column of a table, since Delta has no such type.
SELECT TIME'12:34:56.789' AS t, typeof(TIME'01:00:00') AS kind;
SELECT make_time(1, 2, 3.5), hour(TIME'05:06:07'), CAST('10:00' AS TIME), time_trunc('HOUR', TIME'05:06:07');
SELECT to_time('10:11:12'), try_to_time('x'), time_diff('MINUTE', TIME'01:00', TIME'02:30');
SELECT TIME'01:00:00' + INTERVAL '30' MINUTE AS later, CAST(TIME'10:00:00' AS STRING) AS text;
SELECT time_from_seconds(3600), time_to_seconds(TIME'01:00:00'), time_from_millis(1000), time_to_micros(TIME'00:00:01');
SELECT current_time() <= TIME'23:59:59.999999' AS today;
SELECT * FROM VALUES (TIME'10:00'), (NULL), (TIME'00:00:00.000001') AS q (a) ORDER BY a NULLS LAST;
SELECT a, count(*) AS n FROM VALUES (TIME'10:00'), (TIME'10:00:00') AS q (a) GROUP BY a;
SELECT TIME'25:00:00';
CREATE TABLE clocks (a TIME);
CREATE TABLE clocks AS SELECT TIME'01:00:00' AS a;
CREATE TABLE clocks AS SELECT CAST(TIME'01:00:00' AS STRING) AS a;
SELECT a, hour(CAST(a AS TIME)) AS hour FROM clocks;
